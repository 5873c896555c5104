#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# view.sh - dsfs view: what is written, and what EROFS cannot describe.  Whether it is the same
# tree, fsck.erofs says here; tests/judge/view and kernels have more of it.
set -uo pipefail
. "$(dirname "$0")/cases"
prog=view

mkdir tree
seq 1 2000 >tree/large		# 8893 bytes: its last block has the other's bytes, too
echo small >tree/small
cp tree/small tree/same
ln tree/large tree/link
ln -s large tree/symlink
"$mkfs" -q image.dsfs tree

# extracted IMAGE VIEW: fsck.erofs takes the tree out of both, as of one device
extracted()
{
	"$top/tests/judge/view-join" "$2" "$1" joined
	rm -rf out
	fsck.erofs --extract=out joined >/dev/null && diff -r tree out
}

exits 'a view' 0 "$dsfs" view image.dsfs image.view
"$dsfs" view image.dsfs again.view >/dev/null
check 'the same again' cmp image.view again.view
if command -v fsck.erofs >/dev/null; then
	check 'its tree' extracted image.dsfs image.view
else
	skip 'its tree' 'no fsck.erofs'
fi

echo more >>tree/small
"$dsfs" update -q image.dsfs tree
"$dsfs" view --generation=1 image.dsfs old.view >/dev/null
check 'the view of an older generation' cmp image.view old.view
says 'a file that is there' 1 'exists: -f replaces it' "$dsfs" view image.dsfs image.view
check 'it stays' cmp image.view again.view
exits '-f' 0 "$dsfs" view -f image.dsfs image.view
check 'it is replaced' not cmp -s image.view again.view
if command -v fsck.erofs >/dev/null; then
	check 'the new tree' extracted image.dsfs image.view
fi

printf 'y\n%.0s' {1..9000} >tree/packed
"$mkfs" -q --compress=zstd packed.dsfs tree
tar -C tree -cf tree.tar .
"$mkfs" -q --tar-index --tar=tree.tar parts.dsfs
truncate -s 1T sparse
for n in 3 5000 900000; do
	printf x | dd of=sparse bs=4096 seek=$n conv=notrunc status=none
done
mkdir holes
mv sparse holes
"$mkfs" -q holes.dsfs holes
rows <<'T'
compressed|1|2 files compressed: pack anew with --compress=none|"$dsfs" view packed.dsfs new
parts of archives|1|of more than 4096 bytes at no multiple of 4096|"$dsfs" view parts.dsfs new
a map too long|1|1 file with holes too small for the size|"$dsfs" view holes.dsfs new
no folder|1|no/such/new: directory: No such file|"$dsfs" view image.dsfs no/such/new
the image as FILE|1|tree/../image.dsfs: is the image|"$dsfs" view -f image.dsfs tree/../image.dsfs
T
check 'nothing is left of those' not test -e new

# --- limits --------------------------------------------------------------

# attrs LINE: an image of one file, which the line of Python gives attributes
attrs()
{
	python3 -c "import json; print(json.dumps({'path': '/file', 'xattrs': $1}))" >list
	"$mkfs" -q -f --manifest=list attrs.dsfs
}

# told NAME TEXT VIEW IMAGE PATH: dump.erofs says so of an inode
told()
{
	dump.erofs --device="$4" --path="$5" -e "$3" >said 2>&1
	check "$1" grep -qF -- "$2" said
}

# taken NAME IMAGE: there is a view, and fsck.erofs takes it
taken()
{
	exits "$1" 0 "$dsfs" view -f "$2" image.view
	check "$1: fsck.erofs" fsck.erofs --device="$2" image.view
}

attrs "{f'user.{i}': '00' for i in range(256)}"
says '256 attributes' 1 '1 file with more than 255 attributes' "$dsfs" view attrs.dsfs new
attrs "{'user.a': '00' * 65536}"
says 'an attribute of 65,536 bytes' 1 'or a long one: mount by dsfs-fuse(8)' "$dsfs" view attrs.dsfs new
if ! command -v fsck.erofs >/dev/null || ! command -v dump.erofs >/dev/null; then
	skip 'limits' 'no fsck.erofs and dump.erofs'
	finish
fi
attrs "{f'user.{i}': '00' for i in range(255)}"
taken '255 attributes' attrs.dsfs
attrs "{'user.v': '61' * 65535, 'security.' + 'n' * 246: '62'}"
taken 'an attribute of 65,535 bytes, a name of 255' attrs.dsfs

printf '{"path":"%s"}\n' '/owner","uid":4294967294,"gid":4000000000,"mtime":"-1.5' \
	'/old","mtime":"-9223372036.000000001' '/late","mtime":"9223372036.854775807' \
	"/$(printf '%0255d' 7)" >list
"$mkfs" -q --manifest=list ends.dsfs
taken 'what is at the ends of its range' ends.dsfs
told 'owners of 32 bits' 'Uid: 4294967294   Gid: 4000000000' image.view ends.dsfs /owner
told 'a time before 1970' 'Timestamp: 1969-12-31 23:59:58.500000000' image.view ends.dsfs /owner
told 'the first second' 'Timestamp: 1677-09-21 00:12:43.999999999' image.view ends.dsfs /old
told 'the last nanosecond' 'Timestamp: 2262-04-11 23:47:16.854775807' image.view ends.dsfs /late
told 'a name of 255 bytes' 'Size: 0' image.view ends.dsfs "/$(printf '%0255d' 7)"

# Numbers of blocks have 32 bits: 16 TiB.  Data of the second generation lies behind 15 TiB.
far=$(mktemp -d -p /dev/shm)
at_exit 'rm -rf "$far"'
rm -rf tree/packed
"$mkfs" -q -f image.dsfs tree
"$top/tests/tools/mkfar" image.dsfs "$far/image" $((15 << 40))
seq 3 3000 >tree/far
"$dsfs" update -q "$far/image" tree
taken 'data behind 15 TiB' "$far/image"
view=$(stat -c %s image.view)
at=$("$dump" --extents=/far "$far/image" | awk 'f { print $3; exit } /logical/ { f = 1 }')
told 'data behind 15 TiB: its block' "$((at + view))..$((at + view + 16384))" \
	image.view "$far/image" /far
"$top/tests/tools/mkfar" image.dsfs "$far/image" $(((16 << 40) - view - 4096))
says 'a block too many' 1 'EROFS ends at 16 TiB' "$dsfs" view "$far/image" new
"$top/tests/tools/mkfar" image.dsfs "$far/image" $(((16 << 40) - view - 8192))
taken 'the last block that there is' "$far/image"
finish
