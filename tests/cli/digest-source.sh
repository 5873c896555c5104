#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# digest-source.sh - mkfs.dsfs -n --digest: what it says of a source is what dump.dsfs says
# of the image that the same options make, and what a script says that knows the
# definition alone; nothing is written.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
dump=$bin/dump.dsfs
mkfs=$bin/mkfs.dsfs
reference=$top/tests/tools/digest.py
unset SOURCE_DATE_EPOCH

# as_image NAME OPTION...: both digests of what the options say, beside those of the image
as_image()
{
	local name=$1 kind

	shift
	"$mkfs" -q -f "${image_options[@]}" image.dsfs "$@" 2>/dev/null
	for kind in data full; do
		check "$name: $kind" test \
			"$("$mkfs" -n --digest=$kind "${image_options[@]}" "$@" 2>/dev/null)" = \
			"$("$dump" --digest=$kind image.dsfs)"
	done
}

# with OPTION... -- NAME SOURCE...: as_image with options
with()
{
	image_options=()
	while [ "$1" != -- ]; do
		image_options+=("$1")
		shift
	done
	shift
	as_image "$@"
}

# --- trees
root=--no-root
[ "$(id -u)" -ne 0 ] || root=
# The carrier may not take every attribute; that is said and left out.
"$bin/tests/mktree" $root zoo 2>/dev/null
with -- 'a tree of everything' zoo
check 'it has links, targets, attributes' test "$(
	"$dump" --digest=full --text image.dsfs | awk -F '\t' '
		$7 != "-" { link = 1 } $2 == "l" { target = 1 } NF > 8 { xattr = 1 }
		END { print link + target + xattr }')" = 3
rm -rf zoo/long-path	# a script on paths cannot reach it
for kind in data full; do
	check "the script says the same: $kind" test "$("$reference" $kind zoo)" = \
		"$("$mkfs" -n --digest=$kind zoo)"
done
mkdir -p small/a/b small/a-b small/a.b
echo same | tee small/a/1 small/a-b/2 >small/a.b/3
ln small/a/1 small/zz
ln small/a/1 small/a/b/again
ln -s ../a/1 small/a/link
: >small/empty
truncate -s 3M small/hole
echo end >>small/hole
head -c 5000000 /dev/urandom >small/large
printf x >$'small/new\nline\t\\\377\303\244'
setfattr -n user.x -v y small/hole 2>/dev/null || true
touch -d @-1.500000001 small/empty
with -- 'a small tree' small
for kind in data full; do
	check "a small tree: the script: $kind" test "$("$reference" $kind small)" = \
		"$("$mkfs" -n --digest=$kind small)"
done
data=$("$mkfs" -n --digest small)
mkdir nothing
with -- 'an empty tree' nothing

# --- options that change the tree, and such that do not
for options in '--all-root' '--no-xattrs' '-T 5' '-e a -e *.x' '--threads=1' '--align=512' \
	       '--chunk-size=4K' '--no-checksums' '-L label'; do
	# shellcheck disable=SC2086 # a list of options
	with $options -- "$options" small
done
check 'an option that does not: the same' test "$("$mkfs" -n --digest --align=512 small)" = "$data"
check 'an option that does: another one' test "$("$mkfs" -n --digest -e a small)" != "$data"
check 'SOURCE_DATE_EPOCH does not' test "$(SOURCE_DATE_EPOCH=7 "$mkfs" -n --digest=full small)" = \
	"$("$mkfs" -n --digest=full small)"
"$dump" --manifest image.dsfs >list
with --manifest=list -- 'a manifest' small
printf '/a size=5M fill=1\n/z size=1M fill=zero\n/b type=link target=/a\n/n type=char major=4 minor=5\n' |
	mklist parts >list
with --manifest=list -- 'a manifest without a source'
check 'a manifest on standard input' test "$("$mkfs" -n --digest --manifest=- <list)" = \
	"$("$dump" --digest image.dsfs)"
tar -C small --xattrs --format=pax -cSf small.tar .
tar -C small --format=pax -rf small.tar --transform='s|^a.b/3$|./a/1|' a.b/3
with --tar=small.tar -- 'an archive, with a name that comes again'
check 'an archive: standard input' test "$("$mkfs" -n --digest --tar=- <small.tar)" = "$data"
with --wds --tar=small.tar -- 'a shard'

# --- what changes it
# changes NAME COMMAND: what it does to a copy of the tree
changes()
{
	rm -rf new
	cp -a small new
	(cd new && eval "$2")
	check "$1" test "$("$mkfs" -n --digest new)" != "$data"
}

