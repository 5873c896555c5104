#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tar.sh - dsfs tar: its form, and what it leaves out; and patterns, of tar and of
# --extract.  What GNU tar, bsdtar, Python and mkfs.dsfs make of it is judged by tests/judge.
set -euo pipefail
. "$(dirname "$0")/cases"

zoo zoo
# tar has no sockets, and other tools no paths of this length.
find zoo -type s -delete
rm -rf zoo/long-path
odd='user.a%3Db=c'
setfattr -n "$odd" -v x zoo/types/regular 2>/dev/null || odd=
head -c 5000000 /dev/urandom >zoo/large
"$mkfs" -q zoo.dsfs zoo

# --- the archive
exits 'tar' 0 "$dsfs" tar zoo.dsfs
cp "$out" zoo.tar
check 'tar: no message' test ! -s "$err"
"$mkfs" -q --align=512 --chunk-size=4K --no-dedup other.dsfs zoo
check 'the same tree, the same bytes' cmp zoo.tar <("$dsfs" tar other.dsfs)
check 'it is a multiple of blocks' test $(($(stat -c %s zoo.tar) % 512)) = 0
check 'holes stay holes' test "$(stat -c %s zoo.tar)" -lt 60000000
# What GNU tar takes off an attribute's name, if it is not escaped
mkdir gnu
[ -z "$odd" ] || check 'GNU tar: an odd attribute' test x = "$(tar -C gnu -xf zoo.tar --xattrs \
	./links-elsewhere/regular && getfattr --only-values -n "$odd" gnu/links-elsewhere/regular)"

# Larger than a header has room for: 8 GiB, of holes and of data; ids above 2097151.
printf '%s\n' '/holes fill=zero size=10000000000' '/x fill=1 size=10 uid=4000000000 gid=2097152' |
	mklist parts >big.manifest
"$mkfs" -q --manifest=big.manifest big.dsfs
check 'large numbers' python3 - "$dsfs" <<'PY'
import subprocess, sys, tarfile
p = subprocess.Popen([sys.argv[1], "tar", "big.dsfs"], stdout=subprocess.PIPE)
got = {m.name: m for m in tarfile.open(fileobj=p.stdout, mode="r|")}
assert got["./holes"].size == 10000000000
assert (got["./x"].uid, got["./x"].gid) == (4000000000, 2097152)
assert p.wait() == 0
PY

# --- sockets
mkdir sockets
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sockets/s")'
ln sockets/s sockets/t
"$mkfs" -q sockets.dsfs sockets
says 'sockets' 0 'warning: 2 sockets left out' "$dsfs" tar sockets.dsfs
check 'sockets: the rest is there' test "$(tar -t <"$out")" = ./

# --- what is bad
mkdir some
seq 1000 >some/bad
ln some/bad some/further
seq 2000 >some/good
head -c 9000000 /dev/urandom >some/large
"$mkfs" -q some.dsfs some
cp some.dsfs bad.dsfs
flip bad.dsfs "$(data_of bad.dsfs /bad)"
says 'a bad file' 1 '/bad: content: data checksum' "$dsfs" tar bad.dsfs
check 'a bad file: it is left out' test "$(tar -t <"$out" | tr '\n' ' ')" = './ ./good ./large '
check 'a bad file: so are its other names' grep -q '/further: link: /bad was left out' "$err"
cp some.dsfs bad.dsfs
flip bad.dsfs $(($(data_of bad.dsfs /large) + 8000000))
says 'a large bad file' 1 '/large: content: data checksum' "$dsfs" tar bad.dsfs
check 'a large bad file: that is said' grep -q 'the archive ends in the middle of it' "$err"
check 'a large bad file: others see it' bash -c "! tar -t <'$out' >/dev/null 2>&1"

# --- where it goes
says 'nobody reads it, and SIGPIPE is ignored' 1 'standard output: Broken pipe' \
	bash -c "trap '' PIPE; { '$dsfs' tar some.dsfs; echo \$? >status; } | head -c 1 >/dev/null; exit \$(cat status)"
exits 'nobody reads it' 141 bash -c "set -o pipefail; '$dsfs' tar some.dsfs | head -c 1"
check 'nobody reads it: no message' test ! -s "$err"
exits 'a terminal' 1 env NO_COLOR=1 script -qec "'$dsfs' tar some.dsfs" /dev/null
check 'a terminal: nothing but a message' test "$(tr -d '\r' <"$out")" = \
	'dsfs tar: standard output is a terminal'

# --- a part: patterns
mkdir -p part/a/b/c part/a/x part/z
touch part/a/b/c/1.jpg part/a/b/2.jpg part/a/x/3.jpg part/a/4.txt part/z/5.jpg
ln part/a/4.txt part/z/4.txt
chmod 700 part/a
touch -d @1000000000 part/a part/a/b
"$mkfs" -q part.dsfs part

# paths WANT PATTERN...: the archive and what is extracted have these, and directories first
paths()
{
	local want=$1

	shift
	exits "tar $*" 0 "$dsfs" tar part.dsfs "$@"
	check "tar $*: what is in it" test "$(tar -t <"$out" | tr '\n' ' ')" = "$want"
	rm -rf extracted
	exits "extract $*" 0 "$dsfs" extract part.dsfs extracted "$@"
	check "extract $*: what is there" test \
		"$(cd extracted && find . -mindepth 1 -type d -printf '%p/\n' -o -mindepth 1 -print | LC_ALL=C sort | tr '\n' ' ')" = \
		"${want#./ }"
	check "extract $*: attributes" test -z "$("$listing" --as-packed extracted | cut -f 1-5,8 |
		grep -vxFf <("$listing" --as-packed part | cut -f 1-5,8))"
}

paths './ ./a/ ./a/b/ ./a/b/2.jpg ' /a/b/2.jpg
paths './ ./a/ ./a/b/ ./a/b/2.jpg ' 'a/*/2.jpg'
paths './ ./a/ ./a/b/ ./a/b/2.jpg ./a/x/ ./a/x/3.jpg ' './a/*/*.jpg'
paths './ ./a/ ./a/b/ ./a/b/2.jpg ./a/b/c/ ./a/b/c/1.jpg ' /a/b/
paths './ ./a/ ./a/x/ ./a/x/3.jpg ./z/ ./z/4.txt ./z/5.jpg ' /z /a/x
paths './ ./z/ ./z/4.txt ' /z/4.txt
paths './ ./a/ ./a/4.txt ./z/ ./z/4.txt ' '/*/4.txt'
check 'both names: one is a link' bash -c \
	"'$dsfs' tar part.dsfs '/*/4.txt' | tar -tv | grep 'z/4.txt link to ./a/4.txt' >/dev/null"
says 'a pattern that matches nothing' 1 '/none/*.jpg: matches nothing' \
	"$dsfs" tar part.dsfs /a/x '/none/*.jpg'
check 'a pattern that matches nothing: the others are there' test \
	"$(tar -t <"$out" | tr '\n' ' ')" = './ ./a/ ./a/x/ ./a/x/3.jpg '
says 'a pattern that matches nothing: extract' 1 'a/1.jpg: matches nothing' \
	"$dsfs" extract part.dsfs none a/1.jpg
"$dsfs" update -q part.dsfs some
says '--generation: another tree' 1 '/bad: matches nothing' \
	"$dsfs" tar --generation=1 part.dsfs /bad
exits '--generation: the tree' 0 "$dsfs" tar --generation=1 part.dsfs /z
check '--generation: what is in it' test \
	"$(tar -t <"$out" | tr '\n' ' ')" = './ ./z/ ./z/4.txt ./z/5.jpg '

finish
