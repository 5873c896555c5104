#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# compact-keep.sh - dsfs compact --keep: the generations that are kept are what they
# were, what they share is stored once, and what is damaged leaves the image alone.  Runs that are
# ended, or cannot write, are those of tests/robust/writes.
set -euo pipefail
. "$(dirname "$0")/cases"

# update OPTION...: of the image by the tree as it is now
update()
{
	"$dsfs" update -q "$@" image.dsfs tree
}

# Five generations: files come and go, change, are renamed, get and lose names.
# make_image OPTION...: of the first one
make_image()
{
	rm -rf tree
	made_up tree
	setfattr -n user.kind -v first tree/large 2>"$err" || true
	"$mkfs" -q -f -L raw -m 'as it came' --digest "$@" image.dsfs tree
	bytes tree/added 30000 9100
	bytes tree/large 1500000 9101
	bytes tree/small/50 10 9102
	chmod 600 tree/many/9
	update
	rm -r tree/gone tree/small/3 tree/small/59 tree/many/1?
	mv tree/many tree/renamed
	ln tree/large tree/another
	update --digest=full -m $'cleaned:\nno duplicates'
	bytes tree/small/7 200 9103
	bytes tree/renamed/5 5000 9104
	rm tree/small/name tree/twin
	setfattr -n user.kind -v other tree/large 2>"$err" || true
	touch -d @5 tree/piece
	update -L later
	mkdir tree/gone
	bytes tree/gone/one 9000 9106
	bytes tree/large 1400000 9105
	rm tree/small/2?
	update --digest -m 'the last one'
}

# generations IMAGE: what each says of itself, the newest first
generations()
{
	"$dump" --generations --json "$1" | json '"\n".join(repr([g[k] for k in
		("generation", "build_time_ns", "label", "message", "digest", "uuid", "files",
		 "content_bytes", "stored_bytes", "align", "chunk", "inodes", "compat")]) for g in d["generations"])'
}

numbers()
{
	"$dump" --generations --json "$1" |
		json '" ".join(str(g["generation"]) for g in d["generations"])'
}

# remember IMAGE: what all generations of it are
remember()
{
	local n

	generations "$1" >all
	for n in $(numbers "$1"); do
		"$dsfs" digest --full --text --generation="$n" "$1" >"list.$n"
		"$dsfs" digest --full --generation="$n" "$1" >"digest.$n"
	done
}

