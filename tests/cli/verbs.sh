#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# verbs.sh - dsfs ls, info, cat and extract: what they say is what ls(1) and find(1) say of the tree
# that was packed, what comes out is that tree, and how they tell what is wrong.
set -euo pipefail
. "$(dirname "$0")/cases"

zoo tree
seq 1000 >tree/broken
mkfs.dsfs -q -L 'a label' good.dsfs tree
"$listing" --as-packed tree >tree.list

# --- ls
# like_ls DIR: all but directories, whose size and links are those of the file system, and the
# mark of ACLs
like_ls()
{
	# shellcheck disable=SC2012 # it is ls(1) whose form it has
	diff <(TZ=UTC0 ls -lnA --time-style='+%Y-%m-%d %H:%M' "tree/$1" | sed '1d; s/^\(..........\)[+.]/\1/') \
		<(TZ=UTC0 "$dsfs" ls -l good.dsfs "$1") --ignore-space-change -I '^d'
}

for dir in types modes sizes owners times; do
	check "ls -l of $dir: as ls(1)" like_ls $dir
done
check 'ls: sorted names' diff <("$dsfs" ls good.dsfs //sizes/) <(LC_ALL=C ls tree/sizes)
check 'ls -R0: all paths' diff <("$dsfs" ls -R0 good.dsfs | sort -z | tr '\0' '\n') \
	<(find tree -mindepth 1 -printf '/%P\0' | sort -z | tr '\0' '\n')
check 'ls -R: of a directory' diff <("$dsfs" ls -R good.dsfs dirs | sort) \
	<(find tree/dirs -mindepth 1 -printf '/dirs/%P\n' | sort)
check 'ls: a name that a terminal would obey' test "$("$dsfs" ls -R good.dsfs | tr -d '\n' | LC_ALL=C tr -dc '\001-\037')" = ''
check 'ls: a file' test "$("$dsfs" ls good.dsfs types/regular)" = /types/regular

# --- cat
run "$dsfs" cat good.dsfs /sparse/holes-between
check 'cat' cmp "$out" tree/sparse/holes-between

# --- extracting
exits 'extract' 0 "$dsfs" extract good.dsfs new
check 'extract: the tree' diff tree.list <("$listing" --as-packed new)
check 'extract: holes' test "$(stat -c %b new/sparse/hole-first)" -lt \
	$(($(stat -c %s new/sparse/hole-first) / 512))
mkdir empty full
: >full/file
exits 'extract into an empty directory' 0 "$dsfs" extract good.dsfs empty
says 'extract into a full one' 1 'Directory not empty' "$dsfs" extract good.dsfs full
check 'and it is left alone' test "$(ls full)" = file
ln -s full link
rows <<'T'
extract to a file|1|Not a directory|dsfs extract good.dsfs full/file
extract through a symlink to a full one|1|not empty|dsfs extract good.dsfs link
extract below a file|1|mkdir: a part of the path is not a directory|dsfs extract good.dsfs full/file/x
cat of a directory|1|not a regular file|dsfs cat good.dsfs /types
ls of nothing|1|/types/none: No such file|dsfs ls good.dsfs types/none
T

# Above a limit of sizes a file is not there, and all others are.
limited()
(
	ulimit -f 2
	"$dsfs" extract good.dsfs "$1"
)
says 'extract above the limit of sizes' 1 '/broken: content: File too large' limited small
check 'it leaves the file out' test ! -e small/broken
check 'all that is there is whole' test -z "$("$listing" --as-packed small |
	grep -v '^/	' | grep -vxFf tree.list)"

cp good.dsfs bad.dsfs
flip bad.dsfs "$(data_of bad.dsfs /broken)"
says 'extract of bad data names the file' 1 '/broken: content: data checksum' \
	"$dsfs" extract bad.dsfs part
check 'the file is left out, all else is there' diff \
	<(grep -v '^/broken' tree.list) <("$listing" --as-packed part)
says 'cat of bad data' 1 'data checksum' "$dsfs" cat bad.dsfs /broken
check 'cat: nothing bad is written' test ! -s "$out"
says 'digest --text of bad data' 1 '/broken: content' "$dsfs" digest --full --text bad.dsfs
check 'digest --text: a mark stands for it' grep -q '^/broken	.*	!\(	\|$\)' "$out"
for region in symlinks xattrs; do
	read -r at bytes < <("$dump" --regions good.dsfs |
			     awk -v name=$region '$2 == name { print $3, $4 }')
	[ "$bytes" -gt 0 ] || continue
	cp good.dsfs bad.dsfs
	flip bad.dsfs $((at + 10))
	says "digest --text of bad $region" 1 'wrong checksum' "$dsfs" digest --full --text bad.dsfs
	check "digest --text: a mark stands for $region" grep -q '	!\(	\|$\)' "$out"
done

# --- what fails again and again
mkdir -p twenty
for i in {1..20}; do
	echo "$i" >"twenty/$i"
done
mkfs.dsfs -q twenty.dsfs twenty
cp twenty.dsfs bad.dsfs
for i in {1..15}; do
	flip bad.dsfs "$(data_of bad.dsfs "/$i")"
done
says 'many bad files' 1 'some: 15 errors, 5 of them not named: --verbose names all' \
	"$dsfs" extract bad.dsfs some
check 'many bad files: ten are named' test "$(grep -c ': content: ' "$err")" = 10
check 'many bad files: the others are there' test "$(find some -mindepth 1 -printf x | wc -c)" = 5
exits 'many bad files: --verbose' 1 "$dsfs" extract -v bad.dsfs more
check 'many bad files: --verbose names all' test "$(grep -c ': content: ' "$err")" = 15
check 'many bad files: --verbose: no more than that' test "$(wc -l <"$err")" = 15

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
	"$dsfs" ls -R bad.dsfs
says 'and so has its extraction' 1 'entries of all directories' "$dsfs" extract bad.dsfs shared
says 'and its check' 4 'entries of all directories' fsck.dsfs bad.dsfs
finish
