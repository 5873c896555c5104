#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkfs.dsfs --manifest: the same image as from a directory, what lines say, and every
# mistake that a line may have: manifest.bad.  Strings of all kinds are judged by tests/judge.
set -uo pipefail
. "$(dirname "$0")/cases"
prog=manifest
export SOURCE_DATE_EPOCH=1000
NAME300=$(printf '%0300d' 1)
NAME252=$(printf '%0252d' 1)

make_tree()
{
	mkdir -p tree/a/b 'tree/with blank' tree/empty
	seq 3000 >tree/a/b/numbers
	echo one >tree/a/one
	head -c 2500000 /dev/zero | tr '\0' z >tree/large
	cp tree/a/one tree/copy
	truncate -s 300K tree/holes
	echo end >>tree/holes
	: >tree/nothing
	for i in {1..60}; do echo "$i" >"tree/with blank/$i"; done
	echo odd >"tree/with blank/"$'new\nline\\tab\t\xff'
	ln tree/a/b/numbers tree/again
	ln tree/a/b/numbers tree/0
	ln -s 'a/b c' tree/symlink
	mkfifo tree/fifo
	chmod 4711 tree/a/one
	touch -d @-5.25 tree/copy
	touch -d @7000000000.000000001 tree/a
}

# same OPTION...: by manifest the bytes are those of the directory's image.
same()
{
	"$mkfs" -q -f --xattrs-exclude=* "$@" dir.img tree &&
		"$mkfs" -q -f "$@" --manifest=list list.img </dev/null &&
		cmp dir.img list.img
}

cases_same()
{
	"$top/tests/tools/mkmanifest" tree >list
	check "as the directory" same
	check "--no-dedup --chunk-size=none" same --no-dedup --chunk-size=none
	"$top/tests/tools/mkmanifest" tree parts >list
	check "contents that are parts of a file" same
	sort -R --random-source=tree/large list >shuffled
	mv shuffled list
	check "lines in any order" same
	tr '\n' '\0' <list >list0
	check "lines that end with NUL" "$mkfs" -q -f --manifest=list0 list.img
	check "lines that end with NUL: as the directory" same
	run sh -c "'$mkfs' -q -f --manifest=- list.img <list"
	check "standard input" cmp list.img dir.img
	mkdir -p elsewhere
	(cd elsewhere && "$mkfs" -q -f --manifest=- ../list.img ../tree) <<<'{"path":"/x","source":"a/one"}'
	run dsfs cat list.img /x
	check "relative to SOURCE" cmp "$out" tree/a/one
}

listed()
{
	grep -qxF -- "$1" "$out"
}

cases_content()
{
	printf '%s\n' '# comment' '' '  # another' \
		'/early size=16 fill=1' \
		'default mode=0640 dirmode=0711 uid=7 gid=8 mtime=3.5' \
		'/d/pattern size=1000000 fill=1' \
		'/d/short size=13 fill=1' \
		'/d/other size=16 fill=2' \
		'/d/zeros size=1G fill=zero mode=0600' \
		'/d/few size=5000 fill=zero' \
		'/d/ uid=9' \
		'/dev/disk type=block major=4095 minor=1048575' \
		'/socket type=socket' \
		'/link type=symlink target=a\040b' | mklist parts >list
	check "what lines say" "$mkfs" -q -f --manifest=list made.img
	check "fsck" fsck.dsfs -q made.img
	run dsfs digest --full --text made.img
	check "defaults do not reach back" \
		listed $'/early\tf\t0644\t0\t0\t0\t-\t'"$(sum_of 16 1)"
	check "defaults" \
		listed $'/d/short\tf\t0640\t7\t8\t3500000000\t-\t'"$(sum_of 13 1)"
	check "a range of a file" \
		listed $'/d/pattern\tf\t0640\t7\t8\t3500000000\t-\t'"$(sum_of 1000000 1)"
	check "directory with attributes" \
		listed $'/d\td\t0711\t9\t8\t3500000000\t-\t-'
	check "implied directory" \
		listed $'/dev\td\t0711\t7\t8\t3500000000\t-\t-'
	check "device" \
		listed $'/dev/disk\tb\t0640\t7\t8\t3500000000\t-\t4095:1048575'
	check "symlink" \
		listed $'/link\tl\t0777\t7\t8\t3500000000\t-\ta\\040b'
	run "$mkfs" -f --json --manifest=list made.img
	check "zeros are a hole" holds 'd["sparse_files"] == 1'
	printf '{"path":"/a"}\r\n\r\n' >list
	check "line ends of Windows" "$mkfs" -q -f --manifest=list made.img
	run dsfs ls made.img
	check "line ends of Windows are blanks" grep -qx a "$out"
	: >list
	check "empty" "$mkfs" -q -f --manifest=list made.img
	check "empty: fsck" fsck.dsfs -q made.img
}

