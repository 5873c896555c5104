#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# digest.sh - the digest of a data set: what dsfs digest says of an image and of a source
# and a script of a tree that knows the definition alone is the same; it changes with the tree;
# and what becomes of one that an image keeps.  Random trees are those of tests/judge.
set -euo pipefail
. "$(dirname "$0")/cases"
reference=$top/tests/tools/digest.py

# digest IMAGE [KIND [OPTION...]]
digest()
{
	[ "${2:-data}" = data ] || set -- "$1" "$2" --full "${@:3}"
	"$dsfs" digest "${@:3}" "$1"
}

# of_source OPTION... SOURCE: without an image
of_source()
{
	"$dsfs" digest "$@"
}

# same NAME TREE IMAGE: both digests, of tree, image and source, and both texts
same()
{
	local kind want option=

	for kind in data full; do
		[ "$kind" != full ] || option=--full
		check "$1: the text of $kind" diff <("$reference" $kind-text "$2") \
			<(digest "$3" $kind --text)
		want=$("$reference" $kind "$2")
		check "$1: $kind of the image" test "$(digest "$3" $kind)" = "$want"
		# shellcheck disable=SC2086 # an option, or none
		check "$1: $kind of the source" test "$(of_source $option "$2")" = "$want"
	done
}

# --- trees of every kind
zoo zoo
# What a script on paths cannot reach.
rm -rf zoo/long-path
"$mkfs" -q zoo.dsfs zoo
same 'a tree of everything' zoo zoo.dsfs
check 'it has links, targets, attributes' test "$(
	"$dsfs" digest --full --text zoo.dsfs | awk -F '\t' '
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
check 'a time before 1970' grep -q '	-1500000001	' <("$dsfs" digest --full --text small.dsfs)
mkdir example
: >example/empty
ln -s empty 'example/a b'
"$mkfs" -q example.dsfs example
check 'the example of digest.rst' grep -qF "$(digest example.dsfs)" "$top/Documentation/digest.rst"

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
	"$("$dsfs" digest --text small.dsfs | sha256sum | cut -d ' ' -f 1)"
check 'dsfs digest alone is that of data' test "$("$dsfs" digest small.dsfs)" = "$data"
check '--threads' test "$(digest zoo.dsfs full --threads=1)" = "$(digest zoo.dsfs full --threads=7)"
check 'of a source: --threads' test "$(of_source --threads=1 small)" = "$data"
check 'SOURCE_DATE_EPOCH' test "$(SOURCE_DATE_EPOCH=7 of_source --full small)" = "$full"
mkdir -p later
cp -a small/. later
echo more >later/more
cp small.dsfs other.dsfs
"$dsfs" update -q other.dsfs later
check 'an update changes it' test "$(digest other.dsfs)" != "$data"
check '--generation: the one before' test "$(digest other.dsfs full --generation=1)" = "$full"
rm later/more
touch -r small later
"$dsfs" update -q other.dsfs later
check 'the same tree again' test "$(digest other.dsfs full)" = "$full"
"$dsfs" compact -q other.dsfs
check 'after compact' test "$(digest other.dsfs full)" = "$full"

# --- sources of other kinds, and options that change the tree
# as_image NAME OPTION...: a source and the image that the same options make of it
as_image()
{
	"$mkfs" -q -f new.dsfs "${@:2}" 2>/dev/null
	check "$1" test "$(of_source --full "${@:2}" 2>/dev/null)" = "$(digest new.dsfs full)"
}

for options in --all-root --xattrs-exclude='*' '-T 5' '-e a -e *.x'; do
	# shellcheck disable=SC2086 # words
	as_image "$options" $options small
done
check 'an option that changes the tree' test "$(digest new.dsfs)" != "$data"
"$dsfs" manifest small.dsfs >list
as_image 'a manifest' --manifest=list small
printf '/a size=5M fill=1\n/z size=1M fill=zero\n/b type=link target=/a\n/n type=char major=4 minor=5\n' |
	mklist parts >list
as_image 'a manifest without a source' --manifest=list
check 'a manifest on standard input' test "$(of_source --manifest=- <list)" = "$(digest new.dsfs)"
tar -C small --format=pax -cSf small.tar .
tar -C small --format=pax -rf small.tar --transform='s|^a.b/3$|./a/1|' a.b/3
as_image 'an archive, with a name that comes again' --tar=small.tar
check 'an archive: standard input' test "$(of_source --tar=- <small.tar)" = "$data"
as_image 'a shard' --wds --tar=small.tar

