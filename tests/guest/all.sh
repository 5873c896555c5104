#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# all.sh - everything that is checked of mounted images, in one boot.
#
# Disks (serials): the images of tests/tools/mkimages by their names, whose listings and places
# lie in $REF (default: /ref); writable: zoo again, on a disk that could be written; pext4:
# plain on ext4; plain4k, misaligned4k: on disks of larger blocks; oneblock: many with
# a block of metadata damaged; sums: see nomem.sh; bad-*: packed with a broken frame or chunk;
# xfs: an empty one, which is written to.  Arguments: names of steps, to run only those.
#
# --fewer, in front of them: each way to list, to read and to iterate, but of fewer files and
# without the directory of a million entries.  What is left out depends on the size of a
# file and the shape of a tree, which are the same code on all kernels.  Each is told as a
# case that was skipped.
# shellcheck disable=SC3043 # local, see tests/harness/cases.sh
set -eu
fewer=
sample=20
[ "${1:-}" != --fewer ] || { fewer=1 sample=7; shift; }
prog=vm
. "$(dirname "$0")/lib.sh"

drives=/dev/drive
ref=${REF:-/ref}
mkdir -p /mnt/scratch

# left_out NAME: with --fewer, a case that is skipped
left_out()
{
	[ -n "$fewer" ] && skip "$1" "--fewer: make check-long has it"
}

# The kernel's own name of a disk: sysfs knows no other.
real()
{
	readlink -f "$drives/$1"
}

dsfs()
{
	mkdir -p "/mnt/$1"
	mount -t dsfs -o "${2:-ro}" "$(real "$1")" "/mnt/$1"
}

ext4()
{
	mkdir -p "/mnt/$1"
	mount -t ext4 -o ro "$(real "$1")" "/mnt/$1"
}

# on NAME OPTIONS CMD...: while it is mounted
on()
{
	local name="$1"

	dsfs "$1" "$2"
	shift 2
	"$@"
	umount_after_rings "/mnt/$name"
}

# same_listing NAME: the mount's listing is the source's.
same_listing()
{
	listing "/mnt/$1" >/tmp/list || return 1
	same_file "$ref/${2:-$1}.list" /tmp/list
}

# listed NAME OPTIONS [LISTING]
listed()
{
	on "$1" "$2" check "listing of $1, $2" same_listing "$1" "${3:-$1}"
}

# Files that nobody has opened by their first names
later_name_first()
{
	awk -F '\t' '$2 == "f" && $10 != "-" && !/^[^\t]*[ \\]/ { print $1, $10 }' \
		"$ref/zoo.list" >/tmp/links
	while read -r later first; do
		cmp "/mnt/zoo$later" "/mnt/zoo$first" || return 1
	done </tmp/links
	[ -s /tmp/links ]
}

step_listings()
{
	on zoo ro check "files by their later names first" later_name_first
	listed zoo ro
	listed zoo meta=lazy,verify=off,wholefile=0
	listed zoo meta=200K
	listed plain ro
	left_out 'listing of jpegs' && return
	listed jpegs ro
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
	name=$1 opts=$2
	shift 2
	echo "# reads: $name, $opts"
	on "$name" "$opts" part reads --ref=/mnt/pext4 --dev="$(real "$name")" --holes=65536 \
		--strict "$@" "/mnt/$name"
}

