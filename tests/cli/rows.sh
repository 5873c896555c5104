#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkfs.dsfs --inodes: an image with rows holds what one with a table of inodes does. What the rows
# say is read by rows.py too, which has no code of DSFS, and the tools answer the same of both: for
# random trees, and for each kind of tree, source and layout.
set -uo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
export LC_ALL=C SOURCE_DATE_EPOCH=1600000000
mkfs=$bin/mkfs.dsfs
fsck=$bin/fsck.dsfs
dump=$bin/dump.dsfs
rows=$top/tests/cli/rows.py

# answers IMAGE [moved]: what the tools say, but for places of metadata, and of data, if that moved:
# the listing, the digest and some inodes
answers()
{
	local n

	"$dump" --list "$1" && "$dump" --digest=full "$1" || return
	for ((n = 1; n < inodes; n += 1 + inodes / 20)); do
		"$dump" --inode="$n" "$1" | sed "1s/ at [0-9]*$//${2:+;/^start:/d}" || return
	done
}

# alike NAME [moved]: table.img and rows.img are sound, and have the same tree
alike()
{
	local inodes

	exits "$1: rows are sound" 0 "$fsck" rows.img
	check "$1: the table is sound" "$fsck" -q table.img
	# shellcheck disable=SC2086 # none or one
	check "$1: rows say what the table says" python3 "$rows" same table.img rows.img ${2-}
	inodes=$(python3 "$rows" inodes table.img | wc -l)
	answers table.img "${2-}" >table.answers
	answers rows.img "${2-}" >rows.answers
	check "$1: the tools answer the same" cmp table.answers rows.answers
	check "$1: and name each object" [ "$(wc -l <table.answers)" -ge "$inodes" ]
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

no_feature()
{
	! feature "$1"
}

# --- random trees
bytes bytes 300000 1
seed=0
for options in '' --no-checksums --compress=lz4 '--small-chunk=none --align=512' \
	'--chunk-size=4K --all-root' '--no-dedup --object-size=64K'; do
	seed=$((seed + 1))
	python3 "$rows" manifest $seed 300000 >list
	# shellcheck disable=SC2086 # words
	both "tree $seed${options:+, $options}" $options --manifest=list IMAGE
done
check '--inodes=rows: the feature' feature rows.img
check '--inodes=table: no feature' no_feature table.img
"$mkfs" -q -f --threads=1 --no-dedup --object-size=64K --inodes=rows --manifest=list again.img \
	</dev/null
check 'one thread: the same image' cmp rows.img again.img

# --- trees of one kind
mkdir none
both 'no files' IMAGE none
seq -f '{"path":"/d/name-%06.0f"}' 100000 >list
both 'a directory of 100,000' --manifest=list IMAGE
seq 20000 | awk '{ printf "{\"path\":\"/d%05d/file\",\"mtime\":\"%d\",\"source\":\"bytes\",\"size\":%d}\n",
	$1, $1 * 7, $1 % 2000 }' >list
both '20,000 directories of a file' --manifest=list IMAGE

mkdir -p tree/sub/empty tree/void
seq 4000 >tree/text
seq 4000 | tac >tree/sub/text
cp tree/text tree/sub/twin
: >tree/nothing
ln tree/text tree/a-link
ln tree/sub/text tree/sub/zz
ln -s text tree/symlink
mkfifo tree/fifo
truncate -s 1M tree/holes tree/hole
printf end >>tree/holes
seq 900 | dd of=tree/holes bs=64K seek=4 conv=notrunc status=none
bytes tree/sub/random 70000 2
touch -h -d @-5.25 tree/sub/text tree/symlink
setfattr -n user.one -v 1 tree/text
setfattr -n user.one -v 2 tree/sub
getfattr -n user.one tree/text >/dev/null
result 'xattrs are there' $?
both 'a tree' IMAGE tree
both 'compressed' --compress=zstd IMAGE tree
tar -cf tree.tar --xattrs --sparse -C tree .
both '--tar' --tar=tree.tar IMAGE
tar -cf plain.tar -C tree text nothing symlink sub
both '--tar-index' --tar-index --tar=plain.tar IMAGE

# --- updates keep what the image has
for kind in table rows; do
	rm -rf now
	cp -a tree now
	"$mkfs" -q -f --inodes=$kind $kind.img now
	seq 70 >now/sub/new
	rm now/text
	mv now/sub/twin now/moved
	find now -type d -exec touch -d @1700000000 {} +
	touch -d @1700000000 now/sub/new
	"$mkfs" -q --update $kind.img now
done
alike '--update' moved
check '--update: the feature stays' feature rows.img
check '--update: there is none' no_feature table.img
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
	check "--compact $keep: there is none" no_feature table.packed
	exits "--compact $keep: sound" 0 "$fsck" rows.packed
	# shellcheck disable=SC2086 # none or one
	check "--compact $keep: rows say what the table says" \
		python3 "$rows" same table.packed rows.packed $moved
done
exits '--update --inodes' 2 "$mkfs" --update --inodes=rows rows.img now
check '--update --inodes: why' grep -q -- '--inodes.*--update.*has its own' "$err"
exits '--compact --inodes' 2 "$mkfs" --compact --inodes=table rows.img other.img
check '--compact --inodes: why' grep -q -- '--inodes.*--compact' "$err"
exits '--inodes=other' 2 "$mkfs" --inodes=other x.img tree
check '--inodes=other: why' grep -q -- '--inodes: other: neither table nor rows' "$err"

# --- rows.py finds what differs
"$mkfs" -q -f --inodes=table table.img tree
touch -d @1 tree/sub/random
"$mkfs" -q -f --inodes=rows rows.img tree
exits 'a time that differs is seen' 1 python3 "$rows" same table.img rows.img
finish
