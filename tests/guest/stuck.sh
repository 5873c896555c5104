#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# stuck.sh DISK FILE REFERENCE OPTIONS - a device that does not answer.
#
# Mounts DISK through the device mapper, suspends that, lets a program read FILE
# (a path in the image) and kills it while it waits.  It has to be gone before
# the device goes on; then FILE has to be what REFERENCE is.
#
# Needs dmsetup and the module dm_mod.
set -eu
here=$(dirname "$0")
prog=stuck
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

disk=$1 file=$2 reference=$3 options=$4
mnt=$(mktemp -d)
# There is no udev here.
export DM_DISABLE_UDEV=1

# A reader that waits for the device is killed; without an end if it cannot be.
kill_waiting()
{
	cat "$mnt/$file" >/dev/null &
	reader=$!
	until [ "$(state "$reader")" = D ]; do
		[ -d /proc/"$reader" ] || return 1
	done
	kill -KILL "$reader"
	rc=0
	wait "$reader" || rc=$?
	[ "$rc" -eq 137 ]
}

dmsetup create stuck --readonly --table "0 $(blockdev --getsz "$disk") linear $disk 0"
mount -t dsfs -o "$options" /dev/mapper/stuck "$mnt"
dmsetup suspend --noflush --nolockfs stuck
check "a reader that waits for the device can be killed, $options" kill_waiting
dmsetup resume stuck
check "the file is the same when the device goes on, $options" cmp "$mnt/$file" "$reference"
umount "$mnt"
dmsetup remove stuck
rmdir "$mnt"
exit $failed
