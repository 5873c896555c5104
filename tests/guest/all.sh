#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# all.sh - everything that is checked of mounted images, in one boot.
#
# Disks (serials): zoo plain misaligned nosums small flat jpegs: images made by
# tests/tools/mkimages, writable: zoo again, on a disk that could be written,
# pext4 jext4: the same trees on ext4; many, wide; oneblock: many with a block of metadata damaged; gen1, and gen2, which is gen1 updated, other: gen1 with another UUID,
# nest: gen1's image in an image; packed packed4: compressed, plainly: the same files as they are; xfs: an empty one, which is written to; ordered: gen1 in an order of its own, /ref/ordered.places.  Listings of the
# sources lie in /ref.  Arguments: names of steps, to run only those.
#
# --fewer, in front of them: each way to list, to read and to iterate, but of fewer files and
# without the directory of a million entries.  What is left out depends on the size of a
# file and the shape of a tree, which are the same code on all kernels.  Each is told as a
# case that was skipped.
set -eu
fewer=
[ "${1:-}" != --fewer ] || { fewer=1; shift; }
prog=vm
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

disk=/dev/drive
mkdir -p /mnt/zoo /mnt/plain /mnt/misaligned /mnt/nosums /mnt/small /mnt/flat /mnt/jpegs /mnt/pext4 \
	/mnt/jext4 /mnt/scratch

# left_out NAME: with --fewer, a case that is skipped
left_out()
{
	[ -n "$fewer" ] && skip "$1" "--fewer: the main kernel has it, make check-long all"
}

# The kernel's own name of a disk: sysfs knows no other.
real()
{
	readlink -f "$disk/$1"
}

dsfs()
{
	mount -t dsfs -o "${2:-ro}" "$(real "$1")" "/mnt/$1"
}

ext4()
{
	mount -t ext4 -o ro "$(real "$1")" "/mnt/$1"
}

# same_listing NAME: the mount's listing is the source's.
same_listing()
{
	listing "/mnt/$1" >/tmp/list || return 1
	same_file "/ref/${2:-$1}.list" /tmp/list
}

# The same but for the root, where mke2fs has its own time and lost+found.
same_as_ext4()
{
	listing --skip=lost+found "/mnt/$1" | tail -n +2 >/tmp/list
	tail -n +2 "/ref/$2.list" | cmp -s /tmp/list - && return 0
	tail -n +2 "/ref/$2.list" | diff - /tmp/list | as_comments
	return 1
}

# listed NAME OPTIONS [LISTING]
listed()
{
	dsfs "$1" "$2"
	check "listing of $1, $2" same_listing "$1" "${3:-$1}"
	umount "/mnt/$1"
}

step_listings()
{
	listed zoo ro
	listed zoo meta=lazy,verify=off,wholefile=0
	listed zoo meta=200K
	listed plain ro
	left_out 'listing of jpegs' && left_out 'listing of the ext4 image' && return
	listed jpegs ro
	ext4 pext4
	check "listing of the ext4 image" same_as_ext4 pext4 plain
	umount /mnt/pext4
}

# A worker lets go of the files of an io_uring after its process has ended.  A mount that
# stays busy is what the time limit of the guest ends.
umount_after_rings()
{
	until umount "$1" 2>/dev/null; do
		grep -q " $1 " /proc/mounts
	done
}

# reads_of NAME OPTIONS EXTRA...
reads_of()
{
	name=$1
	opts=$2
	shift 2
	echo "# reads: $name, $opts"
	dsfs "$name" "$opts"
	part reads --ref=/mnt/pext4 --dev="$(real "$name")" --holes=65536 --strict "$@" "/mnt/$name"
	umount_after_rings "/mnt/$name"
}

# A file that is brought in whole although it is more than one read takes.
large_whole()
{
	dsfs plain "$1"
	check "a file of 8.4 MB is the same, $1" \
		cmp /mnt/plain/sizes/8400123 /mnt/pext4/sizes/8400123
	umount /mnt/plain
}

