#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# silent.sh FLAT NAMES BYTES - a device that does not answer a mount.
#
# FLAT holds mktree's tree of this name, its names lie at NAMES, BYTES of them, and behind them what
# every mount reads of the way from numbers to names.  Requests of a mount that was killed end after it, in memory that must still be there:
# KASAN sees whether it is (tests/uml/check).  So must be the device, which is another one below.
#
# Needs dmsetup and the module dm_mod.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1 names=$2 bytes=$3
dir=$(mktemp -d) second=$(mktemp -d)
dm=/dev/mapper/asked
some=$((names + 65536)) end=$(((names + bytes) / 4096 * 4096 + 8192))
# silent_from BYTE: from there to behind the names the device does not answer.
silent_from()
{
	table "$1" $end linear /dev/mapper/silent @ | become
	silence silent
}

names_of()
{
	yields readdir "$dir"
}

killed_lookup()
{
	waits_in_dsfs yields readdir "$dir" && is_killed "$waits"
}

# Of a mount of the device that does not answer now, everybody's sync(2) does not wait.
second_mount()
{
	waits_in_dsfs mount -t dsfs "$dm" "$second" || return 1
	sync &
	waiter=$!
	until [ -z "$(state "$waiter")" ]; do
		! grep -qs rwsem_down "/proc/$waiter/stack" || break
	done
	wait=$(state "$waiter")
	is_killed "$waits" && [ -z "$wait" ] && ! grep -q " $second dsfs " /proc/mounts
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
check "what it asked for keeps the device" fails dmsetup remove asked
dmsetup resume silent
silent_from "$names"
check "a mount with meta=lazy that waits for metadata is killed" killed_mount meta=lazy
dmsetup resume silent
mount -t dsfs -o meta=lazy $dm "$dir"
drop_caches
silence silent
check "who waits for metadata is killed" killed_lookup
umount "$dir"
check "what he asked for keeps the device after an unmount" fails dmsetup remove asked
# It is gone, and comes back.
whole error | dmsetup load --readonly silent
dmsetup resume silent
linear | dmsetup load --readonly silent
dmsetup suspend --nolockfs silent
dmsetup resume silent
mount -t dsfs $dm "$dir"
check "and all is there when the device answers" [ "$(names_of)" = "$all" ]
silence asked
check "nobody waits for a second mount that waits" second_mount
dmsetup resume asked
umount "$dir"
# Requests of those that were killed keep the device open for a moment.
until dmsetup remove asked 2>/dev/null; do :; done
dmsetup remove silent
exit $failed
