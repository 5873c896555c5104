#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2119 # mklist takes options or none
#
# memory.sh - mkfs.dsfs --memory: whatever part of the tree is in a temporary file, the image has
# the same bytes; and if there can be no such file, too; for directories, manifests and archives.
set -euo pipefail
. "$(dirname "$0")/cases"
options=(-q -f -T 5 -U 11111111-2222-4333-8444-555555555555)

# Without room for it in a file, as on a full disk
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
	cp "$err" words
	exits "$name: --memory=1" 0 "$mkfs" "${options[@]}" --memory=1 new.dsfs "$@"
	check "$name: --memory=1: no more to say" cmp words "$err"
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
(cat lines && echo '/more type=link target=/tree/a/1/file1') | mklist >list
tar -cf tree.tar --sort=name --format=posix tree

packed directory tree
packed manifest --manifest=list
packed tar --tar=tree.tar

# Many members in no order, with hard links, and names that come again
python3 - <<'EOF'
import io, tarfile
n = 20000
with tarfile.open("members.tar", "w", format=tarfile.USTAR_FORMAT) as out:
    def name(i):
        return f"d{i % 7}/e{i % 50}/file{i:06d}"
    def file(i, data):
        info = tarfile.TarInfo(name(i))
        info.size = len(data)
        out.addfile(info, io.BytesIO(data))
    for i in range(n):
        file(i * 7919 % n, b"%d" % (i % (2 * n // 3)))
        if i % 10 == 0:
            link = tarfile.TarInfo(f"links/{i:06d}")
            link.type, link.linkname = tarfile.LNKTYPE, name(i * 7919 % n)
            out.addfile(link)
    for i in range(0, n, 100):
        file(i, b"again %d" % i)
EOF
packed members --tar=members.tar
check 'members: sound' "$fsck" -q one.dsfs
mkdir members
tar -xf members.tar -C members
check 'members: what GNU tar makes of it' holds_tree one.dsfs members
links()
{
	(cd "$1" && find . -type f -printf '%n %P\n' | LC_ALL=C sort)
}
check 'members: and its links' diff <(links members) <(links extracted)
# The same lines by directory, which is the other extreme
(LC_ALL=C sort lines && echo '/more type=link target=/tree/a/1/file1') | mklist >sorted
exits 'lines by directory' 0 "$mkfs" "${options[@]}" one.dsfs --manifest=sorted
exits 'lines by name: --memory=1T' 0 "$mkfs" "${options[@]}" --memory=1T new.dsfs --manifest=list
check 'lines by name: --memory=1T: the same bytes' cmp one.dsfs new.dsfs
awk -v n=700000 'BEGIN {
	for (i = 0; i < n; i++)
		printf "{\"path\":\"/d%03d/n%06d\"}\n", i * 48271 % n % 400, i * 48271 % n
}' >many
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
exits 'update' 0 "$dsfs" update -q -T 6 one.dsfs tree
exits 'update --memory=1' 0 "$dsfs" update -q -T 6 --memory=1 old.dsfs tree
check 'update --memory=1: the same bytes' cmp one.dsfs old.dsfs
exits 'compact' 0 "$dsfs" compact -q -f -m c one.dsfs new.dsfs
exits 'compact --memory=1' 0 "$dsfs" compact -q -f -m c --memory=1 one.dsfs old.dsfs
check 'compact --memory=1: the same tree' test "$("$bin/dsfs" digest --full new.dsfs)" = \
	"$("$bin/dsfs" digest --full old.dsfs)"
# A temporary file that cannot be read back: cut while the manifest is read
cut_short()
{
	local pid fd cut=''

	mkfifo lines.fifo
	# shellcheck disable=SC2094 # a reader that never ends before its writer
	"$mkfs" "${options[@]}" --memory=1 cut.dsfs --manifest=lines.fifo & pid=$!
	exec {fd}>lines.fifo
	mklist <lines >&"$fd"
	until [ -n "$cut" ]; do
		cut=$(find "/proc/$pid/fd" -lname '*(deleted)' -print -quit)
		kill -0 "$pid" || return 2
	done
	truncate -s 0 "$cut"
	# More lines, at which it may have ended already
	{ mklist <lines >&"$fd"; } 2>/dev/null || true
	exec {fd}>&-
	wait "$pid"
}

says 'a temporary file that is gone' 1 'a mapped file, such as that of --memory' cut_short
check 'and no image is left' test -z "$(find . -name '*cut.dsfs*')"
finish