# sum_of BYTES SEED: SHA-256 of a pattern, from the manual page's words.
sum_of()
{
	python3 - "$@" <<'END'
import hashlib, struct, sys
M = 2 ** 64 - 1
def mix(x):
    x = x + 0x9e3779b97f4a7c15 & M
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & M
    x = (x ^ x >> 27) * 0x94d049bb133111eb & M
    return x ^ x >> 31
n, seed = int(sys.argv[1]), int(sys.argv[2])
data = b''.join(struct.pack('<Q', mix(mix(seed) + k & M) | 0x0101010101010101)
                for k in range((n + 7) // 8))[:n]
print(hashlib.sha256(data).hexdigest())
END
}

# bad NAME TEXT LINE: the line makes it fail, with TEXT
bad()
{
	printf '%s\n' "$3" | mklist >list
	says "$1" 1 "mkfs.dsfs: list: line 1: $2" "$mkfs" -q --manifest=list bad.img
}

cases_bad()
{
	local acl=0200000001000600ffffffff04000400ffffffff20000400ffffffff n=0 name text

	echo 0123456789 >ten
	mkdir -p folder
	rm -f bad.img
	# A list a row, all made at once
	grep -v '^#' "$top/tests/cli/manifest.bad" | cut -d '|' -f 3- |
		sed "s/%user/\"xattrs\":{\"user.a\":\"11\"}/
			s/%access/\"xattrs\":{\"system.posix_acl_access\":\"$acl\"}/
			s/%default/\"xattrs\":{\"system.posix_acl_default\":\"$acl\"}/
			s/;/\n/g; s/\$/\n/" | mklist | awk -v RS= '{ print >"list." NR }'
	while IFS='|' read -r name text _; do
		n=$((n + 1))
		says "$name" 1 "mkfs.dsfs: list.$n: line $text" "$mkfs" -q --manifest=list.$n bad.img
	done < <(grep -v '^#' "$top/tests/cli/manifest.bad")
	check 'there are lists' test "$n" -gt 70
	bad 'name too long' 'path: a name of 300 bytes: the limit is 255' "/d/$NAME300"
	bad 'target too long' 'target: 4096 bytes: the limit is 4095' \
		"/a type=symlink target=$(printf '%04096d' 1)"
	bad 'a byte that is no UTF-8' 'JSON: column 10: unable to decode byte 0xff' $'{"path":"/\xff"}'
	bad 'a control' 'JSON: column 11: control character 0x9' $'{"path":"/a\tb"}'
	bad 'too deep' 'JSON: column 2067: maximum parsing depth' \
		"{\"path\":\"/a\",\"uid\":$(printf '%03000d' 0 | tr 0 '[')"
	bad 'no object' 'not an object of JSON' 'a uid=1'
	bad 'a large attribute' 'xattrs: user.a: 65537 bytes: the limit is 65536' \
		"{\"path\":\"/a\",\"xattrs\":{\"user.a\":\"$(printf '%0131074d' 0)\"}}"
	bad 'a long name of an attribute' "xattrs: user.$NAME252: a name of 257 bytes: the limit is 255" \
		"{\"path\":\"/a\",\"xattrs\":{\"user.$NAME252\":\"\"}}"
	# A list is what its first 64 KiB are.
	{ printf '{"path":"/%d"}\n' {1..9000} && printf '{"path":"/a\0b"}\n'; } >list
	says 'NUL' 1 'list: line 9001: has a NUL byte' "$mkfs" -q --manifest=list bad.img
	printf '/%d source=tree/large\n' {1..9} | mklist >list
	says 'more than there is room for' 1 'bad.img: cannot write' \
		bash -c "ulimit -f 10000; trap '' XFSZ; exec '$mkfs' -q --no-dedup --manifest=list bad.img"
	says 'missing' 1 'nolist: cannot open' "$mkfs" --manifest=nolist bad.img
	check 'no image is left' test ! -e bad.img
	says 'order of a path that is not there' 0 'not in the source' \
		"$mkfs" -q --manifest=/dev/null --order=list bad.img
	rm -f bad.img
	exits '-n' 0 "$mkfs" -n --manifest=/dev/null bad.img
	check '-n writes nothing' test ! -e bad.img
}

# all_bad NAME LINES...: each of these lines is told, "N: TEXT", and the number of errors.
all_bad()
{
	local name=$1 text

	shift
	exits "$name" 1 "$mkfs" -q --manifest=list bad.img
	for text; do
		check "$name: $text" grep -q "^mkfs.dsfs: list: $text" "$err"
	done
	check "$name: and nothing else" test "$(wc -l <"$err")" = $#
	check "$name: no image" test ! -e bad.img
}

cases_many_errors()
{
	rm -f bad.img
	printf '%s\n' '/a uid=x' '/b' '/c source=nowhere' '/d colour=red' '/b' '/l type=link target=/a' |
		mklist >list
	all_bad "all errors at once" 'line 1: uid: x' 'line 3: source: nowhere' \
		'line 4: colour' 'line 5: /b: already in line 2' '4 errors$'
	printf '%s\n' /x /x /x /d/y /d/y | mklist >list
	all_bad "all that is twice" 'line 2: /x: already in line 1' \
		'line 3: /x: already in line 2' 'line 5: /d/y: already in line 4' '3 errors$'
	printf '%s\n' '{"path":"/a","type":"fifo","xattrs":{"user.a":"11"}}' '{"path":"/a"}' >list
	all_bad 'a wrong attribute of what is there twice' 'line 1: xattrs: user.a: a pipe' \
		'line 2: /a: already in line 1' '2 errors$'
	printf '%s\n' '/1 type=link target=/x' '/2 type=link target=/1' '/3' | mklist >list
	all_bad "all links" 'line 1: target: /x: not in' 'line 2: target: /1: is itself' '2 errors$'
	seq -f '/%.0f colour=red' 30000 | mklist >list
	exits "very many errors" 1 "$mkfs" -q --manifest=list bad.img
	check "very many errors: the first are told" test "$(wc -l <"$err")" = 21
	check "very many errors: and how many there are" \
		grep -q 'list: 30000 errors, the first 20 of them listed' "$err"
}

cases_left_out()
{
	local i

	printf '%s\n' '/a source=nowhere' '/d/b source=tree/copy' '/c source=nowhere size=5' \
		'/e source=tree/copy offset=99' '/f source=tree/copy size=99' \
		'/l type=link target=/a' '/k type=link target=/d/b' '/g source=tree/large/x' \
		'/h source=tree/a/one' | mklist >list
	run "$mkfs" -f --allow=unreadable --manifest=list left.img
	check "sources that are missing are left out" test "$rc" = 0
	for i in 1 3 4 5 6 8; do
		check "left out: line $i is told" \
			grep -q "^mkfs.dsfs: list: warning: line $i: .*: left out$" "$err"
	done
	check "left out: and no other" test "$(wc -l <"$err")" = 6
	check "left out: they are counted" grep -qx 'left out as unreadable: 6' "$out"
	run dsfs ls -R left.img
	check "left out: the others are there" \
		test "$(cut -f 1 "$out" | tr '\n' ' ')" = '/d /d/b /h /k '
	check "left out: fsck" fsck.dsfs -q left.img
	run "$mkfs" -n --json --allow=unreadable --manifest=list left.img
	check "left out: of a plan, too" holds 'd["skipped"] == 6'
	echo '/a colour=red' | mklist >>list
	says "left out: a wrong line is none" 1 "list: line 10: colour" \
		"$mkfs" -f --allow=unreadable --manifest=list left.img
	printf '%s\n' '/a source=nowhere' '/a' | mklist >list
	says "left out: the name is taken" 1 "line 2: /a: already in line 1" \
		"$mkfs" -f --allow=unreadable --manifest=list left.img
	printf '%s\n' '/a source=tree' | mklist >list
	says "left out: a directory is none" 1 "source: tree: not a regular file" \
		"$mkfs" -f --allow=unreadable --manifest=list left.img
}

# A tree by way of dsfs manifest: names that are no UTF-8, attributes and all.
cases_json()
{
	printf '%s\n' ' { "path" : "/a\u00e9\ud83d\ude00\udcff\n\/" , "type":"dir", "uid":7, "mtime":"-1.5" } ' \
		'{"path":"/b","source":"numbers","size":"1K","mode":"0600","xattrs":{"user.a":"00ff","user.b":""}}' \
		'{"default":{"uid":9}}' '{"path":"/empty"}' '{"path":"/l","type":"link","target":"/b"}' |
		sed 's/\\n/-/' >list
	seq 3000 >numbers
	check "JSON" "$mkfs" -q -f --manifest=list made.img
	check "JSON: fsck" fsck.dsfs -q made.img
	run dsfs digest --full --text made.img
	check "JSON: a name, a number, a time (of whole seconds and what is behind)" grep -q \
		$'^/a\\\\303\\\\251\\\\360\\\\237\\\\230\\\\200\\\\377-\td\t0755\t7\t0\t-1500000000\t' "$out"
	check "JSON: attributes" grep -q $'^/b\tf\t0600\t0\t0\t.*user.a' "$out"
	check "JSON: defaults" grep -q $'^/empty\tf\t0644\t9\t' "$out"
	check "JSON: a link" grep -q $'^/l\tf\t.*\t/b\t' "$out"
}

# A blank at an end of a string belongs to it.
cases_json_blanks()
{
	mkdir blanks
	echo right >'blanks/ x '
	for i in x ' x' 'x '; do echo wrong >"blanks/$i"; done
	printf '%s\n' '{"path":"/ f ","source":" x ","xattrs":{"user. a ":"11"}}' \
		'{"path":"/\tg\t","type":"link","target":"/ f "}' '{"path":"/ d /","mode":"0700"}' \
		'{"path":"/ d / e "}' '{"path":"/l","type":"symlink","target":" to\t"}' >list
	check "JSON: blanks" "$mkfs" -q -f --manifest=list blanks.img blanks
	run dsfs cat blanks.img '/ f '
	check "JSON: blanks: of a source" same_file 'blanks/ x ' "$out"
	dsfs manifest blanks.img | sed '1s/^/[/; $!s/$/,/; $s/$/]/' >lines
	check "JSON: blanks: of paths" \
		holds '[v["path"] for v in d] == ["/", "/\tg\t", "/ d ", "/ d / e ", "/ f ", "/l"]' lines
	check "JSON: blanks: of a link's target" holds 'd[4]["target"] == "/\tg\t"' lines
	check "JSON: blanks: of a symlink's target" holds 'd[5]["target"] == " to\t"' lines
	check "JSON: blanks: of an attribute" holds 'd[1]["xattrs"] == {"user. a ": "11"}' lines
}

# The mask is what the mode shows for the group.
cases_acl()
{
	local head=0200000001000600ffffffff tail=20000100ffffffff
	local with='"xattrs":{"system.posix_acl_access"'

	printf '%s\n' "{\"path\":\"/mask\",$with:\"${head}0200070046000000040004\
00ffffffff10000500ffffffff$tail\"}}" "{\"path\":\"/three\",$with:\"${head}04000200ffffffff$tail\"}}" \
		"{\"path\":\"/d/\",\"mode\":\"1621\",$with:\"${head}04000200ffffffff$tail\"}}" >list
	check "ACLs" "$mkfs" -q -f --manifest=list acl.img
	check "ACLs: fsck" fsck.dsfs -q acl.img
	dsfs manifest acl.img | sed '1s/^/[/; $!s/$/,/; $s/$/]/' >lines
	check "ACLs: the modes" \
		holds '[v["mode"] for v in d[1:]] == ["1621", "0651", "0621"]' lines
	check "ACLs: three entries are the mode" holds '["xattrs" in v for v in d[1:]] == [0, 1, 0]' lines
}

make_tree
cases_same
cases_content
cases_bad
cases_many_errors
cases_left_out
cases_json
cases_json_blanks
cases_acl
finish