# A file that is brought in whole although it is more than one read takes.
large_whole()
{
	on plain "$1" check "a file of 8.4 MB is the same, $1" \
		cmp /mnt/plain/sizes/8400123 /mnt/pext4/sizes/8400123
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
		reads_of plain ro --small-chunk=262144 --wholefile=1048576 "--sample=$sample" --largest=300000
	else
		reads_of plain ro --small-chunk=262144 --wholefile=1048576 --sample=30
		reads_of plain verify=off --wholefile=1048576 --sample=20 --largest=140000
	fi
	reads_of misaligned wholefile=64K --wholefile=65536 "--sample=$sample" --largest=140000
	reads_of nosums meta=lazy --wholefile=1048576 "--sample=$sample" --largest=140000
	reads_of misaligned meta=64K --wholefile=1048576 "--sample=$sample" --largest=140000
	umount_after_rings /mnt/pext4
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

# one_block OPTIONS: the second block of many's names is damaged.  No other is missed, where pages
# are larger, too.
one_block()
{
	dsfs many "$1"
	ls /mnt/many/dirs >/tmp/dirs
	umount /mnt/many
	dsfs oneblock "$1"
	(cd /mnt/oneblock/dirs && xargs stat -c %n </tmp/dirs >/dev/null 2>/tmp/said) || true
	missed=$(grep -c 'Bad message' /tmp/said || true)
	umount /mnt/oneblock
	echo "# $prog: $missed of many's directories cannot be had"
	[ "$missed" -eq "$(cat "$ref/oneblock.names")" ]
}

step_oneblock()
{
	for opts in meta=resident meta=lazy meta=64K; do
		check "a bad block of metadata costs what is in it, $opts" one_block "$opts"
	done
}

too_large_blocks()
{
	refused EINVAL '' -l "$(real misaligned4k)" /mnt/scratch &&
		refused EINVAL "block size of the device is 4096, more than the image's alignment of 512" \
			"$(real misaligned4k)" /mnt/scratch
}

# Small files share blocks of a disk that can read no less than a block.
step_blocks()
{
	on plain4k ro check "listing from a disk of 4 KiB blocks" same_listing plain4k plain
	ext4 pext4
	reads_of plain4k ro --small-chunk=262144 --wholefile=1048576 "--sample=$sample" --largest=300000
	umount /mnt/pext4
	check "a disk of larger blocks than the image's alignment is refused" too_large_blocks
}

step_dirs()
{
	ext4 pext4
	on plain ro part "$here/dirs" --ref=/mnt/pext4 /mnt/plain
	umount /mnt/pext4
	on zoo meta=lazy part "$here/dirs" /mnt/zoo
	left_out 'dirs: a directory of a million entries' && return
	on flat ro part "$here/dirs" --entries="$(cat "$ref/flat.entries")" /mnt/flat
}

step_attrs()
{
	ext4 pext4
	on plain ro part attrs --dsfs --strict --label=plain --ref=/mnt/pext4 /mnt/plain
	umount /mnt/pext4
	on zoo ro part attrs --dsfs --strict --label=zoo /mnt/zoo
}

step_stacks()
{
	mount -t tmpfs none /mnt/scratch
	on zoo ro part stacks /mnt/zoo /mnt/scratch
	on zoo ro part "$here/overlay.sh" /mnt/zoo /mnt/scratch
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

# Where the names of flat lie comes with the tree.
step_slowmeta()
{
	# shellcheck disable=SC2046 # two numbers
	part "$here/slowmeta.sh" "$(real many)" "$(real flat)" $(cat "$ref/flat.names")
}

step_silent()
{
	# shellcheck disable=SC2046 # two numbers
	part "$here/silent.sh" "$(real flat)" $(cat "$ref/flat.names")
}

step_yields()
{
	on many ro part yields --check fiemap /mnt/many/sparse
	on flat ro part yields --check readdir /mnt/flat
}

# What users make the kernel keep is theirs: a directory costs 56 bytes at least that cannot
# be reclaimed alone, and walking them is what has them kept.
walker_is_charged()
{
	own_group memory
	drop_caches
	in_group find /mnt/many >/tmp/walked
	charged=$(awk '$1 == "slab_unreclaimable" { print $2 }' "$group"/memory.stat)
	rmdir "$group"
	walked=$(($(wc -l </tmp/walked) - 1))
	echo "# $prog: $charged bytes for $walked directories and a file"
	[ "$walked" -gt 10000 ] && [ "$charged" -ge $((walked * 56)) ]
}

step_charged()
{
	on many ro check "who walks a tree is charged for its directories" walker_is_charged
}

# Images of version 1: what tests/golden/frozen has of each
step_frozen()
{
	for image in "$ref"/v1/*.dsfs; do
		loop=$(losetup -f)
		losetup -r "$loop" "$image"
		mkdir -p /mnt/frozen
		mount -t dsfs -o "${1:-ro}" "$loop" /mnt/frozen
		check "version 1: ${image##*/}, ${1:-ro}" same_listing frozen "v1/$(basename "$image" .dsfs)"
		umount /mnt/frozen
		losetup -d "$loop"
	done
	[ $# -gt 0 ] || step_frozen meta=lazy
}

# Images of tests/cli/edit_model.py: each generation that they keep
step_edits()
{
	local image list number

	mkdir -p /mnt/edits
	for list in "$ref"/edits/*.list; do
		number=${list%.list} number=${number##*.}
		image=${list%".$number.list"}
		loop=$(losetup -f)
		losetup -r "$loop" "$image.dsfs"
		mount -t dsfs -o "generation=$number" "$loop" /mnt/edits
		check "edits: ${image##*/}, generation $number" made_alike
		umount /mnt/edits
		losetup -d "$loop"
	done
}

made_alike()
{
	listing --as-packed /mnt/edits >/tmp/list || return 1
	same_file "$list" /tmp/list
}

fsids_differ()
{
	[ "$(stat -f -c %i /mnt/gen1)" != "$(stat -f -c %i /mnt/gen2)" ]
}

step_generations()
{
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
	dsfs plainly
	part "$here/stuck.sh" "$(real packed)" text1000000 /mnt/plainly/text1000000 ro
	part "$here/stuck.sh" "$(real packed4)" text1000000 /mnt/plainly/text1000000 wholefile=0
	part "$here/stuck.sh" "$(real packed)" small/40 /mnt/plainly/small/40 meta=lazy
	umount /mnt/plainly
}

# beside_of IMAGE OPTIONS KIND PATH OTHER, of a copy in memory: a disk takes no time with -icount
beside_of()
{
	cp "$(real "$1")" /tmp/copy
	loop=$(losetup -f)
	losetup -r "$loop" /tmp/copy
	mkdir -p "/mnt/$1"
	mount -t dsfs -o "$2" "$loop" "/mnt/$1"
	echo "# beside: $1, $2: $4 beside $5"
	part "$here/beside" "$3" "/mnt/$1/$4" "/mnt/$1/$5"
	umount "/mnt/$1"
	losetup -d "$loop"
}

# What tasks share: decoders, the folios of a file, plain and compressed, metadata
step_beside()
{
	prog=beside own_group cpu
	beside_of packed ro data text110000 text1000000
	beside_of packed ro data text110000 text110000
	beside_of plainly ro data text1000000 text1000000
	beside_of plainly ro maps text1000000 text1000000
	beside_of packed ro maps text1000000 text1000000
	beside_of plainly meta=lazy meta small/10 small/11
}

step_notags()
{
	part "$here/notags.sh" "$(real plain)" sizes/32768
}

step_apart()
{
	part "$here/apart.sh" "$(real nest)" "$ref/gen1.list" "$(real jpegs)" "$ref/jpegs.meta" \
		"$(real zoo)"
}

# By one page, by many, and by what programs say that they will read
step_windows()
{
	part "$here/windows.sh" "$(real plain)" sizes/8400123 "$ref/plain.start" sizes/32768
}

# Small files that are one chunk
step_small()
{
	part "$here/small.sh" "$(real plain)" sizes/262143 "$ref/small.start" 262143 sizes/65537
	ext4 pext4
	reads_of plain wholefile=64K --wholefile=65536 --small-chunk=262144 "--sample=$sample" --largest=300000
	umount_after_rings /mnt/pext4
}

step_counters()
{
	part "$here/counters.sh" "$(real plain)" sizes/8400123 "$ref/plain.start" sizes/32768
}

# Its folios are first added without waiting for memory. Where a limit has been met, that fails, and
# who then reclaims goes on with the read. What fills the group is pages of the disk.
whole_in_full_group()
{
	stats=/sys/fs/dsfs/$(basename "$(real plain)")/stats

	own_group memory
	echo 6M >"$group"/memory.max
	in_group head -c 16777216 "$(real plain)" >/dev/null
	before=$(awk '$1 == "max" { print $2 }' "$group"/memory.events)
	in_group cat /mnt/plain/sizes/1048576 >/dev/null || return 1
	met=$(($(awk '$1 == "max" { print $2 }' "$group"/memory.events) - before))
	rmdir "$group"
	said=$(cat "$stats"/requests_whole "$stats"/requests_ahead "$stats"/requests_page | paste -s)
	echo "# $prog: the limit was met $met times, requests by kind: $said"
	[ "$met" -gt 0 ] && [ "$said" = "$(printf '1\t0\t0')" ]
}

step_refaults()
{
	part "$here/refaults.sh" "$(real plain)" dirs/5000
	on plain ro check "a file is read whole by one request in a full memory cgroup" \
		whole_in_full_group
}

# one_request_a_file PATTERN DIR
one_request_a_file()
{
	requests --pattern="$1" "$2" >/tmp/requests || return 1
	sed 's/^/# requests: dsfs: /' /tmp/requests
	awk '{ for (i = 1; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] } }
		END { exit v["requests"] != v["files"] }' /tmp/requests
}

# The commands of dsfs(8)
step_tool()
{
	part "$here/tool.sh" "$(real ordered)" "$ref/ordered.places"
}

# Archives that share their blocks with an image.  There is no mkfs.dsfs for other machines.
step_shards()
{
	left_out 'archives that share their blocks with an image' && return
	[ -e "$drives/xfs" ] || return 0
	part "$here/shards.sh" "$(real xfs)" "$ref/shard-000000.tar" "$ref/shard-000001.tar" \
		"$ref/shard-000002.tar"
}

# one_a_file WHAT DIR
one_a_file()
{
	for pattern in whole pil imread mmap; do
		check "one request a $1, $pattern" one_request_a_file "$pattern" "$2"
	done
}

step_requests()
{
	on jpegs ro one_a_file file /mnt/jpegs
}

# encoded: FIEMAP says so of what is compressed, and the blocks of stat are those of its frames
encoded()
{
	filefrag -v /mnt/packed/text1000000 | grep -q encoded &&
		[ "$(stat -c %b /mnt/packed/text1000000)" -lt 1000 ]
}

# A large file in one read: windows and their parts count what is stored.
few_requests()
{
	drop_caches
	disk=$(real packed)
	note_counts
	dd if=/mnt/packed/text3000001 bs=3000001 count=1 of=/dev/null 2>/dev/null
	echo "# $prog: $(grown requests_ahead) requests of 3 MB"
	[ "$(grown requests_ahead)" -le 3 ]
}

in_packed()
{
	[ -z "$(command -v filefrag)" ] || check "FIEMAP of a compressed file" encoded
	check "a large compressed file takes few requests" few_requests
	one_a_file "compressed file" /mnt/packed/small
}

broken=text3000001

# others IMAGE: sums of all that is far from the broken place
others()
{
	dd if="/mnt/$1/$broken" bs=4096 skip=700 count=1 2>/dev/null | md5sum
	(cd "/mnt/$1" && find . -type f ! -name "$broken" -exec md5sum {} + | sort)
}

# broken_costs IMAGE COUNTER MESSAGE: an error that is counted, and nothing else
broken_costs()
{
	disk=$(real "$1")
	! cat "/mnt/$1/$broken" >/dev/null 2>/tmp/said && grep -q "$3" /tmp/said &&
		[ "$(cat "/sys/fs/dsfs/${disk##*/}/$2")" -gt 0 ] || return 1
	others plainly >/tmp/want
	others "$1" >/tmp/have
	same_file /tmp/want /tmp/have
}

# Compressed files, beside the same ones as they are
step_packed()
{
	dsfs plainly
	for image in packed packed4; do
		listed "$image" ro packed
		listed "un$image" ro packed
		for opts in wholefile=0,cache=epoch ro verify=off,meta=lazy; do
			on "$image" "$opts" part reads --ref=/mnt/plainly \
				--dev="$(real "$image")" --unit=131072 --strict "/mnt/$image"
			left_out "reads of $image as other mounts have it" && break
		done
	done
	on packed ro in_packed
	for image in bad-head bad-token bad-end; do
		on "$image" ro check "a broken unit: $image" \
			broken_costs "$image" structure_errors 'needs cleaning'
	done
	on bad-chunk ro check "a broken chunk of a compressed file" \
		broken_costs bad-chunk checksum_errors 'Bad message'
	umount /mnt/plainly
}

[ $# -gt 0 ] || set -- listings frozen reads packed blocks dirs attrs stacks stuck notags apart windows \
	small counters refaults nfs mounts generations edits dirty slowmeta silent oneblock yields \
	charged tool shards requests
for step in "$@"; do
	start=$(cut -d ' ' -f 1 /proc/uptime)
	"step_$step"
	echo "# $step: $(awk -v a="$start" '{ print $1 - a }' /proc/uptime) s"
done
exit $failed