# --- what it depends on: data on names, types and contents, full on all
# changes NAME data|full COMMAND: what COMMAND does to a copy of the tree changes it
changes()
{
	local new

	rm -rf new
	cp -a small new
	(cd new && eval "$3")
	new=$(of_source new)
	if [ "$2" = data ]; then
		check "$1: another digest" test "$new" != "$data"
	else
		check "$1: the same digest of data" test "$new" = "$data"
	fi
	check "$1: another digest, full" test "$(of_source --full new)" != "$full"
}

changes 'a byte' data 'printf y >empty'
changes 'the last byte' data 'printf "\0" >>hole'
changes 'a name' data 'mv a/1 a/2'
changes 'a file that is gone' data 'rm empty'
changes 'a directory' data 'mkdir a/none'
changes 'a target' data 'ln -sfn ../a/2 a/link'
changes 'a type' data 'rm empty; mkfifo empty'
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

# --- a source is only read: nothing is written in the tree, here, or in TMPDIR
mkdir alone
touch -d @1 alone
find small -printf '%p %C@ %A@\n' | sort >before
(cd alone && TMPDIR=$PWD "$dsfs" digest --allow=changing ../small >/dev/null)
check 'nothing is written here' test "$(stat -c %Y alone) $(find alone | wc -l)" = '1 1'
check 'nothing is written there' diff before <(find small -printf '%p %C@ %A@\n' | sort)
if [ "$(id -u)" -eq 0 ]; then
	chmod 755 .
	cp -a small locked
	chmod 600 locked/hole
	says 'a file that cannot be read' 1 'locked/hole: cannot open: Permission denied' \
		"${user[@]}" "$dsfs" digest locked
	check 'a file that cannot be read: no digest' test ! -s "$out"
	says '--allow=unreadable' 0 'cannot open: Permission denied: left out' \
		"${user[@]}" "$dsfs" digest --allow=unreadable --json locked
	check '--allow=unreadable: --json' holds 'd["skipped"] == 1'
else
	skip 'a file that cannot be read' 'not root'
fi
head -c 2000 small.tar >cut.tar
rows <<'T'
an archive that is cut off|1|cut.tar: |dsfs digest --tar=cut.tar
no such tree|1|none: open: No such file|dsfs digest none
T
check 'no digest of them' test ! -s "$out"

# --- a file that is bad: no digest
cp small.dsfs bad.dsfs
flip bad.dsfs "$(data_of bad.dsfs /a/1)"
says 'a bad file' 1 '/a/1: content: data checksum' "$dsfs" digest bad.dsfs
check 'a bad file: no digest' test ! -s "$out"
check 'a bad file: that is said' grep -q 'no digest: not everything could be read' "$err"
# All these have its content; none is taken for good.
check 'a bad file: all of them are named' test "$(grep -c ': content: ' "$err")" = 4
says 'a bad file: --json' 1 '/a/1: content' "$dsfs" digest --json bad.dsfs
check 'a bad file: --json has none' holds 'd == {}'

# --- kept in the image
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
check '--digest: nothing to warn of' silent
check 'dsfs digest agrees' holds 'd["kept"] == "agrees"' <("$dsfs" digest --json k.dsfs)
check 'dsfs digest: the other kind' holds 'd["kept"] == "none"' \
	<("$dsfs" digest --full --json k.dsfs)
for options in --threads=1 --align=512 --chunk-size=4K --chunk-size=none '-m text'; do
	# shellcheck disable=SC2086
	"$mkfs" -q -f --digest=full $options k.dsfs small
	check "--digest=full $options" test "$(kept k.dsfs)" = "$full"
	exits "--digest=full $options: fsck.dsfs" 0 "$fsck" --digest k.dsfs
done
"$mkfs" -q -f --digest k.dsfs small
# A large file, which is on its way to the disk for long, and holes at the end.
head -c 20000000 /dev/urandom >later/more
truncate -s 30M later/more
"$dsfs" update -q --digest k.dsfs later
check 'update --digest: each has its own' test "$(kept k.dsfs)" = "$(digest k.dsfs) $data"
exits 'update --digest: fsck.dsfs' 0 "$fsck" --digest k.dsfs
"$dsfs" update -q k.dsfs small
check 'update without: none' test "$(kept k.dsfs)" = "none $("$reference" data later) $data"
says 'none is kept' 0 'digest: none is kept' "$fsck" --digest k.dsfs
says 'none is kept: --generation' 0 'digest: none is kept' "$fsck" --digest --generation=3 k.dsfs
exits 'none is kept: an older one has' 0 "$fsck" --digest --generation=2 k.dsfs
check 'an older one has: no warning' silent
"$dsfs" update -q --digest=full k.dsfs small
"$dsfs" compact -q -f k.dsfs
check 'compact keeps it' test "$(kept k.dsfs)" = "$full"
exits 'compact: fsck.dsfs' 0 "$fsck" --digest k.dsfs
"$dsfs" compact -q -f --digest k.dsfs
check 'compact --digest: the other kind' test "$(kept k.dsfs)" = "$data"
"$mkfs" -q -f --digest --manifest=list k.dsfs
exits 'a manifest' 0 "$fsck" --digest k.dsfs
"$mkfs" -q -f --digest --tar=small.tar k.dsfs
check 'an archive' test "$(kept k.dsfs)" = "$data"

