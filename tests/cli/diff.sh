#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# diff.sh - dsfs diff: what it says changed is what the texts of two digests differ in; and
# what it does not read.
set -euo pipefail
. "$(dirname "$0")/cases"

# expected FROM TO: the same, of the texts of the digests of two generations of image.dsfs
expected()
{
	for n in "$1" "$2"; do
		"$dsfs" digest --full --text --generation="$n" image.dsfs >"text.$n"
	done
	python3 - "text.$1" "text.$2" <<'PY'
import collections, sys

def listing(path):
    rows = [l.rstrip("\n").split("\t") for l in open(path)][1:]
    links = collections.Counter(r[6] if r[6] != "-" else r[0] for r in rows)
    return {r[0]: r + [links[r[6] if r[6] != "-" else r[0]]] for r in rows}

# path, type, mode, uid, gid, mtime, link, content, xattrs, and the number of links
def changes(x, y):
    if not x or not y or x[1] != y[1]:
        if x:
            yield "removed", x[1], "-"
        if y:
            yield "added", y[1], "-"
        return
    word = {"f": "content", "l": "target"}.get(x[1], "device")
    data = [word] if x[7] != y[7] else []
    what = data + (["mode"] if x[2] != y[2] else []) + (["owner"] if x[3:5] != y[3:5] else []) + \
        (["mtime"] if x[5] != y[5] else []) + (["xattrs"] if x[8:-1] != y[8:-1] else []) + \
        (["links"] if x[1] != "d" and (x[-1], x[6]) != (y[-1], y[6]) else [])
    if what:
        yield "data" if data else "attributes", y[1], ",".join(what)

a, b = listing(sys.argv[1]), listing(sys.argv[2])
for path in sorted(a.keys() | b.keys()):
    for change, kind, what in changes(a.get(path), b.get(path)):
        print(change, kind, path, what, sep="\t")
PY
}

# same NAME FROM TO
same()
{
	exits "$1" 0 "$dsfs" diff image.dsfs "$2..$3"
	check "$1: as the texts differ" diff <(expected "$2" "$3" | LC_ALL=C sort) \
		<(LC_ALL=C sort "$out")
}

zoo tree
rm -rf tree/long-path
mkdir tree/old tree/old/dir tree/kept
seq 100 | tee tree/old/file tree/old/dir/file tree/kept/touched >tree/kept/same
seq 50000 | tee tree/kept/byte >tree/kept/size
ln tree/old/file tree/kept/linked
ln -s a tree/kept/symlink
mkfifo tree/kept/type
mkdir tree/kept/type2
touch tree/kept/type2/inside tree/zero
"$mkfs" -q image.dsfs tree
same 'one generation and itself' 1 1
check 'nothing is the other' test ! -s "$out"
"$dsfs" update -q image.dsfs tree
same 'an update that changes nothing' 1 2
check 'nothing is another' test ! -s "$out"

rm -r tree/old tree/kept/type tree/kept/type2 tree/zero
echo file | tee tree/kept/type >tree/kept/type2
mkdir -p tree/zero/a/b tree/new
touch tree/zero/a/b/c tree/new/{1..9}
chmod 600 tree/kept/touched
touch -d @5.000000005 tree/kept/touched
printf x | dd of=tree/kept/byte bs=1 seek=100000 conv=notrunc status=none
echo more >>tree/kept/size
ln -sfn b tree/kept/symlink
ln tree/kept/same tree/kept/again
truncate -s 50M tree/sparse/hole-first
if [ "$(id -u)" -eq 0 ]; then
	chown 7:8 tree/kept/same
	rm tree/types/char-1-3
	mknod tree/types/char-1-3 c 1 5
fi
setfattr -n user.new -v x tree/kept/size 2>/dev/null || true
"$dsfs" update -q image.dsfs tree
same 'all that can change' 2 3
for line in 'removed	d	/old/dir	-' 'removed	p	/kept/type	-' 'added	f	/kept/type	-' \
	    'removed	f	/kept/type2/inside	-' 'added	f	/zero/a/b/c	-' \
	    'attributes	f	/kept/touched	mode,mtime' 'data	f	/kept/byte	content,mtime' \
	    'attributes	f	/kept/linked	links'; do
	check "it says: $line" grep -qxF "$line" "$out"
