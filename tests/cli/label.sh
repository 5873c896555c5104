#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# label.sh - dsfs label, dsfs revert: what is new, what stays, what is refused.  Calls that fail are
# in tests/robust/updates, cuts of power in tests/update, bytes of an image in tests/golden/frozen.
set -euo pipefail
. "$(dirname "$0")/cases"

# The generations of image.dsfs, the newest first: is EXPRESSION, of the list g
is()
{
	"$dump" --generations --json image.dsfs | json --holds "(lambda g: $1)(d['generations'])"
}

# The generations of FILE are those of image.dsfs but the newest, with the same bytes, and sound.
stays()
{
	cmp -s -i 69632 -n $(($(stat -c %s "$1") - 69632)) "$1" image.dsfs &&
		"$fsck" -q --digest image.dsfs &&
		diff <("$dump" --generations "$1" | tail -n +2) \
			<("$dump" --generations image.dsfs | tail -n +3)
}

# changed NAME COMMAND...: image.dsfs gets a generation; what was there stays
changed()
{
	cp image.dsfs was.dsfs
	exits "$1" 0 "${@:2}"
	check "$1: what was there stays" stays was.dsfs
}

# same_tree N: the newest generation has the tree of generation N, and its digest and codec
same_tree()
{
	local last keys='{k: v for k, v in d["superblock"].items() if k[:5] in ("diges", "codec")}'

	last=$("$dump" --generations image.dsfs | awk 'NR == 2 { print $1 }')
	diff <("$dsfs" digest --full --text --generation="$1" image.dsfs) \
		<("$dsfs" digest --full --text image.dsfs) &&
		diff <("$dump" --json --generation="$1" image.dsfs | json "$keys") \
			<("$dump" --json --generation="$last" image.dsfs | json "$keys")
}

mkdir -p tree/names && touch tree/names/{1..300}
seq 30000 >tree/text
"$mkfs" -q -L raw -m 'as downloaded' --digest=full --compress=zstd:3 --align=object=64K image.dsfs tree
check 'a label is printed' test "$("$dsfs" label image.dsfs)" = raw
cp image.dsfs first.dsfs
changed 'a label' "$dsfs" label image.dsfs clean
check 'a label: a report' grep -q '^generation 2: the tree of generation 1, label clean, UUID ' "$out"
uuid=00000000-0000-4000-8000-00000000000a
changed 'message and UUID' "$dsfs" label -q -m 'no duplicates' -U $uuid image.dsfs
check '-q says nothing' test ! -s "$out"
check 'udev sees both' test "$("$bin/dsfs_id" image.dsfs | grep -xcE "ID_FS_(UUID=$uuid|LABEL=clean)")" = 2
changed 'no label, no message' "$dsfs" label -m '' image.dsfs ''
check 'no label, no message' is '[(e["label"], e["message"]) for e in g] == [("", ""),
	("clean", "no duplicates"), ("clean", "as downloaded"), ("raw", "as downloaded")]'
check 'no label, no message: the same tree' same_tree 1
changed 'all that fits' "$dsfs" label -m "$(printf %01024d 0)" image.dsfs "$(printf %064d 0)"
check 'all that fits' is '(len(g[0]["label"]), len(g[0]["message"])) == (64, 1024)'
echo new >tree/new
"$dsfs" update -q -L bad -m second image.dsfs tree
changed 'an update after it, and a revert' "$dsfs" revert image.dsfs
check 'a revert: a report' grep -q '^generation 7: the tree of generation 5, label 0' "$out"
check 'a revert: the same tree' same_tree 5
changed 'farther back' "$dsfs" revert image.dsfs 1
check 'farther back: the same tree' same_tree 1
check 'labels and messages of both' is '[(e["label"], e["message"]) for e in g[:2]] ==
	[("raw", "revert to generation 1: as downloaded"), ("0" * 64, "revert to generation 5")]'
