#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkfs.dsfs --chunk-size=small=: files of up to so many stored bytes are one chunk, and large=:
# those of more than 1 MiB have others; whichever way their bytes come in, and still when an image
# is updated, packed anew or compared.  What such images hold is judged by tests/judge, with random
# trees.
set -uo pipefail
large=32K	# chunks of files of more than 1 MiB
more=()		# options that say so
. "$(dirname "$0")/cases"

# Sizes at the limits; small and not small without their holes, and from more than one piece.
make_tree()
{
	python3 - <<-'END'
		import os, random
		r = random.Random(28)
		os.mkdir('tree')
		sizes = 1, 32768, 32769, 65536, 65537, 262144, 262145, 900000, 1048576, 1048577, 3000000
		for size in sizes:
		    with open('tree/%d' % size, 'wb') as f:
		        f.write(r.randbytes(size))
		for size in 100000, 262144, 700000, 1048576, 1048577, 2600000:
		    with open('tree/sparse-%d' % size, 'wb') as f:
		        f.seek(5 << 20)
		        f.write(r.randbytes(size))
		        f.truncate(9 << 20)
	END
	cp tree/900000 tree/twin
	seq 400000 >tree/text
	seq 1500000 >tree/texts
}

# chunks IMAGE [DIR]: of each file: bytes that it stores, and the lengths of its chunks
chunks()
{
	local path

	for path in tree/*; do
		"$dump" --json --extents "$2/${path#tree/}" "$1" | tr -d "\n"
		echo
	done | python3 -c 'import json, sys
for line in sys.stdin:
	d = json.loads(line)
	print("%d:" % d["stored"], *(c["length"] for c in d["chunks"]))'
}

# right IMAGE BYTES [DIR]: each file has the chunks of the rule, if those of up to BYTES are small
right()
{
	chunks "$1" "${3:-}" >have
	awk -F : -v small="$2" -v large="$(numfmt --from=iec "$large")" '{
		size = $1 <= small ? small : $1 > 1048576 ? large : 32768
		line = $1 ":"
		for (at = 0; at < $1; at += size)
			line = line " " ($1 - at < size ? $1 - at : size)
		print line
	}' have >want
	diff want have
}

# built NAME IMAGE BYTES COMMAND...: a sound image, with the right chunks
built()
{
	made "$1" "$2" "${@:4}"
	check "$1: chunks" right "$2" "$3"
}

cases_small()
{
	local size=$1 bytes

	bytes=$(numfmt --from=iec "$size")
	set -- -q -f -T0 --chunk-size=small="$size" "${more[@]}"
	built "$size" image.dsfs "$bytes" "$mkfs" "$@" --threads=8 image.dsfs tree
	check "$size: what it holds" holds_tree image.dsfs tree
	check "$size: said" grep -q "^small file:    one checksum up to $bytes bytes" \
		<("$dump" image.dsfs)
	tar -C tree --sparse -cf tree.tar .
	built "$size: tar" tar.dsfs "$bytes" "$mkfs" "$@" --tar=tree.tar tar.dsfs
	made "$size: archives in place" index.dsfs \
		"$mkfs" "$@" --chunk-size=32K --tar-index --tar=tree.tar index.dsfs
	check "$size: archives in place: chunks" right index.dsfs "$bytes" /tree
}

# Of what stores more than 1 MiB, or less than that after all
cases_large()
{
	large=$1
	more=(--chunk-size=large="$1")
	cases_small 64K
	set -- -q -f -T0 --chunk-size=small=64K "${more[@]}"
	exits "$large: a thread" 0 "$mkfs" "$@" --threads=1 one.dsfs tree
	check "$large: a thread: the same" cmp image.dsfs one.dsfs
	check "$large: said" holds "d['slots'][0]['large_chunk'] == $(numfmt --from=iec "$large")" \
		<("$dump" --json one.dsfs)
	built "$large: compressed" zip.dsfs 65536 "$mkfs" "$@" --compress=zstd zip.dsfs tree
	check "$large: compressed: what it holds" holds_tree zip.dsfs tree
	tar -C tree -cf few.tar 262145 65537
	made "$large: an archive that is not large" few.dsfs \
		"$mkfs" "$@" --chunk-size=32K --tar-index --tar=few.tar few.dsfs
}

# An image keeps its chunks.
cases_again()
{
	local size=$1 bytes

	[ "$1" != none ] || size=32K
	bytes=$(numfmt --from=iec "$size")
	make_tree
	exits "$1: base" 0 "$mkfs" -q -f --chunk-size=small="$1" "${more[@]}" base.dsfs tree
	chunks base.dsfs '' >before
	exits "$1: update by contents" 0 "$dsfs" update --json --checksum base.dsfs tree
	check "$1: update by contents: all are kept" holds 'd["kept_files"] == d["files"]'
	check "$1: update by contents: the same chunks" diff before <(chunks base.dsfs '')
	printf x | dd of=tree/262144 bs=1 seek=200000 conv=notrunc status=none
	mv tree/sparse-700000 tree/moved
	built "$1: update" base.dsfs "$bytes" "$dsfs" update -q --checksum base.dsfs tree
	before=$(data_of base.dsfs /moved)
	mv tree/moved tree/again
	exits "$1: another name" 0 "$dsfs" update -q base.dsfs tree
	check "$1: another name: data stays where it is" test "$before" = "$(data_of base.dsfs /again)"
	built "$1: --keep=2" two.dsfs "$bytes" "$dsfs" compact -q -f --keep=2 base.dsfs two.dsfs
	built "$1: compact" base.dsfs "$bytes" "$dsfs" compact -q -f base.dsfs
}

# small_of WANT OPTION...: up to how many bytes mkfs.dsfs makes a file one chunk
small_of()
{
	local want=$1

	shift
	"$mkfs" -q -f "$@" default.dsfs tree &&
		holds "d['slots'][0]['small_chunk'] == $want" <("$dump" --json default.dsfs)
}

# The default says nothing where it would contradict other options.
cases_default()
{
	check 'default' small_of 262144
	check 'default: chunks' right default.dsfs 262144
	check 'default: smaller chunks' small_of 262144 --chunk-size=128K
	check 'default: chunks as large' small_of 0 --chunk-size=256K
	check 'default: larger chunks' small_of 0 --chunk-size=1M
	check 'default: no checksums' small_of 0 --chunk-size=none
}

# Content that is written anew is the same by its one checksum, and that of 4 KiB is no part of it.
cases_compared()
{
	mkdir old new
	head -c 12000 < <(seq 4000) >old/small
	head -c 40000 < <(seq 9000) >old/large
	"$mkfs" -q -f --no-dedup --chunk-size=4K,small=16K image.dsfs old
	head -c 12000 < <(seq 5000 9000) >new/small
	head -c 40000 < <(seq 5000 99999) >new/large
	"$dsfs" update -q image.dsfs new
	touch -d @1600000000 old/small old/large
	"$dsfs" update -q image.dsfs old
	exits 'diff' 0 "$dsfs" diff image.dsfs 1..2
	check 'diff: contents' grep -q '/small.*content' "$out"
	exits 'diff: back again' 0 "$dsfs" diff image.dsfs 1..3
	check 'diff: back again: the time alone' not grep -q content "$out"
	check 'diff: back again: the time' grep -q '/small.*time' "$out"
}

make_tree
built 'none' none.dsfs 32768 "$mkfs" -q --chunk-size=small=none none.dsfs tree
check 'none: no feature' holds 'not any(s["small_chunk"] for s in d["slots"])' \
	<("$dump" --json none.dsfs)
cases_default
for size in 64K 1M; do
	cases_small "$size"
done
cases_compared
cases_large 4K
cases_large 1M
for size in none 256K; do
	rm -rf tree
	cases_again "$size"
done
finish
