#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# faults.sh FILE START LARGE START SMALL START PAGE START META NAMES BYTES SUMS BYTES [STEP...] -
# devices that fail
#
# Disks (serials): image, packed.  FILE, which has chunks of 32 KiB and more than 98,304 bytes,
# begins at byte START of image and is /ref/file; so do LARGE, of more than 2.5 MiB, which is
# /ref/large, SMALL, of one chunk, which is /ref/small, and PAGE, of 4096 bytes in a block of its own, which is
# /ref/page; /ref/list is the listing of all; metadata begins at META; NAMES and SUMS are where
# names, and the checksums of metadata, lie.  Disk packed has compressed files, of which
# /ref/numbers is one, /ref/packed.list the listing; its metadata begins at /ref/packed.meta.
#
# The image is reached through the device mapper: a table in which a part is an
# error, or comes with a wrong byte, takes the place of one that is right, and
# goes again.  So nothing here depends on time.
#
# What is read has to be right or an error, always; the errors have to be those
# of Documentation/man/dsfs.5.rst; and when the device is right again, so has
# everything to be that was an error.
set -eu
. "$(dirname "$0")/lib.sh"

file=$1 start=$2 large=$3 large_start=$4 small=$5 small_start=$6 page=$7 page_start=$8
shift 8
metadata=$1 names=$2 names_bytes=$3 sums=$4 sums_bytes=$5
shift 5
disk=$(readlink -f /dev/drive/image)
list=/ref/list
dm=/dev/mapper/faulty
mkdir -p /mnt/dsfs

# broken FROM TO TARGET...: bytes [FROM, TO) are an error, or with flakey BYTE, one of each
# request is that.
broken()
{
	case $3 in
	error)	table "$1" "$2" error ;;
	flakey)	table "$1" "$2" flakey "$disk" @ 0 1 5 corrupt_bio_byte 1 r "$4" 0 ;;
	esac
}

# Another byte than the one at offset $1
other_than()
{
	byte=$(dd if="$disk" bs=1 skip="$1" count=1 2>/dev/null | od -An -tu1)
	echo $(((byte + 1) % 256))
}

heal()
{
	linear | become
}

begin()
{
	linear | dmsetup create faulty --readonly
	mount -t dsfs -o "${1:-ro}" "$dm" /mnt/dsfs
	find_name
}

find_name()
{
	name=$(name_of faulty)
	sys=/sys/fs/dsfs/$name
}

finish()
{
	check "$1: unmount" umount /mnt/dsfs
	dmsetup remove faulty
}

mark()
{
	count=$((${count:-0} + 1))
	echo "faults mark $count." >/dev/kmsg
}

# How many messages like REGEX there are since the mark.
said()
{
	dmesg | sed "1,/faults mark $count\\./d" | grep -cE "$1" || true
}

# The tree as it is: names of all, and an errno where contents cannot be had.
look()
{
	drop_caches
	listing /mnt/dsfs >/tmp/list 2>/tmp/errors || true
}

# With what is cached, and without.
listed()
{
	same && drop_caches && same
}

same()
{
	listing /mnt/dsfs >/tmp/list 2>/tmp/errors || true
	cmp -s /tmp/list "$list" && return 0
	diff "$list" /tmp/list | as_comments 10
	return 1
}

# Each line is right, or has an errno in place of the contents ($1: which).
right_or()
{
	want=$(echo "$1" | sed 's/EIO/!5/; s/EBADMSG/!74/')
	awk -F '\t' -v want="^($want)$" '
		NR == FNR { ref[$1] = $0; all++; next }
		ref[$1] == $0 { good++; next }
		{ split(ref[$1], r); line = $1
		  for (i = 2; i <= NF; i++) line = line FS (i == 11 && $i ~ want ? r[i] : $i)
		  if (line != ref[$1] || !($1 in ref)) { if (!wrong++) print "# " $0 } else bad++ }
		END { print "# faults: " good + 0 " right, " bad + 0 " with an error, of " all
		      exit wrong || !bad || good + bad != all }' "$list" /tmp/list
}

counter()
{
	cat "$sys/$1"
}

