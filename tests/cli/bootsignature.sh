#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The boot signature: the first sector and nothing else, left alone by an update, gone from a
# target when the run fails.  Images of before there was one are as they were made.
set -uo pipefail
. "$(dirname "$0")/cases"
sector='cd18f4ebfd 55aa'
export SOURCE_DATE_EPOCH=1600000000

# The first sector as hexadecimal, runs of zeros as a blank
first_sector()
{
	head -c 512 "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/\(00\)\{4,\}/ /g; s/ *$//'
}

# signed NAME IMAGE [WANTED]
signed()
{
	local found

	found=$(first_sector "$2")
	[ "$found" = "${3-$sector}" ] || echo "# $2 begins: $found"
	check "$1" test "$found" = "${3-$sector}"
}

mkdir -p tree
echo one >tree/one
exits 'an image' 0 "$mkfs" -q -U clear yes.dsfs tree
signed 'its first sector' yes.dsfs
cp yes.dsfs older.dsfs
dd if=/dev/zero of=older.dsfs bs=512 count=1 conv=notrunc status=none
exits 'fsck.dsfs is content without it' 0 "$fsck" older.dsfs
exits 'fsck.dsfs is content' 0 "$fsck" yes.dsfs
check 'fsck.dsfs does not warn' test ! -s "$err"
cp yes.dsfs more.dsfs
printf x | dd of=more.dsfs bs=1 seek=100 conv=notrunc status=none
says 'fsck.dsfs warns of more than that' 0 'warning: ' "$fsck" more.dsfs

cp yes.dsfs updated.dsfs
echo two >tree/two
while IFS='|' read -r name image want command; do
	# shellcheck disable=SC2086 # words
	exits "$name" 0 "$dsfs" $command -q
	signed "$name: $want" "$image" "${want:+$sector}"
done <<'T'
updated|updated.dsfs|there|update updated.dsfs tree
updated without|older.dsfs||update older.dsfs tree
packed anew|anew.dsfs|there|compact -f updated.dsfs anew.dsfs
T

# the sync behind that of what was there before
tar -cf tree.tar tree
truncate -s 69632 place
cat tree.tar >>place
cp place before
FAULT=sync:3:5 exits 'archives in place, which fails' 1 with_faults "$mkfs" -q --tar-index place
check 'archives in place, which fails: nothing is left' cmp before place
exits 'archives in place' 0 "$mkfs" -q --tar-index place
signed 'archives in place: there' place

truncate -s 1M device
if loop_of device; then
	dev=$loop
	FAULT=sync:2:5 exits 'a device that fails' 1 with_faults \
		"$mkfs" -q -f "$dev" tree
	signed 'a device that fails: nothing is left' "$dev" ''
	exits 'a device' 0 "$mkfs" -q -f "$dev" tree
	signed 'a device: there' "$dev"
	says 'a device that holds an image' 1 'contains a signature: dsfs: use -f' "$mkfs" -q "$dev" tree
else
	skip 'a device' 'no loop device'
fi
finish
