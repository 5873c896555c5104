#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# epoch-guest.sh NANOSECONDS EVERY PATTERNS SUBJECTS - the part of epoch that runs in the guest:
# a line for each cold pass, SUBJECT and what requests prints.
#
# One subject after the other, as their devices are memory.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

nsec=$1 every=$2 patterns=$3 subjects=$4

show_kernel
for fs in $subjects; do
	add_device "$fs" "$nsec"
	mount_at "$fs" "/dev/b-$fs"
	show_device "/dev/b-$fs" "$nsec ns a request"
	show_mount "$fs"
	for pattern in $patterns; do
		requests --list=/list --every="$every" --pattern="$pattern" "/mnt/$fs" | sed "s/^/$fs /"
	done
	umount "/mnt/$fs"
	remove_device "$fs"
done
