#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# digest.sh - dump.dsfs --digest: what it says of an image is what a script that knows
# the definition alone says of the tree, whatever the image is like; and it changes
# with the tree.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
dump=$bin/dump.dsfs
mkfs=$bin/mkfs.dsfs
reference=$top/tests/tools/digest.py

# digest IMAGE [OPTION...]
digest()
{
	"$dump" --digest="${2:-data}" "${@:3}" "$1"
}

# same NAME TREE IMAGE: both digests, and both texts, are the tree's.
same()
{
	local kind

	for kind in data full; do
		check "$1: the text of $kind" diff <("$reference" $kind-text "$2") \
			<("$dump" --digest=$kind --text "$3")
		check "$1: the digest of $kind" test \
			"$("$reference" $kind "$2")" = "$(digest "$3" $kind)"
	done
}

# --- trees of every kind
root=--no-root
[ "$(id -u)" -ne 0 ] || root=
# The carrier may not take every attribute; that is said and left out.
"$bin/tests/mktree" $root zoo 2>/dev/null
# What a script on paths cannot reach.
rm -rf zoo/long-path
"$mkfs" -q zoo.dsfs zoo
same 'a tree of everything' zoo zoo.dsfs
check 'it has links, targets, attributes' test "$(
	"$dump" --digest=full --text zoo.dsfs | awk -F '\t' '
		$7 != "-" { link = 1 } $2 == "l" { target = 1 } NF > 8 { xattr = 1 }
		END { print link + target + xattr }')" = 3

mkdir -p small/a small/a-b small/a.b
echo same | tee small/a/1 small/a-b/2 >small/a.b/3
ln small/a/1 small/zz
ln -s ../a/1 small/a/link
: >small/empty
truncate -s 3M small/hole
printf x >$'small/new\nline\t\\\377\303\244'
touch -d @-1.500000001 small/empty
touch -d @-0.25 small/hole
"$mkfs" -q small.dsfs small
same 'a small tree' small small.dsfs
check 'a time before 1970' grep -q '	-1500000001	' <("$dump" --digest=full --text small.dsfs)
mkdir example
: >example/empty
ln -s empty 'example/a b'
"$mkfs" -q example.dsfs example
check 'the example of digest.rst' grep -qF "$(digest example.dsfs)" "$top/Documentation/digest.rst"
mkdir nothing
"$mkfs" -q nothing.dsfs nothing
same 'an empty tree' nothing nothing.dsfs

# More objects than are under way at once, and links between the first and the last.
python3 - <<'PY'
import os
for d in range(4):
    os.makedirs(f"many/{d}")
    for i in range(9000):
        if (d, i) == (3, 8999):
            os.link("many/0/0", "many/3/9")
        elif i != 9:
            with open(f"many/{d}/{i}", "w") as f:
                f.write(str(i) if i % 10 == 0 else "")
PY
"$mkfs" -q many.dsfs many
same 'a tree of many files' many many.dsfs

# --- what it does not depend on
data=$(digest small.dsfs)
full=$(digest small.dsfs full)
check 'its form' grep -qx 'dsfs1-data:[0-9a-f]\{64\}' <<<"$data"
check 'its form: full' grep -qx 'dsfs1-full:[0-9a-f]\{64\}' <<<"$full"
check 'it is the SHA-256 of the text' test "${data#*:}" = \
	"$("$dump" --digest --text small.dsfs | sha256sum | cut -d ' ' -f 1)"
check '--digest alone is that of data' test "$("$dump" --digest small.dsfs)" = "$data"
check '--threads' test "$(digest zoo.dsfs full --threads=1)" = "$(digest zoo.dsfs full --threads=7)"
printf '%s\n' zz a.b/3 hole >order
for options in --align=512 --chunk-size=4K --no-checksums --no-dedup '--object-size=64K' \
	       '--order=order' --label=x; do
	# shellcheck disable=SC2086
	"$mkfs" -q -f $options other.dsfs small
	check "mkfs.dsfs $options: data" test "$(digest other.dsfs)" = "$data"
	check "mkfs.dsfs $options: full" test "$(digest other.dsfs full)" = "$full"
done
cp small.dsfs other.dsfs
mkdir -p later
cp -a small/. later
echo more >later/more
"$mkfs" -q --update other.dsfs later
check 'an update changes it' test "$(digest other.dsfs)" != "$data"
check '--generation: the one before' test "$(digest other.dsfs full --generation=1)" = "$full"
same 'after an update' later other.dsfs
rm later/more
touch -r small later
"$mkfs" -q --update other.dsfs later
check 'the same tree again' test "$(digest other.dsfs full)" = "$full"
"$mkfs" -q --compact other.dsfs
check 'after --compact' test "$(digest other.dsfs full)" = "$full"

# --- what it depends on: data on names, types and contents, full on all
# changes NAME data|full COMMAND: what COMMAND does to a copy of the tree changes it
changes()
{
	local new

	rm -rf new
	cp -a small new
	(cd new && eval "$3")
	"$mkfs" -q -f new.dsfs new
	new=$(digest new.dsfs)
	if [ "$2" = data ]; then
		check "$1: another digest" test "$new" != "$data"
	else
		check "$1: the same digest of data" test "$new" = "$data"
	fi
	check "$1: another digest, full" test "$(digest new.dsfs full)" != "$full"
}

