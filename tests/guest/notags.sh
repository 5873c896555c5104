#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# notags.sh DISK FILE - a page fault on a device that takes no request.
#
# Mounts DISK through a loop device with few tags, below which the device mapper is
# suspended, takes all tags, and lets a program map FILE (a path in the image).  While its
# fault waits for a tag, the program has to be able to fork, and everybody to read its command
# line: a fault holds no lock of the memory map meanwhile.  Only then the device goes on.
#
# Needs dmsetup, losetup and the modules dm_mod and loop.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1 file=$2
dir=$(mktemp -d)
out=$(mktemp)
linear | dmsetup create notags --readonly
loop=$(losetup -f)
losetup -r "$loop" /dev/mapper/notags
queue=/sys/block/${loop##*/}
# As few as the block layer allows
echo 4 >"$queue/queue/nr_requests"
tags=$(cat "$queue/queue/nr_requests")

in_flight()
{
	awk '{ print $1 }' "$queue/inflight"
}

# Direct reads, each of which keeps a tag until the device goes on
take_tags()
{
	silence notags
	takers=
	i=0
	while [ "$i" -lt $((2 * tags)) ]; do
		dd if="$loop" of=/dev/null bs=4096 count=1 skip="$i" iflag=direct 2>/dev/null &
		takers="$takers $!"
		i=$((i + 1))
	done
	until [ "$(in_flight)" -ge "$tags" ]; do :; done
}

# within CMD...: true if CMD ends; a minute is for what never would.
within()
{
	timeout -s KILL 60 "$@"
}

forks()
{
	drop_caches
	: <"$dir/$file"
	take_tags
	access mapfork "$dir/$file" >"$out" &
	pid=$!
	within sh -c 'until grep -q forked "$1"; do :; done' wait "$out" && rc=0 || rc=1
	[ "$rc" -ne 0 ] || within grep -q mapfork "/proc/$pid/cmdline" || rc=1
	[ "$rc" -eq 0 ] || sed "s/^/# $prog: /" "/proc/$pid/stack"
	dmsetup resume notags
	# shellcheck disable=SC2086 # a list
	wait "$pid" $takers
	return "$rc"
}

mount -t dsfs "$loop" "$dir"
check "fork() and ps(1) beside a fault that waits for the device" forks
check "the fault goes on when the device does" grep -q 4096 "$out"
umount "$dir"
losetup -d "$loop"
dmsetup remove notags
exit $failed
