#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# refaults.sh DISK DIR - time that is lost because memory was short is told to PSI.
#
# DISK holds an image; each file in its directory DIR fits a page, so that none is cached
# in part.  They are read until the kernel takes them for the working set, a part is
# reclaimed, and they are read again: what is brought back is a stall.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1 files=$2
dir=$(mktemp -d)

stalled()
{
	sed -n 's/^some .*total=//p' "$group"/memory.pressure
}

cached_kib()
{
	awk '$1 == "file" { print int($2 / 1024) }' "$group"/memory.stat
}

read_all()
{
	find "$dir/$files" -maxdepth 1 -type f -exec cat {} + >/dev/null
}

# What is asked for at once is more than there is of one kind: little by little.
reclaim_some()
{
	want=$(($(cached_kib) * 3 / 4))
	tries=0
	while [ "$(cached_kib)" -gt "$want" ] && [ "$tries" -lt 200 ]; do
		echo 256K >"$group"/memory.reclaim 2>/dev/null || true
		tries=$((tries + 1))
	done
}

told()
{
	for pass in 1 2 3; do
		read_all
	done
	before_kib=$(cached_kib)
	reclaim_some
	echo "# $prog: $before_kib KiB in memory, $(cached_kib) after reclaim"
	before=$(stalled)
	read_all
	echo "# $prog: pass $pass, stalled for $(($(stalled) - before)) us"
	[ "$(stalled)" -gt "$before" ]
}

# One way to choose what goes, on every kernel
[ ! -e /sys/kernel/mm/lru_gen/enabled ] || echo 0 >/sys/kernel/mm/lru_gen/enabled
# An inode that went would take along what is known of its pages.
pressure=$(cat /proc/sys/vm/vfs_cache_pressure)
echo 0 >/proc/sys/vm/vfs_cache_pressure
drop_caches
mount -t dsfs "$disk" "$dir"
own_group memory
echo $$ >"$group"/cgroup.procs
check "a file that memory was too short for is a stall" told
echo $$ >/sys/fs/cgroup/cgroup.procs
umount "$dir"
rmdir "$group"
echo "$pressure" >/proc/sys/vm/vfs_cache_pressure
exit $failed