changes 'a byte' data 'printf y >empty'
changes 'a name' data 'mv a/1 a/2'
changes 'a directory' data 'mkdir a/none'
changes 'a target' data 'ln -sfn ../a/2 a/link'
changes 'a type' data 'rm empty; mkfifo empty'
changes 'a zero more' data 'truncate -s 3145729 hole'
changes 'a mode' full 'chmod 600 empty'
changes 'a time' full 'touch -d @5 empty'
changes 'a link less' full 'cp -p zz z; mv z zz'
if [ "$(id -u)" -eq 0 ]; then
	changes 'an owner' full 'chown 5 empty'
else
	skip 'an owner' 'not root'
fi
if setfattr -n user.x -v y small/hole 2>/dev/null; then
	setfattr -x user.x small/hole
	changes 'an attribute' full 'setfattr -n user.x -v y hole'
	changes 'an ACL' full 'setfacl -m u:5:r hole'
else
	skip 'an attribute' 'there are none here'
fi

# --- a file that is bad, or a directory: no digest
cp small.dsfs bad.dsfs
flip bad.dsfs "$(data_of bad.dsfs /a/1)"
says 'a bad file' 1 '/a/1: content: data checksum' "$dump" --digest bad.dsfs
check 'a bad file: no digest' test ! -s "$out"
check 'a bad file: that is said' grep -q 'no digest: not everything could be read' "$err"
# All these have its content; none is taken for good.
check 'a bad file: all of them are named' test "$(grep -c ': content: ' "$err")" = 4
says 'a bad file: --json' 1 '/a/1: content' "$dump" --digest --json bad.dsfs
check 'a bad file: --json has none' python3 -c \
	'import json, sys; assert json.load(open(sys.argv[1])) == {}' "$out"
cp small.dsfs bad.dsfs
flip bad.dsfs $(($(region bad.dsfs names) + 40))
says 'bad names' 1 'wrong checksum' "$dump" --digest bad.dsfs
check 'bad names: no digest' test ! -s "$out"

# --- kept in the image
fsck=$bin/fsck.dsfs
# kept [IMAGE...]: of the generations, the newest first
kept()
{
	"$dump" --generations --json "$1" | json '" ".join(g["digest"] or "none" for g in d["generations"])'
}
exits '--digest: kept' 0 "$mkfs" -q -f --digest k.dsfs small
check '--digest: it is that of the tree' test "$(kept k.dsfs)" = "$data"
check '--digest: dump.dsfs shows it' grep -qx "digest:        $data" <("$dump" k.dsfs)
exits '--digest: fsck.dsfs' 0 "$fsck" k.dsfs
exits '--digest: fsck.dsfs --digest' 0 "$fsck" --digest k.dsfs
check '--digest: nothing to warn of' test ! -s "$err"
check 'dump.dsfs --digest agrees' holds 'd["kept"] == "agrees"' <("$dump" --digest --json k.dsfs)
check 'dump.dsfs --digest: the other kind' holds 'd["kept"] == "none"' \
	<("$dump" --digest=full --json k.dsfs)
for options in --threads=1 --align=512 --chunk-size=4K --no-checksums '-m text'; do
	# shellcheck disable=SC2086
	"$mkfs" -q -f --digest=full $options k.dsfs small
	check "--digest=full $options" test "$(kept k.dsfs)" = "$full"
	exits "--digest=full $options: fsck.dsfs" 0 "$fsck" --digest k.dsfs
done
SOURCE_DATE_EPOCH=1 "$mkfs" -q -f --digest --threads=1 k.dsfs small
SOURCE_DATE_EPOCH=1 "$mkfs" -q -f --digest --threads=8 k8.dsfs small
check '--digest: the same bytes again' cmp k.dsfs k8.dsfs
# A large file, which is on its way to the disk for long, and holes at the end.
head -c 20000000 /dev/urandom >later/more
truncate -s 30M later/more
"$mkfs" -q --update --digest k.dsfs later
check '--update --digest: each has its own' test "$(kept k.dsfs)" = "$(digest k.dsfs) $data"
exits '--update --digest: fsck.dsfs' 0 "$fsck" --digest k.dsfs
"$mkfs" -q --update k.dsfs small
check '--update without: none' test "$(kept k.dsfs)" = "none $("$reference" data later) $data"
says 'none is kept' 0 'digest: none is kept' "$fsck" --digest k.dsfs
says 'none is kept: --generation' 0 'digest: none is kept' "$fsck" --digest --generation=3 k.dsfs
exits 'none is kept: an older one has' 0 "$fsck" --digest --generation=2 k.dsfs
check 'an older one has: no warning' test ! -s "$err"
"$mkfs" -q --update --digest=full k.dsfs small
"$mkfs" -q -f --compact k.dsfs
check '--compact keeps it' test "$(kept k.dsfs)" = "$full"
exits '--compact: fsck.dsfs' 0 "$fsck" --digest k.dsfs
"$mkfs" -q -f --compact --digest k.dsfs
check '--compact --digest: the other kind' test "$(kept k.dsfs)" = "$data"
printf '/a size=5 fill=1\n/b type=link target=/a\n' | mklist parts >list
"$mkfs" -q -f --digest --inodes=table --manifest=list k.dsfs
exits 'a manifest' 0 "$fsck" --digest k.dsfs
tar -C small -cf small.tar .
"$mkfs" -q -f --digest --tar=small.tar k.dsfs
check 'an archive' test "$(kept k.dsfs)" = "$data"

