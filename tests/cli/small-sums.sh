#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkfs.dsfs --small-chunk where an image is read to make another one of it, or is compared: a
# small file has one checksum, and whoever asks for those of 4 KiB would compare nothing right.
set -uo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
mkfs=$bin/mkfs.dsfs
fsck=$bin/fsck.dsfs
dump=$bin/dump.dsfs
export SOURCE_DATE_EPOCH=1600000000

# One chunk is what stores up to 16 KiB, also without its hole; large files have ten.
make_tree()
{
	mkdir "$1"
	head -c 12000 < <(seq 4000) >"$1/small"
	head -c 40000 < <(seq 9000) >"$1/large"
	head -c 12000 < <(seq 3000 9000) >"$1/sparse"
	truncate -s 200000 "$1/sparse"
	cp "$1/small" "$1/twin"
	touch -d @1500000000 "$1"/* "$1"
}

# chunks IMAGE NAME: the lengths of the chunks of a file
chunks()
{
	"$dump" --json --extents="/$2" "$1" >extents.json &&
		json '" ".join(str(c["length"]) for c in d["chunks"])' extents.json
}

ten='4096 4096 4096 4096 4096 4096 4096 4096 4096 3136'

# right IMAGE [NAME...]: the files of one chunk have one, the large one has ten
right()
{
	local image=$1 name

	shift
	[ "$(chunks "$image" large)" = "$ten" ] || return
	[ "$(chunks "$image" sparse)" = 12288 ] || return
	for name; do
		[ "$(chunks "$image" "$name")" = 12000 ] || return
	done
	holds 'all(s["small_chunk"] == 16384 for s in d["slots"])' <("$dump" --json "$image")
}

digest()
{
	"$dump" --digest=full "$@"
}

# at IMAGE NAME: where the data begins
at()
{
	"$dump" --json --extents="/$2" "$1" >extents.json &&
		json 'd["extents"][0]["offset"]' extents.json
}

# without_times GENERATION: the listing of base.img
without_times()
{
	"$dump" --list --generation="$1" base.img | cut -f 1-7,9- | grep -v '^/new'
}

same_but_times()
{
	diff <(without_times 1) <(without_times 4)
}

# not_said WORD: the last run printed nothing of it
not_said()
{
	! grep -q "$1" "$out"
}

make_tree tree
layout=(--chunk-size=4K --small-chunk=16K)
exits 'an image' 0 "$mkfs" -q "${layout[@]}" base.img tree
check 'an image: chunks' right base.img small twin

# --- updates: what is there already is found by its checksums
touch -d @1550000000 tree/*
exits 'times change' 0 "$mkfs" --json --update --checksum base.img tree
check 'times change: all contents are kept' holds 'd["kept_files"] == d["files"]'
check 'times change: chunks' right base.img small twin
before=$(at base.img sparse)
mv tree/small tree/moved
mv tree/sparse tree/elsewhere
mv tree/large tree/far
seq 100 >tree/new
exits 'names change' 0 "$mkfs" --json --update base.img tree
check 'names change: data stays where it is' test "$before" = "$(at base.img elsewhere)"
mv tree/moved tree/small
mv tree/elsewhere tree/sparse
mv tree/far tree/large
exits 'back again' 0 "$mkfs" -q --update base.img tree
check 'back again: chunks' right base.img small twin
check 'back again: data stays where it is' test "$before" = "$(at base.img sparse)"
exits 'four generations are sound' 0 "$fsck" base.img
check 'four generations: the tree is the one of the first' same_but_times

# --- compacted, with and without the generations before
exits '--keep=3' 0 "$mkfs" -q -f --compact --keep=3 base.img kept.img
exits '--keep=3: sound' 0 "$fsck" kept.img
check '--keep=3: chunks' right kept.img small twin
check '--keep=3: generation 3' test "$(digest --generation=3 base.img)" = \
	"$(digest --generation=3 kept.img)"
exits '--compact' 0 "$mkfs" -q -f --compact base.img packed.img
exits '--compact: sound' 0 "$fsck" packed.img
check '--compact: chunks' right packed.img small twin
check '--compact: digest' test "$(digest base.img)" = "$(digest packed.img)"

# --- a manifest of an image makes the same tree, with the same chunks
"$dump" --manifest packed.img >manifest
exits 'a manifest' 0 "$mkfs" -q "${layout[@]}" --manifest=manifest listed.img tree
check 'a manifest: chunks' right listed.img small twin
check 'a manifest: digest' test "$(digest listed.img)" = "$(digest packed.img)"

# --- compared: content that is written anew is the same by its one checksum
rm -r tree
make_tree tree
"$mkfs" -q --no-dedup "${layout[@]}" diff.img tree
head -c 12000 < <(seq 5000 9000) >tree/small
head -c 40000 < <(seq 5000 99999) >tree/large
"$mkfs" -q --update diff.img tree
make_tree again
touch -d @1600000000 again/small again/large
"$mkfs" -q --update diff.img again
exits 'diff' 0 "$dump" --diff=1..2 diff.img
check 'diff: contents' grep -q "/small.*content" "$out"
exits 'diff: back again' 0 "$dump" --diff=1..3 diff.img
check 'diff: back again: the time alone' not_said content
check 'diff: back again: the time' grep -q '/small.*time' "$out"

# --- fsck.dsfs: a bad byte is one of all of its file
pos=$(at packed.img sparse)
flip packed.img $((pos + 9000))
exits 'a bad byte' 4 "$fsck" packed.img
check 'a bad byte: in the chunk that is the file' \
	grep -q '/sparse: .*data checksum: .*bytes 0 to 12287' "$out" "$err"
exits 'a bad byte: its file' 1 "$dump" --cat=/sparse packed.img
exits 'a bad byte: another file' 0 "$dump" --cat=/small packed.img
finish
