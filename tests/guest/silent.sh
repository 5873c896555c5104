#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# silent.sh FLAT INODES BYTES NAMES BYTES - a device that does not answer a mount.
#
# FLAT holds mktree's tree of this name, its inodes and names lie at INODES and NAMES, BYTES of
# them.  Requests of a mount that was killed end after it, in memory that must still be there:
# KASAN sees whether it is (tests/uml/check).
#
# Needs dmsetup and the module dm_mod.
set -eu
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

disk=$1 inodes=$2 names=$4 bytes=$5
dir=$(mktemp -d)
dm=/dev/mapper/asked
some=$((names + 65536)) end=$((names + bytes))
# silent_from BYTE: from there to the end of the names the device does not answer.
silent_from()
{
	table "$1" $end linear /dev/mapper/silent @ | become
	silence silent
}

# killed_mount OPTIONS: it waits in the file system.  Without an end if it cannot be killed
killed_mount()
{
	mount -t dsfs -o "$1" "$dm" "$dir" &
	pid=$!
	until [ "$(state "$pid")" = D ] && grep -q '\<dsfs_' "/proc/$pid/stack"; do
		[ -d /proc/"$pid" ] || { echo "# $prog: the mount ended by itself"; return 1; }
	done
	is_killed "$pid" && ! grep -q " $dir dsfs " /proc/mounts
}

names_of()
{
	yields readdir "$dir"
}

linear | dmsetup create asked --readonly
linear | dmsetup create silent --readonly
mount -t dsfs $dm "$dir"
all=$(names_of)
umount "$dir"
silence asked
check "a mount that waits for the superblock is killed" killed_mount ro
dmsetup resume asked
silent_from $some
check "a mount that waits for metadata is killed" killed_mount ro
dmsetup resume silent
silent_from "$inodes"
check "a mount with meta=lazy that waits for the root is killed" killed_mount meta=lazy
dmsetup resume silent
mount -t dsfs $dm "$dir"
check "and all is there when the device answers" [ "$(names_of)" = "$all" ]
umount "$dir"
# Requests of those that were killed keep the device open for a moment.
until dmsetup remove asked 2>/dev/null; do :; done
dmsetup remove silent
exit $failed