# A digest of another tree, all checksums right.
"$mkfs" -q -f --digest k.dsfs small
"$bin/tests/mkcorrupt" k.dsfs 'note digest[7]^1' other.dsfs
exits 'another digest: fsck.dsfs does not look' 0 "$fsck" other.dsfs
says 'another digest: fsck.dsfs --digest' 4 'digest: dsfs1-data:' "$fsck" --digest other.dsfs
says 'another digest: dump.dsfs --digest' 1 'digest: generation 1 keeps another one: dsfs1-data:' \
	"$dump" --digest other.dsfs
check 'another digest: that of the tree is shown' test "$(cat "$out")" = "$data"
# Data that was changed with its checksums: nothing else finds it.
"$mkfs" -q -f --digest --no-checksums k.dsfs small
flip k.dsfs "$(data_of k.dsfs /a/1)"
exits 'other data: fsck.dsfs' 0 "$fsck" k.dsfs
says 'other data: fsck.dsfs --digest' 4 'digest: dsfs1-data:' "$fsck" --digest k.dsfs
"$mkfs" -q -f --digest k.dsfs small
flip k.dsfs "$(data_of k.dsfs /a/1)"
says 'damaged data: no digest' 4 'digest: not compared: not everything could be read' \
	"$fsck" --digest k.dsfs
says 'mkfs.dsfs: no such kind' 2 '--digest: all: neither data nor full' \
	"$mkfs" --digest=all k.dsfs small
says 'fsck.dsfs --digest --no-data' 16 '--digest and --no-data do not go together' \
	"$fsck" --digest --no-data k.dsfs

# --- ended by a signal, in the middle of a file that takes hours: zeros, of which the image
# has none
printf '/large size=1M fill=zero\n' | mklist parts >list
"$mkfs" -q -f --digest --inodes=table --manifest=list k.dsfs
"$bin/tests/mkcorrupt" k.dsfs 'inode /large size_hi=1024; super both content_bytes=4398047559680' large.dsfs
check 'fsck.dsfs --digest: SIGINT' timeout 120 python3 - "$fsck" large.dsfs <<'PY'
import os, signal, subprocess, sys
r, w = os.pipe()
p = subprocess.Popen([sys.argv[1], "-C", str(w), "--digest", "--threads=3", sys.argv[2]],
                     pass_fds=[w], stdout=subprocess.DEVNULL)
os.close(w)
# The last pass is over, and the threads that follow it are those of the digest.
lines = os.fdopen(r)
while [lines.readline().split()[0] for _ in range(2)] != ["5", "5"]:
    pass
while len(os.listdir(f"/proc/{p.pid}/task")) < 3:
    assert p.poll() is None, p.returncode
p.send_signal(signal.SIGINT)
assert p.wait() == 32, p.returncode
PY
check 'dump.dsfs --digest: SIGINT' timeout 120 python3 - "$dump" large.dsfs <<'PY'
import os, signal, subprocess, sys
p = subprocess.Popen([sys.argv[1], "--digest", "--threads=3", sys.argv[2]])
while len(os.listdir(f"/proc/{p.pid}/task")) < 3:
    assert p.poll() is None, p.returncode
p.send_signal(signal.SIGINT)
assert p.wait() == -signal.SIGINT, p.returncode
PY

# --- JSON, usage
exits '--json' 0 "$dump" --digest=full --json small.dsfs
check '--json: its keys' python3 - "$out" "$full" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
assert d == {"digest": sys.argv[2], "covers": "full", "kept": "none", "generation": 1, "objects": 12,
             "files": 6, "bytes": 15 + 3145728 + 1}, d
PY
says 'no such kind' 2 '--digest: all: neither data nor full' "$dump" --digest=all small.dsfs
says '--text alone' 2 '--text: only with --digest' "$dump" --text small.dsfs
says '--threads alone' 2 '--threads: only with --digest' "$dump" --threads=2 small.dsfs
says '--threads=0' 2 '--threads: 0: not a number from 1 to 256' "$dump" --digest --threads=0 small.dsfs
says '--text --json' 2 '--text and --json do not go together' \
	"$dump" --digest --text --json small.dsfs
says '--digest --list' 2 '--list and --digest do not go together' "$dump" --digest --list small.dsfs
says 'standard output is full' 1 'standard output: ' \
	bash -c "'$dump' --digest --text zoo.dsfs >/dev/full"
finish