# More pages, where folios are single pages, than bio_alloc() has room for.
one_bio()
{
	dsfs plain wholefile=8M
	check "a file of 5 MiB is the same" cmp /mnt/plain/sizes/5242880 /mnt/pext4/sizes/5242880
	disk_name=$(real plain)
	check "a file of 5 MiB is one request of the file system" \
		grep -qx 1 "/sys/fs/dsfs/${disk_name##*/}/stats/requests_whole"
	umount /mnt/plain
}

step_reads()
{
	ext4 pext4
	one_bio
	large_whole wholefile=64M
	large_whole wholefile=64M,verify=off
	large_whole wholefile=0
	if [ -n "$fewer" ]; then
		left_out 'reads of plain: files above 300,000 bytes, and two of three others'
		reads_of plain ro --small-chunk=262144 --wholefile=1048576 --sample=20 --largest=300000
	else
		reads_of plain ro --small-chunk=262144 --wholefile=1048576 --sample=60
		reads_of plain verify=off --wholefile=1048576 --sample=20 --largest=140000
	fi
	reads_of misaligned wholefile=64K --wholefile=65536 --sample=20 --largest=140000
	reads_of nosums meta=lazy --wholefile=1048576 --sample=20 --largest=140000
	reads_of misaligned meta=64K --wholefile=1048576 --sample=20 --largest=140000
	umount_after_rings /mnt/pext4
	left_out 'reads of jpegs' && return
	ext4 jext4
	dsfs jpegs
	echo "# reads: jpegs"
	part reads --ref=/mnt/jext4 --dev="$(real jpegs)" --small-chunk=262144 --wholefile=1048576 --sample=3 /mnt/jpegs
	umount_after_rings /mnt/jpegs
	umount_after_rings /mnt/jext4
}

# Of listings and reads what an emulator of another CPU can take: data that is
# verified, shares blocks, and goes straight to the device; with metadata and a cache of our own.
step_short()
{
	small='--wholefile=1048576 --sample=10 --largest=140000'
	listed plain ro
	ext4 pext4
	large_whole wholefile=64M
	one_bio
	# shellcheck disable=SC2086
	{
		reads_of plain ro --small-chunk=262144 $small --largest=300000
		reads_of misaligned cache=epoch $small
		reads_of nosums meta=lazy,cache=epoch $small
	}
	umount_after_rings /mnt/pext4
}

# one_block OPTIONS: the second block of many's inode records is damaged.  No other is missed,
# where pages are larger, too.
one_block()
{
	dsfs oneblock "$1"
	ls -l /mnt/oneblock/dirs >/dev/null 2>/tmp/said || true
	missed=$(grep -c 'Bad message' /tmp/said || true)
	umount /mnt/oneblock
	echo "# $prog: $missed of many's directories cannot be had"
	[ "$missed" -eq $((4096 / 32)) ]
}

step_oneblock()
{
	mkdir -p /mnt/oneblock
	for opts in meta=resident meta=lazy meta=64K; do
		check "a bad block of metadata costs what is in it, $opts" one_block "$opts"
	done
}

# Small files share blocks of a disk that can read no less than a block.
step_blocks()
{
	mkdir -p /mnt/plain4k
	dsfs plain4k
	check "listing from a disk of 4 KiB blocks" same_listing plain4k plain
	umount /mnt/plain4k
	ext4 pext4
	reads_of plain4k ro --small-chunk=262144 --wholefile=1048576 --sample=20 --largest=300000
	umount /mnt/pext4
	part "$here/mountcase.sh" "$(real misaligned4k)" EINVAL \
		'block size of the device is 4096, more than the image.s alignment of 512'
}

step_dirs()
{
	ext4 pext4
	dsfs plain
	echo "# dirs: plain"
	part dirs --sorted --ref=/mnt/pext4 /mnt/plain
	umount /mnt/plain
	umount /mnt/pext4
	dsfs zoo meta=lazy
	echo "# dirs: zoo, meta=lazy"
	part dirs --sorted /mnt/zoo
	umount /mnt/zoo
	left_out 'dirs: a directory of a million entries' && return
	dsfs flat
	echo "# dirs: flat"
	part dirs --sorted --entries="$(cat /ref/flat.entries)" /mnt/flat
	umount /mnt/flat
}