# data_errors ERRNO: sets n, how many were counted, and lines, how many were told
data_errors()
{
	case $1 in
	EIO)	n=$(counter io_errors) what='device offset [0-9]+ to [0-9]+: I/O error' ;;
	*)	n=$(counter checksum_errors)
		what='data at [0-9]+ to [0-9]+ \(device offset [0-9]+\): checksum is' ;;
	esac
	lines=$(said "dsfs \\($name\\): inode [0-9]+: $what")
	echo "# $prog: $n errors counted, $lines messages"
}

# --- data ------------------------------------------------------------------

reading()
{
	reads --ref="$ref" --bad="$range:$err" "/mnt/dsfs/$path"
}

# Each of them forgets, reads ahead and comes to the bad place while others do.
at_once()
{
	pids='' rc=0
	for i in 1 2 3 4; do
		reading >"/tmp/reads.$i" &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || rc=1
	done
	[ "$rc" -eq 0 ] || grep -h -e '^not ok' -e ': at ' /tmp/reads.? | as_comments
	return "$rc"
}

# One bad place in a file: by every way of reading, for its chunk alone.
# one_chunk FILE REF BYTE FROM LENGTH OPTIONS ERRNO TARGET...: the file, which begins at
# BYTE; the chunk's offset in it and length
one_chunk()
{
	path=$1 ref=$2 bad=$(($3 + $4)) range=$4-$(($4 + $5)) opts=$6 err=$7
	shift 7
	case="$* under one chunk of $path, $opts"
	begin "$opts"
	mark
	sector=$((bad + ((${range#*-} - ${range%-*}) >> 10 << 9)))
	broken "$sector" $((sector + 512)) "$@" | become
	reading || failed=1
	check "$case: readers at once" at_once
	look
	check "$case: all other files are right" right_or "$err"
	data_errors "$err"
	check "$case: it is counted and said" [ "$n" -ge 1 -a "$lines" -ge 1 ]
	heal
	check "$case: all is right afterwards" same
	finish "$case"
}

in_file()
{
	one_chunk "$file" /ref/file "$start" 65536 32768 "$@"
}

# Far enough for readahead to have come to folios of several chunks
in_large()
{
	one_chunk "$large" /ref/large "$large_start" $((2097152 + 65536)) 32768 "$@"
}

in_small()
{
	one_chunk "$small" /ref/small "$small_start" 0 "$(stat -c %s /ref/small)" "$@"
}

# The interrupt verifies what is so short.
in_page()
{
	one_chunk "$page" /ref/page "$page_start" 0 4096 "$@"
}

step_chunk()
{
	in_file ro EIO error
	in_file meta=lazy EIO error
	in_file ro EBADMSG flakey 1
	in_file wholefile=0 EBADMSG flakey 254
	in_large ro EIO error
	in_large ro EBADMSG flakey 254
	in_small ro EIO error
	in_small wholefile=0 EBADMSG flakey 254
	in_page ro EIO error
	in_page ro EBADMSG flakey 254
}

# chunk FILE NUMBER: its bytes, as a sum
chunk()
{
	dd if="$1" bs=32768 skip="$2" count=1 2>/dev/null | sha256sum
}

# A program that gets every other piece of more than a page only
in_pieces()
{
	sh -c 'echo 1 >/proc/self/make-it-fail && exec "$@"' sh "$@" 2>/dev/null
}

fail=/sys/kernel/debug/fail_page_alloc

refuse_pieces()
{
	for setting in task-filter=Y ignore-gfp-wait=N ignore-gfp-highmem=N min-order=1 \
		       verbose=0 times=-1 probability=50; do
		echo "${setting#*=}" >"$fail/${setting%%=*}"
	done
}

# Chunk 74 is bad.  Who reads 72, a multiple of 256 KiB, has the next ones read ahead
# with as large a folio; who reads the bad one has to put others in its place.
one_order()
{
	drop_caches
	dd if="$1" of=/dev/null bs=32768 count=72 2>/dev/null || return 1
	! in_pieces dd if="$1" of=/dev/null bs=4096 skip=$((74 * 8)) count=1 || return 1
	for i in 71 72 73 75 76 79 80; do
		[ "$(chunk "$1" "$i")" = "$(chunk /ref/large "$i")" ] || return 1
	done
}

# So folios of all sizes come where one was that could not be filled.
step_orders()
{
	wrong=0
	refuse_pieces
	begin ro
	bad=$((large_start + 74 * 32768))
	broken $((bad + 4096)) $((bad + 5120)) flakey 254 | become
	for round in $(seq 40); do
		one_order "/mnt/dsfs/$large" || { echo "# round $round"; wrong=1; }
	done
	check "memory in pieces: only the bad chunk is missed" [ "$wrong" -eq 0 ]
	echo 0 >"$fail/probability"
	heal
	check "memory in pieces: all is right afterwards" same
	finish "memory in pieces"
}

# The reader may have been lucky.
right_or_none()
{
	cmp -s /tmp/list "$list" || right_or "$1"
}

# Epoch after epoch until /tmp/stop is there; fails if one got wrong bytes.
epochs()
{
	wrong=0
	until [ -e /tmp/stop ]; do
		drop_caches
		listing /mnt/dsfs >/tmp/list 2>/dev/null || true
		right_or_none "$1" || wrong=1
	done
	return "$wrong"
}

# running_epochs ERRNO TARGET...: over a device that fails and comes back
running_epochs()
{
	rm -f /tmp/stop
	epochs "$1" &
	reader=$!
	shift
	for change in 1 2 3 4 5; do
		broken 69632 "$metadata" "$@" | become
		heal
	done
	: >/tmp/stop
	echo "# $prog: the device failed $change times"
	wait "$reader"
}

# epoch OPTIONS ERRNO TARGET...: all of the data
step_epoch()
{
	opts=$1 err=$2
	shift 2
	begin "$opts"
	check "$* under an epoch, $opts: right bytes or $err" running_epochs "$err" "$@"
	# Pages that failed are no obstacle, and those that did not are right.
	check "$* under an epoch, $opts: all is right afterwards" listed
	# The limit of messages is a mount's: how fast the epochs were is none of it.
	umount /mnt/dsfs
	mount -t dsfs -o "$opts" "$dm" /mnt/dsfs
	mark
	broken 69632 "$metadata" "$@" | become
	look
	check "$* under all data, $opts: names are right, contents $err" right_or "$err"
	data_errors "$err"
	check "$* under all data, $opts: more errors than messages" \
		[ "$lines" -ge 1 -a "$lines" -lt "$n" ]
	heal
	check "$* under all data, $opts: all is right afterwards" listed
	finish "$* under all data, $opts"
}

# --- metadata --------------------------------------------------------------

step_mount()
{
	linear | dmsetup create faulty --readonly
	broken 0 131072 error | become
	check "no superblock can be read" refused EIO 'superblock unreadable' "$dm" /mnt/dsfs
	broken 0 4096 error | become
	check "one superblock cannot be read" mount -t dsfs "$dm" /mnt/dsfs
	check "and all is right" same
	umount /mnt/dsfs
	broken "$sums" $((sums + sums_bytes)) error | become
	check "checksums of metadata cannot be read" refused EIO \
		'metadata checksums at [0-9]*: I/O error' "$dm" /mnt/dsfs
	broken "$sums" $((sums + sums_bytes)) flakey "$(other_than "$sums")" | become
	check "checksums of metadata are wrong" refused EBADMSG \
		'metadata checksums at [0-9]*: checksum is' "$dm" /mnt/dsfs
	heal
	check "the device is right again" mount -t dsfs "$dm" /mnt/dsfs
	check "and all is right then" same
	umount /mnt/dsfs
	dmsetup remove faulty
}

# names_fail OPTIONS ERRNO MESSAGE TARGET...: names, at mount and later
names_fail()
{
	opts=$1 err=$2 message=$3
	shift 3
	# The root's own names come first: all behind that.
	linear | dmsetup create faulty --readonly
	case $opts in
	meta=resident)	broken $((names + 4096)) $((names + names_bytes)) "$@" | become ;;
	esac
	mark
	mount -t dsfs -o "$opts" "$dm" /mnt/dsfs
	find_name
	case $opts in
	meta=resident)
		check "$* under names, $opts: blocks are missed at mount" \
			[ "$(counter metadata_bad_blocks)" -ge 1 ] ;;
	*)	broken $((names + 4096)) $((names + names_bytes)) "$@" | become ;;
	esac
	drop_caches
	blockdev --flushbufs "$dm"
	rc=0
	listing /mnt/dsfs/index >/dev/null 2>/tmp/said || rc=$?
	check "$* under names, $opts: readdir fails" [ "$rc" -ne 0 ]
	check "$* under names, $opts: with $err" grep -q "$message" /tmp/said
	check "$* under names, $opts: said with the device's offset" \
		[ "$(said "dsfs \\($name\\): metadata block at [0-9]+ is")" -ge 1 ]
	check "$* under names, $opts: and with the directory's inode" \
		[ "$(said "dsfs \\($name\\): inode [0-9]+: name block: .*error -")" -ge 1 ]
	case $err in
	EIO)	n=$(counter io_errors) ;;
	*)	n=$(counter checksum_errors) ;;
	esac
	check "$* under names, $opts: counted" [ "$n" -ge 1 ]
	heal
	check "$* under names, $opts: all is right afterwards" same
	finish "$* under names, $opts"
}

