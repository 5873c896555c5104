#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh SECONDS FILES SIDE-FILES OPTIONS - the part of tests/pressure/run in the guest.
#
# Disks (serials): main, with 1.6 times the guest's memory, and side.  What the
# kernel has of memory at the end is compared with what it had after a short run
# of the same: first runs fill caches that stay.
set -eu
here=$(dirname "$0")
prog=pressure
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

seconds=$1 files=$2 side_files=$3 options=$4
main=$(readlink -f /dev/drive/main)
side=$(readlink -f /dev/drive/side)
dir=/mnt/main
scratch=/mnt/scratch
mkdir -p "$dir" "$scratch"

# Of what the kernel can't give back, KiB.
kept()
{
	drop_caches
	awk '{ v[$1] = $2 }
	     END { print v["MemTotal:"] - v["MemFree:"] - v["Cached:"] - v["Buffers:"] - v["SReclaimable:"] }' \
		/proc/meminfo
}

slab()
{
	awk '$1 == "SUnreclaim:" { print $2 }' /proc/meminfo
}

# The files of the data set, against the memory there is.
enough_data()
{
	data=$(($(df -k "$dir" | awk 'NR == 2 { print $2 }')))
	memory=$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)
	echo "# $prog: $data KiB of data, $memory KiB of memory, $files files"
	[ $((data * 10)) -ge $((memory * 16)) ]
}

session()
{
	mount -t tmpfs -o size=16m none "$scratch"
	mount -t dsfs -o "$options" "$main" "$dir"
	check "1.6 times the memory's worth of data" enough_data
	rc=0
	"$here/pressure" --seconds="$1" --files="$files" --dev="$main" --side="$side" \
		--side-files="$side_files" --scratch="$scratch" "$dir" || rc=$?
	for counter in checksum_errors io_errors structure_errors; do
		[ "$(cat "/sys/fs/dsfs/${main##*/}/$counter")" = 0 ] || not_ok "no $counter"
	done
	umount "$dir" "$scratch"
	return $rc
}

# Whatever the number of rounds was.
no_more_than()
{
	echo "# $prog: $1: $3 KiB before, $4 KiB after"
	[ $(($4 - $3)) -le "$2" ]
}

echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/small
echo 32M >/sys/fs/cgroup/small/memory.max

session 3 >/tmp/first || { cat /tmp/first; not_ok "a first short run"; }
before=$(kept)
slab_before=$(slab)
session "$seconds" || failed=1
after=$(kept)
check "memory comes back" no_more_than "memory that the kernel keeps" 12288 "$before" "$after"
check "slabs come back" no_more_than "unreclaimable slabs" 6144 "$slab_before" "$(slab)"
check "no OOM kill in the small cgroup" \
	grep -qx 'oom_kill 0' /sys/fs/cgroup/small/memory.events
rmdir /sys/fs/cgroup/small

# Nobody but the test may load the module.
echo >/proc/sys/kernel/modprobe
mount -t tmpfs -o size=16m none "$scratch"
"$here/pressure" --module=/modules/dsfs.ko --seconds=$((seconds / 6 + 1)) --files="$files" \
	--dev="$main" --side="$side" --side-files="$side_files" --scratch="$scratch" "$dir" ||
	failed=1
umount "$scratch"

# After its first report, or out of memory of its own, lockdep sees nothing more.
case $(uname -r) in
*-lockdep)
	check "lockdep lasted to the end" grep -q '^ *debug_locks: *1$' /proc/lockdep_stats ;;
esac
exit $failed
