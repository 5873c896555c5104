#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memory.sh - mkfs.dsfs --memory: whatever part of the tree is in a temporary file, the image has
# the same bytes; and if there can be no such file, too.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
mkfs=$bin/mkfs.dsfs
options=(-q -f -T 5 -U 11111111-2222-4333-8444-555555555555)

# Without room for it in a file, as on a full disk
# shellcheck disable=SC2317 # exits calls it
small_files()
(
	ulimit -f 10000
	trap '' XFSZ
	exec "$@"
)

# packed NAME ARGUMENT...: one.dsfs, of a tree in memory; the others are to be equal
packed()
{
	local name=$1

	shift
	exits "$name" 0 "$mkfs" "${options[@]}" one.dsfs "$@"
	exits "$name: --memory=1" 0 "$mkfs" "${options[@]}" --memory=1 new.dsfs "$@"
	check "$name: --memory=1: nothing to say" test ! -s "$err"
	check "$name: --memory=1: the same bytes" cmp one.dsfs new.dsfs
	says "$name: no file" 0 'cannot make a temporary file longer' \
		small_files "$mkfs" "${options[@]}" --memory=1 new.dsfs "$@"
	check "$name: no file: the same bytes" cmp one.dsfs new.dsfs
}

mkdir -p tree/{a,b,c}/{1,2}
for d in tree/*/*; do
	for i in {1..40}; do
		echo "$d $((i % 30))" >"$d/file$i"
	done
	ln "$d/file1" "$d/link"
	ln -s file1 "$d/symlink"
done
# Names of the directories come again and again
find tree -type f | awk -F / '{ print $NF, $0 }' | LC_ALL=C sort | sed 's/.* \(.*\)/\/\1 source=\1/' >lines
(cat lines && echo '/more type=link target=/tree/a/1/file1') | "$top/tests/tools/mklist" >list
tar -cf tree.tar --sort=name --format=posix tree

packed directory tree
packed manifest --manifest=list
packed tar --tar=tree.tar
# The same lines by directory, which is the other extreme
(LC_ALL=C sort lines && echo '/more type=link target=/tree/a/1/file1') | "$top/tests/tools/mklist" >sorted
exits 'lines by directory' 0 "$mkfs" "${options[@]}" one.dsfs --manifest=sorted
for memory in 1T 1; do
	exits "lines by name: --memory=$memory" 0 \
		"$mkfs" "${options[@]}" --memory=$memory new.dsfs --manifest=list
	check "lines by name: --memory=$memory: the same bytes" cmp one.dsfs new.dsfs
done
# More lines than would be kept in memory: in no order they need no more than sorted ones
# shellcheck disable=SC2317 # exits calls it
little_memory()
(
	ulimit -d 40000
	exec "$@"
)

awk -v n=700000 'BEGIN {
	for (i = 0; i < n; i++)
		printf "{\"path\":\"/d%03d/n%06d\"}\n", i * 48271 % n % 400, i * 48271 % n
}' >many
LC_ALL=C sort many >sorted
for list in sorted many; do
	exits "$list lines: --memory=1 in 40 MB" 0 \
		little_memory "$mkfs" -n --threads=1 --memory=1 new.dsfs --manifest=$list
done
# The defaults of a line are those where it stands, and a name again is told of its later line
awk 'NR % 50000 == 1 { printf "{\"default\":{\"uid\":%d}}\n", NR } NR % 7 == 0 || NR < 9000' many >list
exits 'defaults between the lines' 0 "$mkfs" "${options[@]}" one.dsfs --manifest=list
exits 'defaults between the lines: --memory=1' 0 \
	"$mkfs" "${options[@]}" --memory=1 new.dsfs --manifest=list
check 'defaults between the lines: --memory=1: the same bytes' cmp one.dsfs new.dsfs
again=$(tail -n 1 many)
first=$(grep -nxF "$again" list)
echo "$again" >>list
again=${again%\"*}
says 'a name again' 1 "line $(wc -l <list): ${again##*\"}: already in line ${first%%:*}" \
	"$mkfs" "${options[@]}" --memory=1 new.dsfs --manifest=list
for image in one old; do
	"$mkfs" "${options[@]}" $image.dsfs tree
done
echo new >tree/a/new
exits '--update' 0 "$mkfs" -q -T 6 --update one.dsfs tree
exits '--update --memory=1' 0 "$mkfs" -q -T 6 --update --memory=1 old.dsfs tree
check '--update --memory=1: the same bytes' cmp one.dsfs old.dsfs
exits '--compact' 0 "$mkfs" -q -f -m c --compact one.dsfs new.dsfs
exits '--compact --memory=1' 0 "$mkfs" -q -f -m c --compact --memory=1 one.dsfs old.dsfs
check '--compact --memory=1: the same tree' test "$("$bin/dump.dsfs" --digest=full new.dsfs)" = \
	"$("$bin/dump.dsfs" --digest=full old.dsfs)"
# A temporary file that cannot be read back: cut while the manifest is read
cut_short()
{
	local pid fd cut=''

	mkfifo lines.fifo
	# shellcheck disable=SC2094 # a reader that never ends before its writer
	"$mkfs" "${options[@]}" --memory=1 cut.dsfs --manifest=lines.fifo & pid=$!
	exec {fd}>lines.fifo
	"$top/tests/tools/mklist" <lines >&"$fd"
	until [ -n "$cut" ]; do
		cut=$(find "/proc/$pid/fd" -lname '*(deleted)' -print -quit)
		kill -0 "$pid" || return 2
	done
	truncate -s 0 "$cut"
	# More lines, at which it may have ended already
	{ "$top/tests/tools/mklist" <lines >&"$fd"; } 2>/dev/null || true
	exec {fd}>&-
	wait "$pid"
}

says 'a temporary file that is gone' 1 'a mapped file, such as that of --memory' cut_short
check 'and no image is left' test -z "$(find . -name '*cut.dsfs*')"
says '--memory=0' 2 '--memory: 0: not a size of at least 1 byte' "$mkfs" --memory=0 new.dsfs tree
finish
