#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# first-guest.sh FILES PATTERNS SUBJECTS - the part of first that runs in the
# guest: each pass is over a mount of its own.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

files=$1 patterns=$2 subjects=$3

# A disk of the guest's: what it has cached of the device itself goes too.
fresh()
{
	drop_caches
	blockdev --flushbufs "$1"
}

pass()
{
	dev=$drives/$1
	fresh "$dev"
	before=$(requests_of "$dev")
	mount_at "$1" "$dev"
	mounted=$(requests_of "$dev")
	requests --list=/list --first="$files" --keep-caches --pattern="$2" "/mnt/$1" |
		sed "s/^/$1 mount_requests=$((mounted - before)) /"
	[ "$3" != first ] || show_mount "$1"
	umount "/mnt/$1"
}

show_kernel
for fs in $subjects; do
	show_device "$(readlink -f "$drives/$fs")" "virtio-blk"
	which=first
	for pattern in $patterns; do
		pass "$fs" "$pattern" $which
		which=next
	done
done
