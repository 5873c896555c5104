#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# nomem.sh DEVICE SMALLER - where metadata in memory lies and shows up, and metadata that is larger
# than the memory that is free: the mount is refused and says what would help, before
# anything else on the machine suffers.
#
# DEVICE holds an image with some 10 MiB of metadata or more.  A tmpfs takes the rest of
# the memory, since nothing can be reclaimed of it.  It is mounted where the kernel's estimate is
# wrong, too: no process is killed for that, and SMALLER, with a few MiB, is mounted after it.
set -eu
here=$(dirname "$0")
prog=nomem
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

dev=$1 smaller=$2
dir=$(mktemp -d)
hog=$(mktemp -d)
log=$(mktemp)

metadata_kib()
{
	mount -t dsfs -o meta=lazy "$1" "$dir"
	echo $(($(cat "/sys/fs/dsfs/${1##*/}/metadata_bytes") / 1024))
	umount "$dir"
}

available()
{
	awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo
}

# All but so many KiB.  What is available is an estimate: again until it is right.
take_memory()
{
	drop_caches
	mount -t tmpfs -o size=100% none "$hog"
	for part in 1 2 3 4 5 6 7 8; do
		take=$((($(available) - $1) / 1024))
		[ $take -gt 0 ] || break
		dd if=/dev/zero of="$hog/$part" bs=1024k count=$take 2>/dev/null || break
	done
	echo "# $prog: $(available) KiB are available"
}

refused()
{
	! "$here/trymount" "$dev" "$dir" >"$log" &&
		grep -q '^ENOMEM: .*needs .* KiB of memory.*: mount with meta=lazy' "$log" && return
	sed 's/^/# /' "$log"
	return 1
}

oom_kills()
{
	awk '$1 == "oom_kill" { print $2 }' /proc/vmstat
}

# The kernel counts as available what nobody gets.
refused_in_the_end()
{
	# What mounts before this one gave back may be with the slab cache still.
	echo 1 >/sys/kernel/slab/dsfs_metadata/shrink
	kills=$(oom_kills)
	rc=0
	"$here/trymount" -s "$need" "$dev" "$dir" >"$log" || rc=$?
	sed 's/^/# /' "$log"
	echo "# $prog: trymount gave $rc, $(($(oom_kills) - kills)) processes were killed"
	[ "$rc" -ne 0 ] || umount "$dir"
	[ "$rc" -eq 1 ] && [ "$(oom_kills)" = "$kills" ] &&
		grep -q '^ENOMEM: .*there were no more than .*: mount with meta=lazy' "$log"
}

accepted()
{
	"$here/trymount" -o "$1" "${2:-$dev}" "$dir" >"$log" || { cat "$log"; return 1; }
	umount "$dir"
}

# --- where it shows up ------------------------------------------------------------------

# Objects of the slab cache, each a block of 4 KiB; "N0=12 N1=13" behind them
objects()
{
	cat /sys/kernel/slab/dsfs_metadata/objects
}

in_slabinfo()
{
	awk '$1 == "dsfs_metadata" { kib = $2 * $4 / 1024 } END { print kib + 0 }' /proc/slabinfo
}

unreclaimable()
{
	awk '$1 == "SUnreclaim:" { print $2 }' /proc/meminfo
}

# Half of what an even share would be, at the least
on_all_nodes()
{
	objects | tr ' ' '\n' | awk -F = -v want=$((need / 4 / 4)) \
		'/^N/ { nodes++; if ($2 < want) few++ } END { exit few || nodes != 2 }'
}

found()
{
	before=$(unreclaimable)
	check "there is none without a mount" [ "$(in_slabinfo)" -lt 1024 ]
	mount -t dsfs "$dev" "$dir"
	echo "# $prog: $need KiB of metadata: $(in_slabinfo) KiB in /proc/slabinfo, SUnreclaim $(($(unreclaimable) - before)) KiB more, objects $(objects)"
	check "slabinfo has metadata under its name" [ "$(in_slabinfo)" -ge "$need" ]
	check "SUnreclaim has it" [ $(($(unreclaimable) - before)) -ge $((need * 9 / 10)) ]
	[ ! -d /sys/devices/system/node/node1 ] ||
		check "all nodes have their share of it" on_all_nodes
	umount "$dir"
	check "no memory cgroup is charged for it" charged_to_nobody
}

# Who mounts has a limit below what the metadata takes.
charged_to_nobody()
{
	mkdir -p /sys/fs/cgroup
	[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	group=/sys/fs/cgroup/mounter
	mkdir "$group"
	echo $((need / 4))K >"$group"/memory.max
	sh -c "echo \$\$ >$group/cgroup.procs; exec mount -t dsfs $dev $dir"
	usable=$?
	kib=$(($(cat "$group"/memory.current) / 1024))
	echo "# $prog: $kib KiB are charged to who mounted $need KiB of metadata"
	umount "$dir" || usable=1
	rmdir "$group"
	[ "$usable" -eq 0 ] && [ "$kib" -lt $((need / 8)) ]
}

# Lists of free pages that processors keep grow to 40 MB here (from 6.7 on), which neither
# count as free nor are given to another processor before the OOM killer comes.
echo 1000000 >/proc/sys/vm/percpu_pagelist_high_fraction
need=$(metadata_kib "$dev")
take_memory $((need * 3 / 4))
check "more metadata than memory is refused" refused
check "and can be mounted with meta=lazy" accepted meta=lazy
umount "$hog"
check "and with meta=resident when there is memory" accepted meta=resident
check "memory that only seems to be there brings no OOM killer" refused_in_the_end
check "and the mount goes on when it is there" accepted meta=resident "$smaller"
# After it: what a mount gives back comes back in its own time.
found
rm -f "$log"
rmdir "$dir" "$hog"
exit $failed