changes 'a byte' 'printf y | dd of=large bs=1 seek=4000000 conv=notrunc status=none'
changes 'the last byte' 'printf "\0" >>hole'
changes 'a name' 'mv zz zy'
changes 'a target' 'ln -sfn ../a/2 a/link'
changes 'an empty file that is gone' 'rm empty'

# --- nothing is written: not in the tree, not here, not in TMPDIR
mkdir alone
touch -d @1 alone
find small -printf '%p %C@ %A@\n' | sort >before
(cd alone && TMPDIR=$PWD "$mkfs" -n --digest --no-recheck ../small >/dev/null)
check 'nothing is written here' test "$(stat -c %Y alone) $(find alone | wc -l)" = '1 1'
check 'nothing is written there' diff before <(find small -printf '%p %C@ %A@\n' | sort)

# --- trouble
if [ "$(id -u)" -eq 0 ]; then
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	chmod 755 . small
	chmod 700 small/large
	says 'a file that cannot be read' 1 'small/large: cannot open: Permission denied' \
		"${as[@]}" "$mkfs" -n --digest small
	check 'a file that cannot be read: no digest' test ! -s "$out"
	says '--skip-unreadable' 0 'cannot open: Permission denied: left out' \
		"${as[@]}" "$mkfs" -n --digest --skip-unreadable small
	check '--skip-unreadable: that of the others' test "$(<"$out")" = \
		"$("$mkfs" -n --digest -e large small)"
	"${as[@]}" "$mkfs" -n --digest --skip-unreadable --json small >"$out" 2>/dev/null
	check '--skip-unreadable: --json' holds 'd["skipped"] == 1'
else
	skip 'a file that cannot be read' 'not root'
fi
head -c 4000000 small.tar >cut.tar
says 'an archive that is cut off' 1 'cut.tar: ' "$mkfs" -n --digest --tar=cut.tar
check 'an archive that is cut off: no digest' test ! -s "$out"
says 'no such tree' 1 'none: cannot open' "$mkfs" -n --digest none
says 'standard output is full' 1 'standard output: ' bash -c "'$mkfs' -n --digest small >/dev/full"
# What it has read of the pipe is more than the pipe holds, so it is in the middle.
check 'SIGINT' timeout 60 python3 - "$mkfs" <<'PY'
import signal, subprocess, sys, tarfile
p = subprocess.Popen([sys.argv[1], "-n", "--digest", "--tar=-"], stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE)
member = tarfile.TarInfo("large")
member.size = 1 << 30
p.stdin.write(member.tobuf() + bytes(4 << 20))
p.stdin.flush()
p.send_signal(signal.SIGINT)
said = p.stdout.read()
assert p.wait() == -signal.SIGINT and not said, (p.returncode, said)
PY
printf '/large size=8T fill=zero\n' | mklist parts >list
check 'a progress bar on a terminal, and SIGINT' timeout 60 python3 - "$mkfs" <<'PY'
import os, pty, signal, subprocess, sys
master, terminal = pty.openpty()
p = subprocess.Popen([sys.argv[1], "-n", "--digest", "--manifest=list"], stderr=terminal)
os.close(terminal)
said = b""
while b"digest" not in said:
    said += os.read(master, 4096)
p.send_signal(signal.SIGINT)
assert p.wait() == -signal.SIGINT, p.returncode
PY

# --- JSON, usage
exits '--json' 0 "$mkfs" -n --digest --json small
check '--json: its keys' python3 - "$out" "$data" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
assert d == {"digest": sys.argv[2], "covers": "data", "objects": 15, "files": 7,
             "bytes": 15 + 3145728 + 4 + 5000000 + 1, "skipped": 0, "changed": 0}, d
PY
check '-q prints it all the same' test "$("$mkfs" -q -n --digest small)" = "$data"
says 'no SOURCE' 2 '--dry-run and --digest: SOURCE is needed' "$mkfs" -n --digest
says 'an IMAGE' 2 '--dry-run and --digest: too many arguments: there is no IMAGE' \
	"$mkfs" -n --digest i small
says 'an IMAGE with --tar' 2 'too many arguments: there is no IMAGE' \
	"$mkfs" -n --digest --tar=small.tar i
says '--update' 2 '--dry-run and --digest: not with --update' "$mkfs" -n --digest --update small
says '--compact' 2 '--dry-run and --digest: not with --compact' "$mkfs" -n --digest --compact small
says '--tar-index' 2 '--dry-run and --tar-index do not go together' "$mkfs" -n --digest --tar-index --tar=small.tar
says '--checksum' 2 '--checksum: only with --update' "$mkfs" -n --digest --checksum small
says 'a dry run of an archive without it' 2 '--dry-run and --tar do not go together' \
	"$mkfs" -n --tar=small.tar i
finish