check 'farther back: it begins with an object' holds 'd["slots"][0]["meta_start"] % 65536 == 0' \
	<("$dump" --json image.dsfs)
changed 'once more: what was reverted' "$dsfs" revert -m back image.dsfs
check 'once more: the message' is 'g[0]["message"] == "back" and len(g) == 9'
"$dsfs" label -q image.dsfs undone
changed 'a revert of it' "$dsfs" revert image.dsfs
check 'a revert of it: blocks of its own alone' is 'g[0]["label"] == "0" * 64 and
	g[0]["image_bytes"] - g[1]["image_bytes"] == 12288'
made 'all of them, packed anew' new.dsfs "$dsfs" compact -q -f --keep=11 image.dsfs new.dsfs
# 1,023 blocks of metadata have checksums in one block.
head -c 4000 /dev/zero | tr '\0' t | sed 's|.*|"path":"/%g","type":"symlink","target":"&"|' >line
seq -f "{$(<line)}" 1000 | "$mkfs" -q --manifest=- many.dsfs
for i in {1..13}; do "$dsfs" label -q many.dsfs "$i"; done
check 'more and more blocks of metadata' "$fsck" -q many.dsfs

for slot in 0 1; do
	"$corrupt" first.dsfs "super $slot checksum^1" torn.dsfs
	FAULT=write:2:kill run with_faults "$dsfs" label torn.dsfs x
	check "slot $slot is damaged, and torn" test "$rc $("$dsfs" label torn.dsfs 2>"$err")" = '137 raw'
done

# refused IMAGE NAME TEXT COMMAND...: nothing is written
refused()
{
	cp "$1" was.dsfs
	says "$2" 1 "$3" "${@:4}"
	check "$2: nothing is written" cmp was.dsfs "$1"
}
refused first.dsfs 'no generation before' 'generation before 1: there is none' "$dsfs" revert first.dsfs
refused first.dsfs 'the newest one' 'generation 1 is the newest one' "$dsfs" revert first.dsfs 1
refused image.dsfs 'one that is not kept' 'generation 99: not in the image' "$dsfs" revert image.dsfs 99
says 'a server' 1 'is on a server' "$dsfs" label http://127.0.0.1:1/x.dsfs x
refused tree/new 'no image' 'not a DSFS image' "$dsfs" label tree/new x
"$corrupt" first.dsfs 'super both compat^2' bad.dsfs
refused bad.dsfs 'an erase' 'files are being erased' "$dsfs" label bad.dsfs x
flip image.dsfs "$(region image.dsfs dirs)"
refused image.dsfs 'a broken generation' 'metadata block at' "$dsfs" label image.dsfs x
check 'a broken generation can be reverted' "$dsfs" revert -q image.dsfs 1
check 'a broken generation: reverted' same_tree 1
"$corrupt" first.dsfs 'note digest_kind=9' bad.dsfs
refused bad.dsfs 'a broken note' 'kind of the digest' "$dsfs" label bad.dsfs x
tar -cf a.tar tree && "$mkfs" -q --tar-index --tar=a.tar archives.dsfs && cat a.tar >>archives.dsfs
refused archives.dsfs 'an archive that was added' 'an archive is behind its end' "$dsfs" label archives.dsfs x
refused first.dsfs 'another update' 'is being updated by another process' \
	flock -s first.dsfs "$dsfs" label first.dsfs x
if loop_of first.dsfs; then
	refused first.dsfs 'in use' "is in use by $loop" "$dsfs" label first.dsfs x
	chmod 755 . && chmod 444 archives.dsfs
	says 'not to be written' 1 'cannot open: Permission denied' "${user[@]}" "$dsfs" label archives.dsfs x
	refused first.dsfs 'no room' 'device too small' "$dsfs" label "$loop" x
	detach
	truncate -s +1M first.dsfs && loop_of first.dsfs
	check 'a device' "$dsfs" label -q "$loop" device
fi
finish
