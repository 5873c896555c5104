#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# note.sh - what a generation says of itself: its message and its label, through updates
# and compact.
set -euo pipefail
. "$(dirname "$0")/cases"

# generations IMAGE EXPRESSION: holds of the list g of generations, the newest first
generations()
{
	"$dump" --generations --json "$1" | json --holds "(lambda g: $2)(d['generations'])"
}

mkdir tree
echo one >tree/a
made 'an image with a message' x.dsfs "$mkfs" -q -L raw -m 'as it was downloaded' x.dsfs tree
run "$dump" --generations x.dsfs
check 'it is shown' grep -q '  raw  as it was downloaded$' "$out"
check 'and as JSON' generations x.dsfs 'g[0]["message"] == "as it was downloaded"'
run "$dump" x.dsfs
check 'and with the superblock' grep -qx 'message:       as it was downloaded' "$out"

echo two >tree/b
exits 'an update' 0 "$dsfs" update -q -L clean --message=$'no duplicates:\n\\ \xff' x.dsfs tree
echo three >tree/c
made 'an update without a message' x.dsfs "$dsfs" update -q x.dsfs tree
check 'each has its message and its label' generations x.dsfs \
	'[(e["label"], e["message"]) for e in g] == [("clean", ""),
	 ("clean", "no duplicates:\n\\ \udcff"), ("raw", "as it was downloaded")]'
run "$dump" --generations x.dsfs
check 'it is one line a generation' test "$(wc -l <"$out")" = 4
check 'controls and others are escaped' grep -qF '  clean  no duplicates:\012\134 \377' "$out"
check 'without a message the line ends with the label' grep -q '  clean$' "$out"
run "$dump" --generation=1 x.dsfs
check '--generation: its own' grep -qx 'message:       as it was downloaded' "$out"
"$mkfs" -q plain.dsfs tree
run "$dump" --generations plain.dsfs
check 'neither label nor message' grep -q '  -$' "$out"
run "$dump" plain.dsfs
check 'no message: no line' test -z "$(grep '^message' "$out")"

# --- compact: the same tree, so the same words
cp x.dsfs y.dsfs
"$dsfs" update -q -m 'the last one' y.dsfs tree
exits 'compact' 0 "$dsfs" compact -q -f y.dsfs
check 'compact keeps the message' generations y.dsfs \
	'len(g) == 1 and g[0]["message"] == "the last one"'
exits 'compact -m' 0 "$dsfs" compact -q -f -m other y.dsfs
check 'compact -m: another one' generations y.dsfs 'g[0]["message"] == "other"'
exits 'compact: an empty message' 0 "$dsfs" compact -q -f -m '' y.dsfs
check 'compact: an empty message leaves it out' generations y.dsfs \
	'g[0]["message"] == ""'
exits 'it is clean without' 0 "$fsck" y.dsfs

# --- the same bytes
SOURCE_DATE_EPOCH=1600000000 "$mkfs" -q -f -m x y.dsfs tree
SOURCE_DATE_EPOCH=1600000000 "$mkfs" -q -f -m x z.dsfs tree
check 'the same bytes again' cmp y.dsfs z.dsfs
SOURCE_DATE_EPOCH=1600000000 "$mkfs" -q -f -m y z.dsfs tree
check 'another message: another UUID' test \
	"$("$dump" y.dsfs | grep ^uuid)" != "$("$dump" z.dsfs | grep ^uuid)"

# --- a broken note
"$corrupt" y.dsfs 'note message_bytes=9' bad.dsfs
says 'a broken note' 1 'note: NUL in the message' "$dump" --generations bad.dsfs
says 'a broken note: compact' 1 'cannot be built on: note: NUL in the message' \
	"$dsfs" compact -q -f bad.dsfs
says 'a broken note: update' 0 'warning: note: NUL in the message' "$dsfs" update -q -m good bad.dsfs tree
check 'a broken note: what comes after it is good' grep -q '  -  good$' <("$dump" --generations bad.dsfs 2>/dev/null)
finish