step_attrs()
{
	ext4 pext4
	dsfs plain
	echo "# attrs: plain"
	part attrs --dsfs --strict --label=plain --ref=/mnt/pext4 /mnt/plain
	umount /mnt/plain
	umount /mnt/pext4
	dsfs zoo
	echo "# attrs: zoo"
	part attrs --dsfs --strict --label=zoo /mnt/zoo
	umount /mnt/zoo
}

step_stacks()
{
	mount -t tmpfs none /mnt/scratch
	dsfs zoo
	part stacks /mnt/zoo /mnt/scratch
	part "$here/overlay.sh" /mnt/zoo /mnt/scratch
	umount /mnt/zoo
	umount /mnt/scratch
}

step_nfs()
{
	dsfs zoo
	part "$here/nfs.sh" /mnt/zoo
	dsfs zoo meta=lazy
	part "$here/nfs.sh" /mnt/zoo subtree
}

step_mounts()
{
	part "$here/mounts.sh" "$(real writable)" "$(real zoo)" /modules/dsfs.ko
}

step_memory()
{
	part "$here/nomem.sh" "$(real flat)" "$(real wide)" "$(real sums)"
}

step_dirty()
{
	part "$here/dirty.sh" "$(real gen1)" "$(real gen2)"
}

# Where the inodes and names of flat lie comes with the tree.
step_slowmeta()
{
	# shellcheck disable=SC2046 # four numbers
	part "$here/slowmeta.sh" "$(real many)" "$(real flat)" $(cat /ref/flat.names)
}

step_silent()
{
	# shellcheck disable=SC2046 # four numbers
	part "$here/silent.sh" "$(real flat)" $(cat /ref/flat.names)
}

step_yields()
{
	mkdir -p /mnt/many
	dsfs many
	part yields --check fiemap /mnt/many/sparse
	umount /mnt/many
	dsfs flat
	part yields --check readdir /mnt/flat
	umount /mnt/flat
}

