#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dump.sh - dump.dsfs: what it shows agrees with the tree that was packed, what it extracts is
# that tree, and how it tells what is wrong.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"

zoo tree
seq 1000 >tree/broken
mkfs.dsfs -q -L 'a label' good.dsfs tree
"$listing" --as-packed tree >tree.list

# --- superblocks and regions
exits 'superblocks' 0 "$dump" good.dsfs
check 'the label' grep -q '^label: *a\\040label$' "$out"
check 'the other slot' grep -q '^slot 1: *the same$' "$out"
run "$dump" --json good.dsfs
check '--json' holds 'd["slots"][1]["label"] == "a label" and d["used"] == 0'
check 'no feature that a reader must know' test -z "$(grep '^needs' "$out")"
mkdir packs
seq 30000 >packs/file
mkfs.dsfs -q --compress=lz4 packed.dsfs packs
run "$dump" packed.dsfs
check 'but of compressed files' grep -q '^needs: *incompat 0x1 (compressed files)$' "$out"
exits '--regions' 0 "$dump" --regions good.dsfs
check '--regions: all' test "$(grep -c '^ *[0-9]' "$out")" = 14
run "$dump" --regions --json good.dsfs
check '--regions --json' holds '[r["name"] for r in d["regions"]][1] == "dirs"'

# --- one object
exits '--inode' 0 "$dump" --inode=1 good.dsfs
check '--inode: the root' grep -q '^type: *d$' "$out"
exits '--path' 0 "$dump" --path=/types/symlink-59 good.dsfs
check '--path: a target' grep -q "^target: *$(readlink tree/types/symlink-59)\$" "$out"
run "$dump" --json --path=/types/regular good.dsfs
check '--path --json' holds 'd["type"] == "f" and d["size"] == 1000'
run "$dump" --dir=/types good.dsfs
check '--dir: entries in order' diff \
	<(find tree/types -mindepth 1 -printf '%f\n' | LC_ALL=C sort) <(awk 'NR > 5 { print $6 }' "$out")
check '--dir: all are in the index' test "$(grep -c missing "$out")" = 0
run "$dump" --json --dir=1 good.dsfs
check '--dir=N --json' holds 'd["inode"] == 1 and len(d["entries"]) == d["count"]'
exits '--extents' 0 "$dump" --extents=/sparse/holes-between good.dsfs
check '--extents: holes' grep -q ' hole$' "$out"
run "$dump" --json --extents=/sparse/holes-between good.dsfs
check '--extents --json' holds 'sum(e["length"] for e in d["extents"]) == d["size"]'
run "$dump" --cat=/sparse/holes-between good.dsfs
check '--cat' cmp "$out" tree/sparse/holes-between

# --- everything
exits '--list' 0 "$dump" --list good.dsfs
check '--list is the listing of the tree' diff tree.list "$out"
run "$dump" --list --json good.dsfs
check '--list --json' holds "len(d['list']) == $(wc -l <tree.list)"
run "$dump" --list --no-data good.dsfs
check '--list --no-data' diff \
	<(awk -F '\t' -v OFS='\t' '$2 == "f" { $11 = "-" } 1' tree.list) "$out"

# --- extracting
exits '--extract' 0 "$dump" --extract=new good.dsfs
check '--extract: the tree' diff tree.list <("$listing" --as-packed new)
check '--extract: holes' test "$(stat -c %b new/sparse/hole-first)" -lt \
	$(($(stat -c %s new/sparse/hole-first) / 512))
mkdir empty full
: >full/file
exits '--extract into an empty directory' 0 "$dump" --extract=empty good.dsfs
says '--extract into a full one' 1 'Directory not empty' "$dump" --extract=full good.dsfs
check 'and it is left alone' test "$(ls full)" = file
ln -s full link
rows <<'T'
--extract to a file|1|Not a directory|dump.dsfs --extract=full/file good.dsfs
--extract through a symlink to a full one|1|not empty|dump.dsfs --extract=link good.dsfs
T

# Above a limit of sizes a file is not there, and all others are.
limited()
(
	ulimit -f 2
	"$dump" --extract="$1" good.dsfs
)
says '--extract above the limit of sizes' 1 '/broken: content: File too large' limited small
check 'it leaves the file out' test ! -e small/broken
check 'all that is there is whole' test -z "$("$listing" --as-packed small |
	grep -v '^/	' | grep -vxFf tree.list)"

cp good.dsfs bad.dsfs
flip bad.dsfs "$(data_of bad.dsfs /broken)"
says '--extract of bad data names the file' 1 '/broken: content: data checksum' \
	"$dump" --extract=part bad.dsfs
check 'the file is left out, all else is there' diff \
	<(grep -v '^/broken' tree.list) <("$listing" --as-packed part)