# as_before IMAGE NUMBER...: it has these generations and no others, each as it was
as_before()
{
	local image=$1 n

	shift
	generations "$image" >now
	diff <(head -n $# all) now || return
	[ "$(numbers "$image")" = "$*" ] || return
	for n; do
		diff "list.$n" <("$dsfs" digest --full --text --generation="$n" "$image") || return
		diff "digest.$n" <("$dsfs" digest --full --generation="$n" "$image") || return
		"$fsck" -q --generation="$n" "$image" || return
	done
	"$fsck" -q --digest "$image" >"$work/fsck" 2>&1
}

cases_kept()
{
	local options n

	for options in '' --chunk-size=none '--align=object=64K --no-dedup'; do
		# shellcheck disable=SC2086
		make_image $options
		remember image.dsfs
		cp image.dsfs before
		for n in 2 3 5; do
			exits "$options --keep=$n" 0 \
				"$dsfs" compact -f --keep=$n image.dsfs new.dsfs
			check "$options --keep=$n: says nothing" test ! -s "$err"
			# shellcheck disable=SC2046
			check "$options --keep=$n: they are what they were" \
				as_before new.dsfs $(seq 5 -1 $((6 - n)))
		done
		check "$options --keep: the image is left alone" cmp before image.dsfs
	done
	says 'more than there are' 0 '--keep=9: generations in the image: 5: all are kept' \
		"$dsfs" compact -f --keep=9 image.dsfs new.dsfs
	check 'more than there are: all' as_before new.dsfs 5 4 3 2 1
	exits 'in its place' 0 "$dsfs" compact -f --keep=4 image.dsfs
	check 'in its place: they are what they were' as_before image.dsfs 5 4 3 2
	"$dsfs" digest --full --text image.dsfs >list
	bytes tree/more 100000 9107
	exits 'an update of it' 0 "$dsfs" update -q -L later image.dsfs tree
	"$mkfs" -q -f -L later fresh.dsfs tree
	check 'an update of it: what a new image has' diff <("$dsfs" digest --full --text fresh.dsfs) \
		<("$dsfs" digest --full --text image.dsfs)
	check 'an update of it: the next number' test "$(numbers image.dsfs)" = '6 5 4 3 2'
	check 'an update of it: what is before it' diff list <("$dsfs" digest --full --text --generation=5 image.dsfs)
	exits 'an update of it: it is sound' 0 "$fsck" -q image.dsfs
}

# --keep=1 is compact, to the byte.
cases_one()
{
	export SOURCE_DATE_EPOCH=1700000000
	make_image
	remember image.dsfs
	"$dsfs" compact -q -f --digest -L x -m y image.dsfs one.dsfs
	"$dsfs" compact -q -f --keep=1 --digest -L x -m y image.dsfs new.dsfs
	check '--keep=1: what there is without' cmp one.dsfs new.dsfs
	"$dsfs" compact -q -f --keep=3 --threads=1 image.dsfs one.dsfs
	"$dsfs" compact -q -f --keep=3 --threads=8 image.dsfs new.dsfs
	check 'the same bytes again' cmp one.dsfs new.dsfs
	unset SOURCE_DATE_EPOCH
	"$dsfs" compact -q -f --keep=3 image.dsfs new.dsfs
	check 'the same bytes at another time' cmp one.dsfs new.dsfs
	"$mkfs" -q -f one.dsfs tree
	"$dsfs" compact -q -f --keep=2 one.dsfs new.dsfs 2>"$err"
	check 'an image of one generation keeps its number' test "$(numbers new.dsfs)" = 1
}

# What generations share is stored once, and nothing else is stored.
cases_shared()
{
	make_image
	for n in 2 5; do
		"$dsfs" compact -f --json --keep=$n image.dsfs new.dsfs >report
		check "--keep=$n: the data of each file is at one place" test \
			"$(data_of new.dsfs /chunks --generation=$((6 - n)))" = \
			"$(data_of new.dsfs /chunks --generation=5)"
		check "--keep=$n: a file that was renamed" test \
			"$(data_of new.dsfs /many/7 --generation=2 2>/dev/null ||
			   data_of new.dsfs /renamed/7 --generation=4)" = \
			"$(data_of new.dsfs /renamed/7)"
	done
	# of the last report, of all five
	check 'a later generation: what it adds' json --holds \
		'[g["generation"] for g in d["kept_generations"]] == [1, 2, 3, 4] and
		1530000 < d["kept_generations"][1]["written_data_bytes"] < 1560000 and
		d["kept_generations"][2]["written_data_bytes"] == 0 and
		5200 < d["kept_generations"][3]["written_data_bytes"] < 14000 and
		1409000 < d["written_data_bytes"] < 1430000' report
	check 'no longer than the image' test "$(stat -c %s new.dsfs)" -le "$(stat -c %s image.dsfs)"
	"$dsfs" update --json -n image.dsfs tree >plan
	"$dsfs" update --json -n new.dsfs tree >report
	check 'an update of it keeps as much' json --holds 'd["kept_bytes"] == e["kept_bytes"] > 0' \
		plan report
}

# The plan: what it will be, and what it gets rid of.
cases_plan()
{
	make_image
	cp image.dsfs before
	exits '-n' 0 "$dsfs" compact -n --keep=2 image.dsfs
	check '-n: what is kept' grep -q '^generation 4: kept: .* of data, .* of metadata$' "$out"
	check '-n: what is left out' test "$(grep -c \
		'^generation [123]: left out: frees .* of data, .* of metadata$' "$out")" = 3
	check '-n: what goes' grep -q '^used by left-out generations alone: [0-9.]* MiB, ' "$out"
	for n in 2 3 5; do
		"$dsfs" compact -n --json --keep=$n image.dsfs >plan
		"$dsfs" compact -f --json --keep=$n image.dsfs new.dsfs >report
		check "-n --keep=$n: the length of the image" json --holds \
			'd["image_min_bytes"] == e["image_bytes"] == d["image_max_bytes"]' plan report
		check "-n --keep=$n: what each generation takes" json --holds \
			'[[g[k] for k in ("generation", "written_data_bytes", "written_meta_bytes")]
			  for g in d["kept_generations"]] ==
			 [[g[k] for k in ("generation", "written_data_bytes", "written_meta_bytes")]
			  for g in e["kept_generations"] + [e]]' plan report
	done
	check '-n: nothing is written' cmp before image.dsfs
	check '-n: all are kept: nothing goes' json --holds \
		'd["dead_bytes"] < 100000 and d["left_out_generations"] == []' plan
	"$dsfs" compact -n --json --keep=2 image.dsfs >plan
	# what 4 changed, what 3 removed, and what 2 changed
	echo '[5259, 61394, 3001850]' >freed
	check '-n: what is left out, each' json --holds \
		'[g["generation"] for g in d["left_out_generations"]] == [3, 2, 1] and
		[g["freed_data_bytes"] for g in d["left_out_generations"]] == e' plan freed
	exits 'too little to be packed anew' 0 "$dsfs" compact --keep=5 image.dsfs
	check 'too little to be packed anew: says so' \
		grep -q '^only left-out generations use .*: left as it is (see -f)$' "$out"
	check 'too little to be packed anew: it stays' cmp before image.dsfs
}

