#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkfs.dsfs --inodes: an image with rows holds what one with a table of inodes does. What the rows
# say is read by rows.py too, which has no code of DSFS, and the tools answer the same of both: for
# random trees, and for each kind of tree, source and layout.
set -uo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
export SOURCE_DATE_EPOCH=1600000000
rows=$top/tests/cli/rows.py

# alike NAME [moved]: table.img and rows.img are sound, and have the same tree
alike()
{
	exits "$1: rows are sound" 0 "$fsck" rows.img
	check "$1: the table is sound" "$fsck" -q table.img
	# shellcheck disable=SC2086 # none or one
	check "$1: rows say what the table says" python3 "$rows" same table.img rows.img ${2-}
	check "$1: and the tools" cmp <("$dump" --digest=full table.img) <("$dump" --digest=full rows.img)
}

# both NAME ARGUMENT...: of mkfs.dsfs; IMAGE stands for the image
both()
{
	local name=$1 kind

	shift
	for kind in table rows; do
		"$mkfs" -q -f --inodes="$kind" "${@/IMAGE/$kind.img}" </dev/null || {
			not_ok "$name: --inodes=$kind"
			return
		}
	done
	alike "$name"
}

# feature IMAGE: whether it has rows
feature()
{
	"$dump" "$1" | grep '(rows)' >/dev/null
}

# --- columns of every width, and values with low bits in common
# random_list SEED: a manifest, of ranges of the file "bytes"
random_list()
{
	awk -v seed="$1" 'function random(n) { return int(rand() * n) }
	BEGIN {
		srand(seed)
		for (d = 0; d < 30; d++) {
			owners = 1 + random(2) * random(300)
			size = 2 ^ random(18)
			spread = 2 ^ random(33)
			step = 2 ^ random(12)
			for (f = random(1500) * random(2); f >= 0; f--)
				printf "/d%d/%0*d mode=%o uid=%d mtime=%d.%d source=bytes offset=%d size=%d\n",
					d, random(200), f, random(2) * random(4096), random(owners),
					random(spread) * step - spread, random(2) * 500000000,
					random(30000), random(size / step) * step
		}
	}' | mklist
}

bytes bytes 300000 1
seed=0
for options in '' --no-checksums --compress=lz4 '--small-chunk=none --align=512' \
	'--chunk-size=4K --all-root' '--no-dedup --object-size=64K'; do
	seed=$((seed + 1))
	random_list $seed >list
	# shellcheck disable=SC2086 # words
	both "tree $seed${options:+, $options}" $options --manifest=list IMAGE
done
zoo zoo
both 'a tree of everything' IMAGE zoo
check '--inodes=rows: the feature' feature rows.img
check '--inodes=table: no feature' not feature table.img

# --- trees of one kind
mkdir none
both 'no files' IMAGE none
seq -f '{"path":"/d/name-%06.0f"}' 100000 >list
both 'a directory of 100,000' --manifest=list IMAGE
seq 20000 | awk '{ printf "{\"path\":\"/d%05d/file\",\"mtime\":\"%d\",\"source\":\"bytes\",\"size\":%d}\n",
	$1, $1 * 7, $1 % 2000 }' >list
both '20,000 directories of a file' --manifest=list IMAGE

both 'compressed' --compress=zstd IMAGE zoo
made_up tree
tar -cf tree.tar --sparse -C tree .
both '--tar' --tar=tree.tar IMAGE
tar -cf plain.tar -C tree chunks empty symlink small
both '--tar-index' --tar-index --tar=plain.tar IMAGE

# --- updates keep what the image has
for kind in table rows; do
	rm -rf now
	cp -a tree now
	"$mkfs" -q -f --inodes=$kind $kind.img now
	seq 70 >now/small/new
	rm now/large
	mv now/twin now/moved
	find now -type d -exec touch -d @1700000000 {} +
	touch -d @1700000000 now/small/new
	"$mkfs" -q --update $kind.img now
done
alike '--update' moved
check '--update: the feature stays' feature rows.img
check '--update: there is none' not feature table.img
"$dump" --list --generation=1 rows.img >before
"$dump" --list --generation=1 table.img >before.table
check '--update: the generation before' cmp before before.table
for keep in '' '--keep=2 moved'; do
	moved=${keep#* } keep=${keep% *}
	for kind in table rows; do
		# shellcheck disable=SC2086 # none or one
		"$mkfs" -q -f --compact $keep $kind.img $kind.packed
	done
	check "--compact $keep: the feature stays" feature rows.packed
	check "--compact $keep: there is none" not feature table.packed
	exits "--compact $keep: sound" 0 "$fsck" rows.packed
	# shellcheck disable=SC2086 # none or one
	check "--compact $keep: rows say what the table says" \
		python3 "$rows" same table.packed rows.packed $moved
done
# --- rows.py finds what differs
"$mkfs" -q -f --inodes=table table.img tree
touch -d @1 tree/chunks
"$mkfs" -q -f --inodes=rows rows.img tree
exits 'a time that differs is seen' 1 python3 "$rows" same table.img rows.img
finish