says '--cat of bad data' 1 'data checksum' "$dump" --cat=/broken bad.dsfs
check '--cat: nothing bad is written' test ! -s "$out"
says '--list of bad data' 1 '/broken: content' "$dump" --list bad.dsfs
check '--list: an errno stands for it' grep -q "^/broken	.*	!74	" "$out"
for region in symlinks xattrs; do
	read -r at bytes < <("$dump" --regions good.dsfs |
			     awk -v name=$region '$2 == name { print $3, $4 }')
	[ "$bytes" -gt 0 ] || continue
	cp good.dsfs bad.dsfs
	flip bad.dsfs $((at + 10))
	says "--list of bad $region" 1 'wrong checksum' "$dump" --list bad.dsfs
	check "--list: an errno stands for $region" grep -q '	!74\(	\|$\)' "$out"
done

# --- what fails again and again
mkdir -p twenty
for i in {1..20}; do
	echo "$i" >"twenty/$i"
done
mkfs.dsfs -q twenty.dsfs twenty
few_files()
(
	# the image, the target and a directory of it are open, and no file can be
	exec 3>&- 4>&- 5>&-
	ulimit -n 6
	"$dump" --extract="$1" twenty.dsfs
)
says 'no more open files' 1 'Too many open files: stopped here' few_files none
check 'no more open files: one message' test "$(wc -l <"$err")" = 1
cp twenty.dsfs bad.dsfs
for i in {1..15}; do
	flip bad.dsfs "$(data_of bad.dsfs "/$i")"
done
says 'many bad files' 1 'some: 15 errors, 5 of them not named: --verbose names all' \
	"$dump" --extract=some bad.dsfs
check 'many bad files: ten are named' test "$(grep -c ': content: ' "$err")" = 10
check 'many bad files: the others are there' test "$(find some -mindepth 1 -printf x | wc -c)" = 5
exits 'many bad files: --verbose' 1 "$dump" -v --extract=more bad.dsfs
check 'many bad files: --verbose names all' test "$(grep -c ': content: ' "$err")" = 15
check 'many bad files: --verbose: no more than that' test "$(wc -l <"$err")" = 15

if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$work"
	mkdir -m 777 user
	run "${user[@]}" "$dump" --extract=user/new good.dsfs
	check '--extract as a user: what only root can is named' grep -q \
		'/types/char-1-3: mknod: Operation not permitted' "$err"
	check '--extract as a user: contents' diff \
		<(awk -F '\t' '$2 == "f" { print $1, $11 }' tree.list) \
		<("$listing" --as-packed user/new |
		  awk -F '\t' '$2 == "f" { print $1, $11 }')
else
	skip '--extract as a user' 'not root'
fi

# --- what is wrong
rows <<'T'
no such path|1|/nothing: No such file|dump.dsfs --path=/nothing good.dsfs
below a file|1|/x: a part of the path is not a directory|dump.dsfs --path=/types/regular/x good.dsfs
--dir of a file|1|Not a directory|dump.dsfs --dir=/types/regular good.dsfs
--cat of a directory|1|not a regular file|dump.dsfs --cat=/types good.dsfs
--inode out of range|1|inode number|dump.dsfs --inode=4000000 good.dsfs
--inode=0|1|inode number|dump.dsfs --inode=0 good.dsfs
--inode=x|2||dump.dsfs --inode=x good.dsfs
no image|1|No such file|dump.dsfs missing
T
head -c 100000 /dev/zero >zeros
for f in zeros full/file; do
	says "no image: $f" 1 "$f: not a DSFS image" "$dump" --list "$f"
	check "no image: $f: one message" test "$(wc -l <"$err")" = 1
done
ln -s circle circle
rows <<'T'
a slot without the magic number|1|superblock: magic 0, expected 0x53465344|dump.dsfs zeros >&2
symlinks in a circle|1|open: symbolic links that lead in a circle|dump.dsfs circle
--extract to a circle|1|circle: mkdir: File exists|dump.dsfs --extract=circle good.dsfs
--extract below a file|1|mkdir: a part of the path is not a directory|dump.dsfs --extract=zeros/x good.dsfs
T
cp good.dsfs bad.dsfs
flip bad.dsfs 1100
says 'a bad slot is named, the rest is shown' 1 'slot 0: superblock checksum' "$dump" --list bad.dsfs
check 'a checksum has no limit, but an expected value' \
	grep -Eq 'slot 0: superblock checksum: 0x[0-9a-f]+, expected 0x[0-9a-f]+: wrong checksum$' "$err"
check 'and it is all there' diff tree.list "$out"

# Ten directories of ten files that are all the same ten: a few more of them and
# a small image would keep a walk busy for days.
for d in {0..9}; do
	printf "/d$d/f%d\\n" {0..9}
done | "$top/tests/tools/mklist" >sharing.list
share='super both inodes=22'
for d in {1..9}; do
	share+="; dir /d$d first=ino:/d0/f0"
done
mkfs.dsfs -q -f --manifest=sharing.list sharing.dsfs
"$corrupt" sharing.dsfs "$share" bad.dsfs
says 'a walk of directories that share entries has an end' 1 'entries of all directories' \
	"$dump" --list bad.dsfs
says 'and so has its extraction' 1 'entries of all directories' "$dump" --extract=shared bad.dsfs
says 'and its check' 4 'entries of all directories' fsck.dsfs bad.dsfs
finish