# What users make the kernel keep is theirs: a directory costs 56 bytes at least that cannot
# be reclaimed alone, and walking them is what has them kept.
walker_is_charged()
{
	mkdir -p /sys/fs/cgroup
	[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	group=/sys/fs/cgroup/walker
	mkdir "$group"
	drop_caches
	sh -c "echo \$\$ >$group/cgroup.procs; exec find /mnt/many" >/tmp/walked
	charged=$(awk '$1 == "slab_unreclaimable" { print $2 }' "$group"/memory.stat)
	rmdir "$group"
	walked=$(($(wc -l </tmp/walked) - 1))
	echo "# $prog: $charged bytes for $walked directories and a file"
	[ "$walked" -gt 10000 ] && [ "$charged" -ge $((walked * 56)) ]
}

step_charged()
{
	mkdir -p /mnt/many
	dsfs many
	check "who walks a tree is charged for its directories" walker_is_charged
	umount /mnt/many
}

# A processor without the crc32c instruction: the kernel's table says the same.
step_slowsums()
{
	listed plain ro
}

fsids_differ()
{
	[ "$(stat -f -c %i /mnt/gen1)" != "$(stat -f -c %i /mnt/gen2)" ]
}

step_generations()
{
	mkdir -p /mnt/gen1 /mnt/gen2
	dsfs gen1
	dsfs gen2
	check "two generations that are mounted have ids of their own" fsids_differ
	umount /mnt/gen1
	umount /mnt/gen2
	part "$here/generations.sh" "$(real gen2)" "$(real gen1)" "$(real other)"
}

# Whole files by read(2), and what the page cache asks for.
step_stuck()
{
	ext4 pext4
	for opts in ro wholefile=0 meta=lazy; do
		part "$here/stuck.sh" "$(real plain)" sizes/524289 /mnt/pext4/sizes/524289 "$opts"
	done
	umount /mnt/pext4
	mkdir -p /mnt/plainly
	dsfs plainly
	part "$here/stuck.sh" "$(real packed)" text1000000 /mnt/plainly/text1000000 ro
	part "$here/stuck.sh" "$(real packed4)" text1000000 /mnt/plainly/text1000000 wholefile=0
	part "$here/stuck.sh" "$(real packed)" small/40 /mnt/plainly/small/40 meta=lazy
	umount /mnt/plainly
}

step_notags()
{
	part "$here/notags.sh" "$(real plain)" sizes/32768
}

step_apart()
{
	part "$here/apart.sh" "$(real nest)" /ref/gen1.list "$(real jpegs)" /ref/jpegs.meta "$(real zoo)"
}

# By one page, by many, and by what programs say that they will read
step_windows()
{
	part "$here/windows.sh" "$(real plain)" sizes/8400123 /ref/plain.start sizes/32768
}

# Small files that are one chunk
step_small()
{
	part "$here/small.sh" "$(real plain)" sizes/262143 /ref/small.start 262143 sizes/65537
	ext4 pext4
	reads_of plain wholefile=64K --wholefile=65536 --small-chunk=262144 --sample=30 --largest=300000
	umount_after_rings /mnt/pext4
}

step_counters()
{
	part "$here/counters.sh" "$(real plain)" sizes/8400123 /ref/plain.start sizes/32768
}

step_refaults()
{
	part "$here/refaults.sh" "$(real plain)" dirs/5000
}

# one_request_a_file PATTERN [DIR]
one_request_a_file()
{
	requests --pattern="$1" "${2:-/mnt/jpegs}" >/tmp/requests || return 1
	sed 's/^/# requests: dsfs: /' /tmp/requests
	awk '{ for (i = 1; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] } }
		END { exit v["requests"] != v["files"] }' /tmp/requests
}

# The commands of dsfs(8)
step_tool()
{
	part "$here/tool.sh" "$(real ordered)" /ref/ordered.places
}

# Archives that share their blocks with an image.  There is no mkfs.dsfs for other machines.
step_shards()
{
	left_out 'archives that share their blocks with an image' && return
	[ -e "$disk/xfs" ] || return 0
	part "$here/shards.sh" "$(real xfs)" /ref/shard-000000.tar /ref/shard-000001.tar /ref/shard-000002.tar
}

step_requests()
{
	dsfs jpegs
	for pattern in whole pil imread mmap; do
		check "one request a file, $pattern" one_request_a_file "$pattern"
	done
	umount /mnt/jpegs
}

# encoded: FIEMAP says so of what is compressed, and the blocks of stat are those of its frames
encoded()
{
	filefrag -v /mnt/packed/text1000000 | grep -q encoded &&
		[ "$(stat -c %b /mnt/packed/text1000000)" -lt 1000 ]
}

# Compressed files, beside the same ones as they are
step_packed()
{
	mkdir -p /mnt/packed /mnt/packed4 /mnt/plainly
	dsfs plainly
	for image in packed packed4; do
		listed "$image" ro packed
		for opts in ro verify=off,meta=lazy wholefile=0,cache=epoch; do
			dsfs "$image" "$opts"
			part reads --ref=/mnt/plainly --dev="$(real "$image")" --unit=131072 \
				--strict "/mnt/$image"
			umount_after_rings "/mnt/$image"
		done
	done
	dsfs packed
	[ -z "$(command -v filefrag)" ] || check "FIEMAP of a compressed file" encoded
	for pattern in whole pil imread mmap; do
		check "one request a compressed file, $pattern" \
			one_request_a_file "$pattern" /mnt/packed/small
	done
	umount /mnt/packed
	umount /mnt/plainly
}

[ $# -gt 0 ] || set -- listings reads packed blocks dirs attrs stacks stuck notags apart windows small counters refaults nfs mounts generations \
	dirty slowmeta silent oneblock yields charged tool shards requests
for step in "$@"; do
	start=$(cut -d ' ' -f 1 /proc/uptime)
	"step_$step"
	echo "# $step: $(awk -v a="$start" '{ print $1 - a }' /proc/uptime) s"
done
exit $failed