step_names()
{
	for opts in meta=resident meta=lazy; do
		names_fail "$opts" EIO 'Input/output error' error
		names_fail "$opts" EBADMSG 'Bad message' flakey 254
	done
}

# --- devices that go away ----------------------------------------------------

step_truncated()
{
	mkdir -p /mnt/copy
	mount -t tmpfs none /mnt/copy
	cp "$disk" /mnt/copy/image
	loop=$(losetup -f)
	losetup -r "$loop" /mnt/copy/image
	mount -t dsfs "$loop" /mnt/dsfs
	truncate -s "$((start + 4096))" /mnt/copy/image
	look
	check "the file below a loop device is cut: right bytes or errors" \
		right_or 'EIO|EBADMSG'
	dd if="$disk" of=/mnt/copy/image bs=1M conv=notrunc 2>/dev/null
	check "the file is whole again: all is right" listed
	check "a loop device: unmount" umount /mnt/dsfs
	losetup -d "$loop"
	umount /mnt/copy
}

step_vanished()
{
	"$here/nullblk.sh" gone "$disk" 80000
	mount -t dsfs -o "$1" /dev/gone /mnt/dsfs
	drop_caches
	rm -f /tmp/list
	listing /mnt/dsfs >/tmp/list 2>/dev/null &
	until [ -s /tmp/list ]; do :; done
	echo 0 >/sys/kernel/config/nullb/gone/power
	wait
	check "a disk vanishes under an epoch, $1: right bytes or EIO" right_or_none EIO
	look
	check "a disk that vanished, $1: names are right, contents EIO" right_or EIO
	check "a disk that vanished, $1: unmount" umount /mnt/dsfs
	rmdir /sys/kernel/config/nullb/gone
}

