#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# compress-guest.sh CHUNK SUBJECTS - the part of compress that runs in the guest.
#
# Reads the files of /sample cold, whole, from each image, and unpacks those that dsfs-zstd and
# dsfs-lz4hc store.  Prints "SUBJECT NAME=VALUE..." lines.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

chunk=$1 subjects=$2

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

# unpacked CODEC
unpacked()
{
	mount_at "dsfs-$1" "$drives/dsfs-$1"
	# shellcheck disable=SC2046
	set -- "$1" $(packed unpack "$1" "$chunk" 2 /mnt/dsfs "/mnt/dsfs-$1" /sample)
	echo "unpack-$1 instructions=$2 bytes=$3 files=$4"
	umount "/mnt/dsfs-$1"
}

show_kernel
for fs in $subjects; do
	cold "$fs"
done
mount_at dsfs "$drives/dsfs"
unpacked zstd
unpacked lz4hc
