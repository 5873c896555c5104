#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# compress-guest.sh SUBJECTS - the part of compress that runs in the guest.
#
# Reads the files of /sample cold, whole, from each image.  Prints "SUBJECT NAME=VALUE..." lines.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

subjects=$1

# The type is what stands before the first hyphen.
fs_of()
{
	echo "${1%%-*}"
}

cold()
{
	add_device "$1" 0
	mount_at "$1" "/dev/b-$1"
	show_mount "$1"
	echo "$1 $(requests --list=/sample "/mnt/$1")"
	umount "/mnt/$1"
	remove_device "$1"
}

show_kernel
for fs in $subjects; do
	cold "$fs"
done