# --- compressed files ---------------------------------------------------------

# packed STEP [ARG...]: the same of the other image
step_packed()
{
	was="$disk $list $start $metadata" what=$1
	shift
	disk=$(readlink -f /dev/drive/packed) list=/ref/packed.list start=69632
	metadata=$(cat /ref/packed.meta)
	prog="faults: compressed"
	"step_$what" "$@"
	# shellcheck disable=SC2086 # words
	set -- $was
	disk=$1 list=$2 start=$3 metadata=$4 prog=faults
}

# Memory in pieces: buffers are mapped, and units lie in several folios.  Who reads so may get
# none, as may he who starts a program; what he leaves in the cache has to be right.
step_units()
{
	wrong=0
	refuse_pieces
	begin ro
	for round in $(seq 40); do
		drop_caches
		in_pieces dd if=/mnt/dsfs/numbers of=/dev/null bs=65536 || true
		cmp /mnt/dsfs/numbers /ref/numbers || { echo "# round $round"; wrong=1; }
	done
	check "memory in pieces: the contents are right" [ "$wrong" -eq 0 ]
	echo 0 >"$fail/probability"
	finish "memory in pieces, compressed"
}

if [ $# -eq 0 ]; then
	set -- chunk 'epoch ro EIO error' 'epoch meta=lazy,wholefile=0 EIO error' \
		'epoch ro EBADMSG flakey 254' mount names truncated \
		'vanished ro' 'vanished wholefile=0' 'packed epoch ro EIO error' \
		'packed epoch meta=lazy,wholefile=0 EIO error' \
		'packed epoch ro EBADMSG flakey 254' 'packed truncated' 'packed vanished ro'
	[ ! -d $fail ] || set -- "$@" orders 'packed units'
fi
for step in "$@"; do
	begun=$(cut -d ' ' -f 1 /proc/uptime)
	# shellcheck disable=SC2086 # a step may have arguments
	step_$step
	echo "# $prog: $step: $(awk -v a="$begun" '{ print $1 - a }' /proc/uptime) s"
done
exit $failed
