#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# nomem.sh DEVICE SMALLER [SUMS] - where metadata in memory lies and shows up, and metadata that is
# larger than the memory that is free: what fits in a half of it is resident, a warning says so,
# and nothing else on the machine suffers.
#
# DEVICE holds an image with some 10 MiB of metadata or more.  A tmpfs takes the rest of
# the memory, since nothing can be reclaimed of it.  It is mounted where the kernel's estimate is
# wrong, too: no process is killed for that, and SMALLER, with a few MiB, is mounted after it.
# SUMS says of itself that the checksums of its metadata alone are as large as DEVICE's metadata.
set -eu
. "$(dirname "$0")/lib.sh"

dev=$1 smaller=$2 sums=${3:-}
dir=$(mktemp -d)
hog=$(mktemp -d)

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

# fits_in_part ARG...: mounted, with a warning that says how much of it is in memory: sets kib
fits_in_part()
{
	try "$@" "$dev" "$dir" || return 1
	sed 's/^/# /' /tmp/said
	rc=0
	kib=$(($(cat "/sys/fs/dsfs/${dev##*/}/metadata_resident_bytes") / 1024))
	[ -d "$dir" ] && [ ! -e "$dir/not-there" ] || rc=1
	umount "$dir"
	said="metadata needs .* KiB of memory, at most .* are free: $kib are resident"
	[ "$rc" -eq 0 ] && grep -q "^OK: .*$said" /tmp/said
}

# A half of what is free
in_part()
{
	fits_in_part && [ "$kib" -ge $((need / 4)) ] && [ "$kib" -lt $((need / 2)) ]
}

oom_kills()
{
	awk '$1 == "oom_kill" { print $2 }' /proc/vmstat
}

# The kernel counts as available what nobody gets.
lazy_in_the_end()
{
	kills=$(oom_kills)
	rc=0
	fits_in_part -s "$need" || rc=$?
	echo "# $prog: $(($(oom_kills) - kills)) processes were killed"
	[ "$rc" -eq 0 ] && [ "$(oom_kills)" = "$kills" ] && [ "$kib" -lt $((need / 100)) ]
}

# How often somebody had to look for memory himself
stalls()
{
	awk '/^allocstall/ { n += $2 } END { print n }' /proc/vmstat
}

# To try what cannot be had would take it from all others.
refused_at_once()
{
	before=$(stalls)
	! trymount -o "$1" "$sums" "$dir" >/tmp/said || { umount "$dir"; return 1; }
	after=$(stalls)
	sed 's/^/# /' /tmp/said
	echo "# $prog: $((after - before)) stalls"
	[ "$after" -eq "$before" ] && grep -q '^ENOMEM: .*metadata needs' /tmp/said
}

accepted()
{
	try -o "$1" "${2:-$dev}" "$dir" && umount "$dir"
}

# --- where it shows up ------------------------------------------------------------------

# The areas of the module; N0=12 N1=13: pages by node
areas()
{
	grep ' dsfs_mem_[a-z_]*+.*\[dsfs\] pages=' /proc/vmallocinfo || true
}

in_vmallocinfo()
{
	areas | awk '{ kib += $2 / 1024 } END { print kib + 0 }'
}

vmalloc_used()
{
	awk '$1 == "VmallocUsed:" { print $2 }' /proc/meminfo
}

# Half of what an even share would be, at the least
on_all_nodes()
{
	areas | tr ' ' '\n' | awk -F = -v want=$((need / 4 / 4)) \
		'/^N[0-9]*=/ { pages[$1] += $2 }
		 END { for (n in pages) { nodes++; if (pages[n] < want) few++ } exit few || nodes != 2 }'
}

on_one_node()
{
	areas | grep -q ' N0=' && ! areas | grep -q ' N1='
}

spread()
{
	mount.dsfs "$dev" "$dir"
	echo "# $prog: $(areas)"
	check "mount.dsfs puts a share of it on each node" on_all_nodes
	umount "$dir"
	own_group cpuset
	echo 0 >"$group"/cpuset.mems
	in_group mount.dsfs "$dev" "$dir"
	check "but on those only that the cpuset allows" on_one_node
	umount "$dir"
	rmdir "$group"
}

found()
{
	before=$(vmalloc_used)
	check "there is none without a mount" [ "$(in_vmallocinfo)" -eq 0 ]
	mount -t dsfs "$dev" "$dir"
	comment "$prog: $need KiB of metadata: $(in_vmallocinfo) KiB in /proc/vmallocinfo," \
		"VmallocUsed $(($(vmalloc_used) - before)) KiB more"
	check "vmallocinfo has metadata under its name" [ "$(in_vmallocinfo)" -ge "$need" ]
	check "VmallocUsed has it" [ $(($(vmalloc_used) - before)) -ge $((need * 9 / 10)) ]
	umount "$dir"
	[ ! -d /sys/devices/system/node/node1 ] || spread
	check "no memory cgroup is charged for it" charged_to_nobody
}

# Who mounts has a limit below what the metadata takes.
charged_to_nobody()
{
	own_group memory
	echo $((need / 4))K >"$group"/memory.max
	in_group mount -t dsfs "$dev" "$dir"
	usable=$?
	kib=$(($(cat "$group"/memory.current) / 1024))
	echo "# $prog: $kib KiB are charged to who mounted $need KiB of metadata"
	umount "$dir" || usable=1
	rmdir "$group"
	[ "$usable" -eq 0 ] && [ "$kib" -lt $((need / 8)) ]
}

# At times the memory is there after all: then nothing was tried.
lazy_at_last()
{
	lazy_in_the_end || { ! grep -q resident /tmp/said && lazy_in_the_end; }
}

# Lists of free pages that processors keep grow to 40 MB here (from 6.7 on), which neither
# count as free nor are given to another processor before the OOM killer comes.
echo 1000000 >/proc/sys/vm/percpu_pagelist_high_fraction
need=$(metadata_kib "$dev")
take_memory $((need * 3 / 4))
check "more metadata than memory: what fits is resident" in_part
check "and can be mounted with meta=lazy" accepted meta=lazy
for opts in ${sums:+meta=resident meta=lazy}; do
	check "checksums beyond all memory are refused at once, $opts" refused_at_once "$opts"
done
umount "$hog"
check "and with meta=resident when there is memory" accepted meta=resident
check "memory that only seems to be there brings no OOM killer" lazy_at_last
check "and the mount goes on when it is there" accepted meta=resident "$smaller"
# After it: what a mount gives back comes back in its own time.
found
exit $failed
