#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dump.sh - dump.dsfs: what it shows agrees with the tree that was packed, and
# what it extracts is that tree.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
dump=$bin/dump.dsfs
listing=$bin/tests/listing

root=--no-root
[ "$(id -u)" -ne 0 ] || root=
# The carrier may not take every attribute; that is said and left out.
"$bin/tests/mktree" $root tree 2>/dev/null
seq 1000 >tree/broken
"$bin/mkfs.dsfs" -q -L 'a label' good.dsfs tree
"$listing" --as-packed tree >tree.list

# --- superblocks and regions
exits 'superblocks' 0 "$dump" good.dsfs
check 'the label' grep -q '^label: *a\\040label$' "$out"
check 'the other slot' grep -q '^slot 1: *the same$' "$out"
check 'the features that a reader must know' grep -q '^needs: *incompat 0xb (dense names) (small chunk) (rows)$' "$out"
run "$dump" --json good.dsfs
check '--json' holds 'd["slots"][1]["label"] == "a label" and d["used"] == 0'
"$bin/mkfs.dsfs" -q --small-chunk=none --inodes=table small.dsfs tree/types
run "$dump" small.dsfs
check 'none where no directory begins within a block and no file is one chunk' test -z "$(grep '^needs' "$out")"
exits '--regions' 0 "$dump" --regions good.dsfs
check '--regions: none is wrong' test "$(grep -c ' \(ok\|empty\)$' "$out")" = 15
run "$dump" --regions --json good.dsfs
check '--regions --json' holds '[r["name"] for r in d["regions"]][1] == "inodes"'

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
check '--list --json: names of any bytes come back' python3 - "$out" tree.list <<'PY'
import json, os, re, sys
have = [os.fsencode(e["path"]) for e in json.load(open(sys.argv[1]))["list"]]
want = [re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), l.split(b"\t")[0])
        for l in open(sys.argv[2], "rb")]
assert have == want
PY
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
says '--extract to a file' 1 'Not a directory' "$dump" --extract=full/file good.dsfs
ln -s full link
says '--extract through a symlink to a full one' 1 'not empty' "$dump" --extract=link good.dsfs

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
"$bin/mkfs.dsfs" -q twenty.dsfs twenty
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
	run setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$dump" --extract=user/new good.dsfs
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
says 'no such path' 1 '/nothing: No such file' "$dump" --path=/nothing good.dsfs
says 'no directory on the way' 1 '/x: a part of the path is not a directory' "$dump" --path=/types/regular/x good.dsfs
says '--dir of a file' 1 'Not a directory' "$dump" --dir=/types/regular good.dsfs
says '--cat of a directory' 1 'not a regular file' "$dump" --cat=/types good.dsfs
says '--inode out of range' 1 'inode number' "$dump" --inode=4000000 good.dsfs
says '--inode=0' 1 'inode number' "$dump" --inode=0 good.dsfs
says 'no image' 1 'No such file' "$dump" missing
head -c 100000 /dev/zero >zeros
for f in zeros full/file; do
	says "no image: $f" 1 "$f: not a DSFS image" "$dump" --list "$f"
	check "no image: $f: one message" test "$(wc -l <"$err")" = 1
done
says 'a slot without the magic number' 1 'no DSFS superblock: magic 0, expected 0x53465344' bash -c \
	"'$dump' zeros >&2"
ln -s circle circle
says 'symlinks in a circle' 1 'open: symbolic links that lead in a circle' "$dump" circle
says '--extract to symlinks in a circle' 1 'circle: open: symbolic links' \
	"$dump" --extract=circle good.dsfs
says '--extract below a file' 1 'mkdir: a part of the path is not a directory' \
	"$dump" --extract=zeros/x good.dsfs
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
declare -A shared=(
	[table]="region both INODES bytes=$((32 * 22)); region both FILESUMS bytes=$((4 * 22))"
	[rows]='super both inodes=22'
)
for inodes in table rows; do
	share=${shared[$inodes]}
	for d in {1..9}; do
		share+="; dir /d$d first=ino:/d0/f0"
	done
	"$bin/mkfs.dsfs" -q -f --inodes=$inodes --manifest=sharing.list sharing.dsfs
	"$bin/tests/mkcorrupt" sharing.dsfs "$share" bad.dsfs
	says "$inodes: a walk of directories that share entries has an end" 1 \
		'entries of all directories' "$dump" --list bad.dsfs
	says "$inodes: and so has its extraction" 1 'entries of all directories' \
		"$dump" --extract=shared-$inodes bad.dsfs
	says "$inodes: and its check" 4 'entries of all directories' "$bin/fsck.dsfs" bad.dsfs
done
head -c 1000000 /dev/zero >twenty/large
"$bin/mkfs.dsfs" -q -f twenty.dsfs twenty
for show in --list --cat=/large --json; do
	says "standard output is full: $show" 1 'standard output: ' \
		bash -c "'$dump' $show twenty.dsfs >/dev/full"
	check "standard output is full: $show: one message" test "$(wc -l <"$err")" = 1
done

# --- usage
exits '--help' 0 "$dump" --help
exits '-V' 0 "$dump" -V
exits 'usage: no image' 2 "$dump"
exits 'usage: two images' 2 "$dump" good.dsfs good.dsfs
exits 'usage: unknown option' 2 "$dump" --nonsense good.dsfs
says 'usage: two requests' 2 '--regions and --list do not go together' \
	"$dump" --list --regions good.dsfs
says 'usage: --cat --json' 2 '--json and --cat do not go together' \
	"$dump" --json --cat=/x good.dsfs
says 'usage: --extract --json' 2 '--json and --extract do not go together' \
	"$dump" --json --extract=twice good.dsfs
says 'usage: --generations --generation' 2 \
	'--generation and --generations do not go together' \
	"$dump" --generations --generation=1 good.dsfs
for option in --cat=/broken --extract=twice --path=/broken --dir=/ --extents=/broken \
	      --inode=1 '--list --generation=1'; do
	# shellcheck disable=SC2086
	says "usage: $option twice" 2 "--$(sed 's/.*--//; s/=.*//' <<<"$option"): given twice" \
		"$dump" $option $option good.dsfs
	check "usage: $option twice: nothing is shown" test ! -s "$out"
done
check 'usage: nothing is extracted' test ! -e twice
exits 'usage: --inode=x' 2 "$dump" --inode=x good.dsfs
says 'usage: --no-data alone' 2 '--no-data: only with --list' "$dump" --no-data good.dsfs
says 'usage: --verbose alone' 2 '--verbose: only with --extract or --tar or --wds' "$dump" -v good.dsfs
finish
