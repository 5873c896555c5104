#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# prefetch-guest.sh SAMPLES SUBJECTS NSEC:AHEAD... - the guest's part of prefetch: a line for
# each epoch, SUBJECT NSEC:AHEAD NAME=VALUE...
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

samples=$1 subjects=$2
shift 2

# set_delay SUBJECT NSEC: of its device, which cannot change it while it is there
set_delay()
{
	[ ! -e "/sys/block/b-$1" ] || remove_device "$1"
	add_device "$1" "$2"
}

show_kernel
for fs in $subjects; do
	for pass in "$@"; do
		set_delay "$fs" "${pass%:*}"
		mount_at "$fs" "/dev/b-$fs"
		[ "$pass" != "$1" ] || show_mount "$fs"
		drop_caches
		echo "$fs $pass $(reader --ahead="${pass#*:}" --samples="$samples" whole /files "/mnt/$fs")"
		umount "/mnt/$fs"
	done
	show_device "/dev/b-$fs" "${pass%:*} ns a request"
	remove_device "$fs"
done