done
check 'in the order of the listing' diff <(cut -f 3 "$out" | uniq) \
	<(cut -f 3 "$out" | uniq | LC_ALL=C sort -t / -k 1,1 -k 2,2 -k 3,3 -k 4,4 -k 5,5)
cp "$out" forth
same 'over two updates' 1 3
check 'to the newest' cmp "$out" <("$dsfs" diff image.dsfs 1)
same 'backwards' 3 2
check 'backwards: removed is added' test "$(cut -f 1 forth | sed 's/added/x/; s/removed/added/; s/x/removed/' | sort | uniq -c)" = \
	"$(cut -f 1 "$out" | sort | uniq -c)"
exits '--json' 0 "$dsfs" diff --json image.dsfs 2..3
check '--json: as many of each' holds "$(cut -f 1 forth | sort | uniq -c |
	awk '{ printf "d[\"%s\"] == %d and ", $2, $1 }')len(d['changes']) == $(wc -l <forth)"
check '--json: the generations' holds '(d["from"], d["to"]) == (2, 3)'
check '--json: a change' holds '{"change": "data", "type": "f", "path": "/kept/byte",
	"what": ["content", "mtime"]} in d["changes"]'

# --- a small generation beside a large one, whose directories come first
mkdir -p few many
for i in {1..60}; do
	mkdir "many/d$i"
done
touch few/last many/last
touch -r few few/last many/last many
"$mkfs" -q -f image.dsfs few
"$dsfs" update -q image.dsfs many
same 'many directories in front of a name' 1 2

# --- what is read: the same bytes are not, so damage to them is not met
mkdir large
head -c 3000000 /dev/urandom >large/file
"$mkfs" -q -f image.dsfs large
cp large/file large/copy
mv large/copy large/file
"$dsfs" update -q image.dsfs large
flip image.dsfs "$(data_of image.dsfs /file)"
exits 'bytes that both share are not read' 0 "$dsfs" diff image.dsfs 1..2
check 'a time changed' grep -qx 'attributes	f	/file	mtime' "$out"
head -c 3000000 /dev/urandom >large/file
"$mkfs" -q -f image.dsfs large
head -c 3000000 /dev/urandom >large/file
"$dsfs" update -q image.dsfs large
flip image.dsfs "$(data_of image.dsfs /file)"
exits 'bytes of other checksums are not read' 0 "$dsfs" diff image.dsfs 1..2
check 'the contents changed' grep -qx 'data	f	/file	content,mtime' "$out"
# Gone, and there again with the same bytes elsewhere, with holes and without.
mkdir back
head -c 3000000 /dev/urandom >back/file
cp back/file back/holes
truncate -s 9M back/holes
"$mkfs" -q -f image.dsfs back
mv back gone
mkdir back
"$dsfs" update -q --force image.dsfs back
rm -r back
mv gone back
"$dsfs" update -q image.dsfs back
check 'the bytes lie elsewhere' test "$(data_of image.dsfs /file)" != \
	"$(data_of image.dsfs /file --generation=1)"
same 'gone and there again' 1 3
check 'gone and there again: nothing changed' test ! -s "$out"
flip image.dsfs "$(data_of image.dsfs /holes)"
says 'bytes that lie elsewhere are read' 1 '/holes: content: data checksum' \
	"$dsfs" diff image.dsfs 1..3
# Without checksums nobody knows before they were read.
"$mkfs" -q -f --chunk-size=none image.dsfs large
flip large/file 2999999
"$dsfs" update -q image.dsfs large
same 'without checksums' 1 2
check 'without checksums: content' grep -q '	content' "$out"
"$mkfs" -q -f image.dsfs few
"$dsfs" update -q image.dsfs many
cp image.dsfs bad.dsfs
flip bad.dsfs $(($(region bad.dsfs names --generation=1) + 12))
says 'bad names' 1 'generation 1: names' "$dsfs" diff bad.dsfs 1..2
check 'bad names: nothing looks added' test -z "$(grep added "$out")"

# --- --generation alone
exits '--generation alone' 0 "$dump" --generation=1 image.dsfs
check 'its superblock' grep -qx 'generation:    1' "$out"
exits '--generation alone: --json' 0 "$dump" --generation=1 --json image.dsfs
check '--json: its superblock' holds 'd["superblock"]["generation"] == 1'

# --- usage
says 'a generation that is not there' 1 'generation 9: not in the image' \
	"$dsfs" diff image.dsfs 1..9
finish
