#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkfs.dsfs --boot-signature: the first sector and nothing else, there unless it is refused,
# left alone by an update, kept by what packs the image anew, gone from a target when the run
# fails.
set -uo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
mkfs=$bin/mkfs.dsfs
fsck=$bin/fsck.dsfs
faults=$bin/tests/faults.so
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

[ -e "$faults" ] || make -s -C "$top" build/tests/faults.so >&2
mkdir -p tree
echo one >tree/one
exits 'an image with a boot signature' 0 "$mkfs" -q --boot-signature=yes -U clear yes.dsfs tree
signed 'its first sector' yes.dsfs
exits 'one without' 0 "$mkfs" -q --boot-signature=no -U clear no.dsfs tree
exits 'the default' 0 "$mkfs" -q -U clear default.dsfs tree
check 'the default is yes' cmp yes.dsfs default.dsfs
signed 'without: zeros' no.dsfs ''
check 'all else is the same' cmp -i 512 yes.dsfs no.dsfs

exits 'fsck.dsfs is content' 0 "$fsck" yes.dsfs
check 'fsck.dsfs does not warn' test ! -s "$err"
cp yes.dsfs more.dsfs
printf x | dd of=more.dsfs bs=1 seek=100 conv=notrunc status=none
says 'fsck.dsfs warns of more than that' 0 'warning: ' "$fsck" more.dsfs

says 'neither yes nor no' 2 '--boot-signature: maybe: ' "$mkfs" --boot-signature=maybe x.dsfs tree
says 'not with --update' 2 '--boot-signature and --update do not go together' \
	"$mkfs" --update --boot-signature=yes no.dsfs tree

cp yes.dsfs updated.dsfs
echo two >tree/two
exits 'updated' 0 "$mkfs" -q --update updated.dsfs tree
signed 'updated: still there' updated.dsfs
cp no.dsfs older.dsfs
exits 'updated without' 0 "$mkfs" -q --update older.dsfs tree
signed 'updated without: still none' older.dsfs ''
exits 'packed anew without an option' 0 "$mkfs" -q -f --compact older.dsfs
signed 'packed anew without an option: still none' older.dsfs ''
exits 'packed anew' 0 "$mkfs" -q -f --compact updated.dsfs anew.dsfs
signed 'packed anew: still there' anew.dsfs
exits 'packed anew without' 0 "$mkfs" -q -f --compact --boot-signature=no updated.dsfs anew.dsfs
signed 'packed anew without: gone' anew.dsfs ''
exits 'packed anew with' 0 "$mkfs" -q -f --compact --boot-signature=yes no.dsfs
signed 'packed anew with: there' no.dsfs

# the sync behind that of what was there before
tar -cf tree.tar tree
truncate -s 69632 place
cat tree.tar >>place
cp place before
exits 'archives in place, which fails' 1 env FAULT=sync:2:5 LD_PRELOAD="$faults" \
	"$mkfs" -q --tar-index place
check 'archives in place, which fails: nothing is left' cmp before place
exits 'archives in place' 0 "$mkfs" -q --tar-index place
signed 'archives in place: there' place

truncate -s 1M device
if dev=$(losetup -f --show device 2>/dev/null); then
	exits 'a device that fails' 1 env FAULT=sync:2:5 LD_PRELOAD="$faults" \
		"$mkfs" -q -f --boot-signature=yes "$dev" tree
	signed 'a device that fails: nothing is left' "$dev" ''
	exits 'a device' 0 "$mkfs" -q -f --boot-signature=yes "$dev" tree
	signed 'a device: there' "$dev"
	says 'a device that holds an image' 1 'contains a signature: dsfs: use -f' "$mkfs" -q "$dev" tree
	exits 'a device, without' 0 "$mkfs" -q -f --boot-signature=no "$dev" tree
	signed 'a device, without: gone' "$dev" ''
	losetup -d "$dev"
else
	skip 'a device' 'no loop device'
fi
exit "$failed"