cases_options()
{
	make_image
	remember image.dsfs
	exits 'label and message' 0 "$dsfs" compact -q -f --keep=3 -L new -m words --digest=full \
		image.dsfs new.dsfs
	generations new.dsfs >now
	check 'label and message: of the newest one' grep -q "^\[5, .*'new', 'words', 'dsfs1-full:" now
	check 'label and message: not of the others' diff <(sed -n 2,3p all) <(sed -n 2,3p now)
	exits 'label and message: it is sound' 0 "$fsck" -q --generation=5 --digest new.dsfs
	exits 'label and message: left out' 0 "$dsfs" compact -q -f --keep=2 -L '' -m '' \
		image.dsfs new.dsfs
	generations new.dsfs >now
	check 'label and message: left out: of the newest one' \
		grep -q "^\[5, [^,]*, '', '', 'dsfs1-data:" now
	exits '--align=object' 0 "$dsfs" compact -q -f --keep=5 --align=object=256K image.dsfs new.dsfs
	check '--align=object: of all generations' as_before new.dsfs 5 4 3 2 1
	check '--align=object: they have it' test "$("$dump" --generations --json new.dsfs |
		json 'sorted({g["object"] for g in d["generations"]})')" = '[262144]'
}

# What is wrong with a generation stops it, and the image stays.
cases_damaged()
{
	local at

	make_image
	cp image.dsfs before
	# Metadata of an older one, its data, and its superblock
	for at in "$(region image.dsfs names --generation=4)" \
		  "$(region image.dsfs blocksums --generation=4)" \
		  $(($(data_of image.dsfs /many/7 --generation=1) + 9)) \
		  $(($(region image.dsfs history) + 50)); do
		flip image.dsfs "$at"
		cp image.dsfs broken
		says "damaged at $at" 1 'run fsck.dsfs' "$dsfs" compact -q -f --keep=5 image.dsfs
		check "damaged at $at: the image stays" cmp broken image.dsfs
		check "damaged at $at: nothing is left behind" test -z "$(find . -name '.image*')"
		cp before image.dsfs
	done
	# Metadata of a later one is read when an earlier one is written already.
	flip image.dsfs "$(region image.dsfs names --generation=4)"
	cp image.dsfs broken
	says 'damaged names of a later one' 1 'wrong checksum: run fsck.dsfs' \
		env FAULT_NAMED=1 FAULT_IN="dsfs compact" FAULT=write:1000000:kill LD_PRELOAD="$faults" "$dsfs" compact -q -f --keep=3 image.dsfs
	check 'damaged names of a later one: the image stays' cmp broken image.dsfs
	check 'damaged names of a later one: nothing is left behind' \
		test -z "$(find . -name '.image*')"
	cp before image.dsfs
	flip image.dsfs "$(region image.dsfs history --generation=2)"
	exits 'a history that is broken farther back' 0 \
		"$dsfs" compact -q -f --keep=3 image.dsfs new.dsfs
	check 'a history that is broken farther back: they are there' \
		test "$(numbers new.dsfs)" = '5 4 3'
	cp before image.dsfs
	"$corrupt" image.dsfs 'super both align_bits=9' bad.dsfs
	says 'another alignment' 1 \
		'generation 4: alignment of 4096, the newest has 512: keep fewer' \
		"$dsfs" compact -q -f --keep=2 bad.dsfs new.dsfs
	# The newest one has other checksums of data that an earlier one has, too.
	"$corrupt" image.dsfs 'chunksum /large 1 value^1' bad.dsfs
	says 'other checksums' 1 'content: wrong checksum: run fsck.dsfs' \
		"$dsfs" compact -q -f --keep=2 bad.dsfs new.dsfs
}

# A device as the target, and what is too small of it.
cases_device()
{
	make_image
	remember image.dsfs
	truncate -s 8M disk
	if ! loop_of disk; then
		skip 'a device' 'no loop devices here'
		return
	fi
	exits 'a device' 0 "$dsfs" compact -q -f --keep=3 image.dsfs "$loop"
	check 'a device: they are what they were' as_before "$loop" 5 4 3
	detach
	cp disk was
	truncate -s 4M disk
	loop_of disk
	says 'a device too small' 1 'device too small' \
		"$dsfs" compact -q -f --keep=5 image.dsfs "$loop"
	detach
	check 'a device too small: nothing is written' cmp -n 4194304 was disk
}

cases_kept
cases_one
cases_shared
cases_plan
cases_options
cases_damaged
cases_device
finish