# A digest of another tree, all checksums right.
"$mkfs" -q -f --digest k.dsfs small
"$corrupt" k.dsfs 'note digest[7]^1' other.dsfs
# Data that was changed with its checksums: nothing else finds it.
"$mkfs" -q -f --digest --chunk-size=none changed.dsfs small
flip changed.dsfs "$(data_of changed.dsfs /a/1)"
flip k.dsfs "$(data_of k.dsfs /a/1)"
rows <<'T'
another digest: fsck.dsfs does not look|0||fsck.dsfs other.dsfs
another digest: fsck.dsfs --digest|4|digest: dsfs1-data:|fsck.dsfs --digest other.dsfs
other data: fsck.dsfs|0||fsck.dsfs changed.dsfs
other data: fsck.dsfs --digest|4|digest: dsfs1-data:|fsck.dsfs --digest changed.dsfs
damaged data|4|digest: not compared: not everything could be read|fsck.dsfs --digest k.dsfs
another digest|1|generation 1 keeps another one: dsfs1-data:|dsfs digest other.dsfs
T
check 'another digest: that of the tree is shown' test "$(<"$out")" = "$data"

# --- ended by a signal, in the middle of a file of zeros, of which the image has none, that takes
# hours, and of an archive that goes on: what has been read of the pipe is more than it holds
"$mkfs" -q -f --digest --manifest=<(mklist parts <<<'/large size=1M fill=zero') k.dsfs
"$corrupt" k.dsfs 'inode /large size=0x40000100000; super both content_bytes=4398047559680' large.dsfs
check 'SIGINT' timeout 120 python3 - "$bin" <<'PY'
import os, signal, subprocess, sys, tarfile
bin = sys.argv[1]

def ended(p, status):
    p.send_signal(signal.SIGINT)
    assert p.wait() == status, (p.args, p.returncode)

def threads(p, n):
    while len(os.listdir(f"/proc/{p.pid}/task")) < n:
        assert p.poll() is None, p.returncode

r, w = os.pipe()
fsck = subprocess.Popen([bin + "/fsck.dsfs", "-C", str(w), "--digest", "--threads=3", "large.dsfs"],
                        pass_fds=[w], stdout=subprocess.DEVNULL)
os.close(w)
# The last pass is over, and the threads that follow it are those of the digest.
lines = os.fdopen(r)
while [lines.readline().split()[0] for _ in range(2)] != ["5", "5"]:
    pass
threads(fsck, 3)
ended(fsck, 32)
dsfs = subprocess.Popen([bin + "/dsfs", "digest", "--threads=3", "large.dsfs"])
threads(dsfs, 3)
ended(dsfs, -signal.SIGINT)
mkfs = subprocess.Popen([bin + "/dsfs", "digest", "--tar=-"], stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE)
member = tarfile.TarInfo("large")
member.size = 1 << 30
mkfs.stdin.write(member.tobuf() + bytes(4 << 20))
mkfs.stdin.flush()
ended(mkfs, -signal.SIGINT)
assert not mkfs.stdout.read()
PY
# --- JSON
exits '--json' 0 "$dsfs" digest --full --json small.dsfs
check '--json: its keys' holds "d == {'digest': '$full', 'covers': 'full', 'kept': 'none',
	'generation': 1, 'objects': 12, 'files': 6, 'bytes': 15 + 3145728 + 1}"
exits 'of a source: --json' 0 "$dsfs" digest --json small
check 'of a source: --json: its keys' holds "d == {'digest': '$data', 'covers': 'data',
	'objects': 12, 'files': 6, 'bytes': 15 + 3145728 + 1, 'skipped': 0, 'changed': 0}"
check '-q prints it all the same' test "$("$dsfs" digest -q small)" = "$data"
finish
