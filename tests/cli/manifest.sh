#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkfs.dsfs --manifest: the same image as from a directory, what lines say, and every
# mistake that a line may have.
set -uo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
export LC_ALL=C SOURCE_DATE_EPOCH=1000
mkfs=$bin/mkfs.dsfs
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
	"$mkfs" -q -f --no-xattrs "$@" dir.img tree &&
		"$mkfs" -q -f "$@" --manifest=list list.img </dev/null &&
		cmp dir.img list.img
}

cases_same()
{
	local n

	"$top/tests/tools/mkmanifest" tree >list
	check "manifest: as the directory" same
	check "manifest: --no-dedup --no-checksums" same --no-dedup --no-checksums
	check "manifest: --align=512 --all-root" same --align=512 --all-root
	check "manifest: -T" same -T 5
	printf '%s\n' large a/one 'with blank/7' >order
	check "manifest: --order" same --order=order
	for n in 1 32; do
		check "manifest: $n threads" same --threads=$n
	done
	"$top/tests/tools/mkmanifest" tree parts >list
	check "manifest: contents that are parts of a file" same
	sort -R --random-source=tree/large list >shuffled
	mv shuffled list
	check "manifest: lines in any order" same
	tr '\n' '\0' <list >list0
	check "manifest: -0" "$mkfs" -q -f -0 --manifest=list0 list.img
	check "manifest: -0: as the directory" same
	run sh -c "'$mkfs' -q -f --manifest=- list.img <list"
	check "manifest: standard input" cmp list.img dir.img
	mkdir -p elsewhere
	(cd elsewhere && "$mkfs" -q -f --manifest=- ../list.img ../tree) <<<'{"path":"/x","source":"a/one"}'
	run "$bin/dump.dsfs" --cat=/x list.img
	check "manifest: relative to SOURCE" cmp "$out" tree/a/one
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
	check "manifest: what lines say" "$mkfs" -q -f --manifest=list made.img
	check "manifest: fsck" "$bin/fsck.dsfs" -q made.img
	run "$bin/dump.dsfs" --list made.img
	check "manifest: defaults do not reach back" \
		listed $'/early\tf\t0644\t0\t0\t1\t16\t0.000000000\t-\t-\t'"$(sum_of 16 1)"$'\t-'
	check "manifest: defaults" \
		listed $'/d/short\tf\t0640\t7\t8\t1\t13\t3.500000000\t-\t-\t'"$(sum_of 13 1)"$'\t-'
	check "manifest: a range of a file" \
		listed $'/d/pattern\tf\t0640\t7\t8\t1\t1000000\t3.500000000\t-\t-\t'"$(sum_of 1000000 1)"$'\t-'
	check "manifest: directory with attributes" \
		listed $'/d\td\t0711\t9\t8\t2\t0\t3.500000000\t-\t-\t-\t-'
	check "manifest: implied directory" \
		listed $'/dev\td\t0711\t7\t8\t2\t0\t3.500000000\t-\t-\t-\t-'
	check "manifest: device" \
		listed $'/dev/disk\tb\t0640\t7\t8\t1\t0\t3.500000000\t4095:1048575\t-\t-\t-'
	check "manifest: symlink" \
		listed $'/link\tl\t0777\t7\t8\t1\t3\t3.500000000\t-\t-\ta\\040b\t-'
	run "$mkfs" -f --json --manifest=list made.img
	check "manifest: zeros are a hole" holds 'd["sparse_files"] == 1'
	printf '{"path":"/a"}\r\n\r\n' >list
	check "manifest: line ends of Windows" "$mkfs" -q -f --manifest=list made.img
	run "$bin/dump.dsfs" --list made.img
	check "manifest: line ends of Windows are blanks" grep -q $'^/a\t' "$out"
	: >list
	check "manifest: empty" "$mkfs" -q -f --manifest=list made.img
	check "manifest: empty: fsck" "$bin/fsck.dsfs" -q made.img
}

# sum_of BYTES SEED: crc32c of a pattern, from the manual page's words.
sum_of()
{
	python3 - "$@" <<'END'
import struct, sys
M = 2 ** 64 - 1
def mix(x):
    x = x + 0x9e3779b97f4a7c15 & M
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & M
    x = (x ^ x >> 27) * 0x94d049bb133111eb & M
    return x ^ x >> 31
n, seed = int(sys.argv[1]), int(sys.argv[2])
data = b''.join(struct.pack('<Q', mix(mix(seed) + k & M) | 0x0101010101010101)
                for k in range((n + 7) // 8))[:n]
table = []
for i in range(256):
    for _ in range(8):
        i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
    table.append(i)
c = 0xffffffff
for b in data:
    c = c >> 8 ^ table[(c ^ b) & 255]
print('%08x' % (c ^ 0xffffffff))
END
}

# bad NAME TEXT LINE...: the lines make it fail, with TEXT, and leave nothing.
bad()
{
	local name=$1 text=$2

	shift 2
	rm -f bad.img
	printf '%b\n' "$@" | mklist >list
	says "manifest: $name" 1 "mkfs.dsfs: list: line $text" \
		"$mkfs" -q --manifest=list bad.img
	[ ! -e bad.img ] || result "manifest: $name: no image is left" 1
}

cases_bad_lines()
{
	bad "name too long" "1: path: a name of 300 bytes: the limit is 255" "/d/$NAME300"
	bad ".." "1: path: /a/../b: has an empty name, . or .." '/a/../b'
	bad "." "1: path: /a/.: has an empty name" '/a/.'
	bad "empty name" "1: path: /a//b: has an empty name" '/a//b'
	bad "slash behind a file" "1: path: ends with a slash" '/a/ type=file'
	bad "NUL" "1: has a NUL byte" '{"path":"/a\0b"}'
	bad "unknown field" "1: colour: unknown field" '/a colour=red'
	bad "field twice" "1: JSON: column 28: duplicate object key" '/a uid=1 uid=2'
	bad "type" "1: type: door: not file, dir" '/a type=door'
	bad "mode" "1: mode: 888: not an octal number up to 7777" '/a mode=888'
	bad "mode too large" "1: mode: 10000: not an octal" '/a mode=10000'
	bad "uid" "1: uid: root: not a number" '/a uid=root'
	bad "uid too large" "1: uid: 4294967295: the limit is 4294967294" \
		'/a uid=4294967295'
	bad "gid too large" "1: gid: 1E: the limit is" '/a gid=1E'
	bad "mtime" "1: mtime: 99999999999: not seconds from 1677" '/a mtime=99999999999'
	bad "size too large" "1: size: 256T: the limit is 281474976710655" \
		'/a source=tree/large size=256T'
	bad "size beyond 64 bits" "1: size: 99999999999999999999: the limit" \
		'/a source=tree/large size=99999999999999999999'
	bad "size alone" "1: size: needs source" '/a size=1'
	bad "offset alone" "1: offset: needs source" '/a offset=1'
	bad "symlink without target" "1: target: missing, type=symlink" '/a type=symlink'
	bad "target too long" "1: target: 4096 bytes: the limit is 4095" \
		"/a type=symlink target=$(printf '%04096d' 1)"
	bad "empty target" "1: target: is empty" '/a type=symlink target='
	bad "device without number" "1: minor: missing, type=char" '/a type=char major=1'
	bad "device number" "1: major: 4096: the limit is 4095" \
		'/a type=block major=4096 minor=1'
	bad "directory with size" "1: size: not for type=dir" '/a type=dir size=1'
	bad "default with size" "1: size: not for default" 'default size=1'
	bad "dirmode of a file" "1: dirmode: not for type=file" '/a dirmode=0755'
	bad "root is no directory" "1: path: ends with a slash" '/ type=file'
}

cases_bad_trees()
{
	echo 0123456789 >ten
	mkdir -p folder
	bad "no such source" "2: source: nowhere: No such file" '/a' '/b source=nowhere'
	bad "source is a directory" "1: source: folder: not a regular file" '/a source=folder'
	bad "beyond the source" "1: size: 5 from 8 on: ten has 11 bytes" \
		'/a source=ten offset=8 size=5'
	bad "offset beyond the source" "1: offset: 12: ten has 11 bytes" \
		'/a source=ten offset=12'
	bad "path twice" "3: /a/b: already in line 1" '/a/b' '/c' '/a/b'
	bad "directory twice" "2: /d: already in line 1" '/d type=dir' '/d/'
	bad "controls in a path that is there twice" '2: /\033[2J\012: already in line 1' \
		'/\\033[2J\\012' '/\\033[2J\\012'
	bad "controls in a source" '1: source: \033[2J: No such file' '/a source=\\033[2J'
	bad "controls in a link's target" '1: target: /\033\012: not in the manifest' \
		'/a type=link target=/\\033\\012'
	bad "controls in a path" '1: path: /\033/..: has an empty name' '/\\033/..'
	bad "controls in a directory" '2: /\033: already in line 1' '/\\033/' '/\\033/'
	bad "JSON: twice" "2: /a: already in line 1" '{"path":"/a"}' '{"path":"/a","uid":1}'
	bad "JSON: twice, once by a default" "3: /a: already in line 1" '{"path":"/a"}' 'default uid=1' '/a'
	bad "JSON: twice, escaped" "2: /a: already in line 1" '{"path":"/a"}' '{"path":"/\\u0061"}'
	bad "JSON: a directory twice" "2: /a: already in line 1" '{"path":"/a/"}' \
		'{"path":"/a","type":"dir"}'
	bad "JSON: the root twice" "2: /: already in line 1" '{"path":"/"}' '/ type=dir'
	bad "below a file" "2: /a: already in line 1" '/a' '/a/b'
	bad "a file over a directory" "2: /a: already in line 1" '/a/b' '/a'
	bad "through a symlink" "2: /l: already in line 1" '/l type=symlink target=/etc' '/l/f'
	bad "JSON: through a symlink" "2: /l: already in line 1" \
		'{"path":"/l","type":"symlink","target":"/etc"}' '{"path":"/l/f"}'
	bad "JSON: a file over a directory" "2: /d: already in line 1" \
		'{"path":"/d/f"}' '{"path":"/d"}'
	bad "link up" "2: target: /../a: not in the manifest" '/a' '/b type=link target=/../a'
	bad "offset that overflows" "1: offset: 18446744073709551615: the limit is 9223372036854775807" \
		'/a source=ten offset=18446744073709551615 size=2'
	bad "offset and size that overflow" "1: size: 281474976710655 from 1 on: ten has 11 bytes" \
		'/a source=ten offset=1 size=281474976710655'
	bad "JSON: beyond the source" "1: size: 99 from 0 on: ten has 11 bytes" \
		'{"path":"/a","source":"ten","size":"99"}'
	bad "JSON: size below 0" "1: size: -1: not a number" '{"path":"/a","source":"ten","size":-1}'
	printf '/%d source=tree/large\n' {1..9} | mklist >list
	says "manifest: more than there is room for" 1 'bad.img: cannot write' \
		bash -c "ulimit -f 10000; trap '' XFSZ; exec '$mkfs' -q --no-dedup --manifest=list bad.img"
	check "manifest: more than there is room for: no image" test ! -e bad.img
	bad "link to nothing" "1: target: /b: not in the manifest" \
		'/a type=link target=/b'
	bad "link to a directory" "2: target: /d: is itself type=dir" \
		'/d type=dir' '/a type=link target=/d'
	bad "link to a link" "3: target: /b: is itself type=link" \
		'/a' '/b type=link target=/a' '/c type=link target=/b'
	says "manifest: missing" 1 "nolist: cannot open" "$mkfs" --manifest=nolist bad.img
	says "manifest: no image" 2 "IMAGE is needed" "$mkfs" --manifest=list
	says "manifest: -x" 2 "--one-file-system and --manifest do not go together" "$mkfs" -x --manifest=list bad.img
	says "manifest: -e" 2 "--exclude and --manifest do not go together" "$mkfs" -e x --manifest=list bad.img
	says "manifest: order of a path that is not there" 0 "not in the source" \
		"$mkfs" -q --manifest=/dev/null --order=list bad.img
	rm -f bad.img
	exits "manifest: -n" 0 "$mkfs" -n --manifest=/dev/null bad.img
	check "manifest: -n writes nothing" test ! -e bad.img
}

# all_bad NAME LINES...: each of these lines is told, "N: TEXT", and the number of errors.
all_bad()
{
	local name=$1 text

	shift
	exits "manifest: $name" 1 "$mkfs" -q --manifest=list bad.img
	for text; do
		check "manifest: $name: $text" grep -q "^mkfs.dsfs: list: $text" "$err"
	done
	check "manifest: $name: and nothing else" test "$(wc -l <"$err")" = $#
	check "manifest: $name: no image" test ! -e bad.img
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
	printf '%s\n' '/1 type=link target=/x' '/2 type=link target=/1' '/3' | mklist >list
	all_bad "all links" 'line 1: target: /x: not in' 'line 2: target: /1: is itself' '2 errors$'
	seq -f '/%.0f colour=red' 30000 | mklist >list
	exits "manifest: very many errors" 1 "$mkfs" -q --manifest=list bad.img
	check "manifest: very many errors: the first are told" test "$(wc -l <"$err")" = 21
	check "manifest: very many errors: and how many there are" \
		grep -q 'list: 30000 errors, the first 20 of them listed' "$err"
}

cases_left_out()
{
	local i

	printf '%s\n' '/a source=nowhere' '/d/b source=tree/copy' '/c source=nowhere size=5' \
		'/e source=tree/copy offset=99' '/f source=tree/copy size=99' \
		'/l type=link target=/a' '/k type=link target=/d/b' '/g source=tree/large/x' \
		'/h source=tree/a/one' | mklist >list
	run "$mkfs" -f --skip-unreadable --manifest=list left.img
	check "manifest: sources that are missing are left out" test "$rc" = 0
	for i in 1 3 4 5 6 8; do
		check "manifest: left out: line $i is told" \
			grep -q "^mkfs.dsfs: list: warning: line $i: .*: left out$" "$err"
	done
	check "manifest: left out: and no other" test "$(wc -l <"$err")" = 6
	check "manifest: left out: they are counted" grep -qx 'left out as unreadable: 6' "$out"
	run "$bin/dump.dsfs" --list left.img
	check "manifest: left out: the others are there" \
		test "$(cut -f 1 "$out" | tr '\n' ' ')" = '/ /d /d/b /h /k '
	check "manifest: left out: fsck" "$bin/fsck.dsfs" -q left.img
	run "$mkfs" -n --json --skip-unreadable --manifest=list left.img
	check "manifest: left out: of a plan, too" holds 'd["skipped"] == 6'
	echo '/a colour=red' | mklist >>list
	says "manifest: left out: a wrong line is none" 1 "list: line 10: colour" \
		"$mkfs" -f --skip-unreadable --manifest=list left.img
	printf '%s\n' '/a source=nowhere' '/a' | mklist >list
	says "manifest: left out: the name is taken" 1 "line 2: /a: already in line 1" \
		"$mkfs" -f --skip-unreadable --manifest=list left.img
	printf '%s\n' '/a source=tree' | mklist >list
	says "manifest: left out: a directory is none" 1 "source: tree: not a regular file" \
		"$mkfs" -f --skip-unreadable --manifest=list left.img
}

# A tree by way of dump.dsfs --manifest: names that are no UTF-8, attributes and all.
cases_json()
{
	local root=--no-root

	[ "$(id -u)" -ne 0 ] || root=
	"$bin/tests/mktree" $root zoo 2>/dev/null
	rm -rf zoo/long-path	# no program reaches it by its path
	"$mkfs" -q -f dir.img zoo
	exits "manifest: dump.dsfs --manifest" 0 "$bin/dump.dsfs" --manifest dir.img
	cp "$out" list
	check "manifest: dump.dsfs --manifest: it is JSON, line by line" python3 -c '
import json
for line in open("list", encoding="utf-8"): json.loads(line)'
	check "manifest: dump.dsfs --manifest: the same image" \
		sh -c "'$mkfs' -q -f --manifest=list list.img zoo && cmp dir.img list.img"
	check "manifest: dump.dsfs --manifest: --no-xattrs" \
		sh -c "'$mkfs' -q -f --no-xattrs dir.img zoo && '$mkfs' -q -f --no-xattrs --manifest=list list.img zoo && cmp dir.img list.img"
	printf '%s\n' ' { "path" : "/a\u00e9\ud83d\ude00\udcff\n\/" , "type":"dir", "uid":7, "mtime":"-1.5" } ' \
		'{"path":"/b","source":"numbers","size":"1K","mode":"0600","xattrs":{"user.a":"00ff","user.b":""}}' \
		'{"default":{"uid":9}}' '{"path":"/empty"}' '{"path":"/l","type":"link","target":"/b"}' |
		sed 's/\\n/-/' >list
	seq 3000 >numbers
	check "manifest: JSON" "$mkfs" -q -f --manifest=list made.img
	check "manifest: JSON: fsck" "$bin/fsck.dsfs" -q made.img
	run "$bin/dump.dsfs" --list made.img
	check "manifest: JSON: a name, a number, a time (of whole seconds and what is behind)" grep -q \
		$'^/a\\\\303\\\\251\\\\360\\\\237\\\\230\\\\200\\\\377-\td\t0755\t7\t0\t2\t0\t-2.500000000\t' "$out"
	check "manifest: JSON: attributes" grep -q $'^/b\tf\t0600\t0\t0\t2\t1024\t.*user.a' "$out"
	check "manifest: JSON: defaults" grep -q $'^/empty\tf\t0644\t9\t' "$out"
	check "manifest: JSON: a link" grep -q $'^/l\tf\t.*\t/b\t' "$out"
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
	check "manifest: JSON: blanks" "$mkfs" -q -f --manifest=list blanks.img blanks
	run "$bin/dump.dsfs" '--cat=/ f ' blanks.img
	check "manifest: JSON: blanks: of a source" same_file 'blanks/ x ' "$out"
	"$bin/dump.dsfs" --manifest blanks.img | sed '1s/^/[/; $!s/$/,/; $s/$/]/' >lines
	check "manifest: JSON: blanks: of paths" \
		holds '[v["path"] for v in d] == ["/", "/\tg\t", "/ d ", "/ d / e ", "/ f ", "/l"]' lines
	check "manifest: JSON: blanks: of a link's target" holds 'd[4]["target"] == "/\tg\t"' lines
	check "manifest: JSON: blanks: of a symlink's target" holds 'd[5]["target"] == " to\t"' lines
	check "manifest: JSON: blanks: of an attribute" holds 'd[1]["xattrs"] == {"user. a ": "11"}' lines
}

# The mask is what the mode shows for the group.
cases_acl()
{
	local head=0200000001000600ffffffff tail=20000100ffffffff
	local with='"xattrs":{"system.posix_acl_access"'

	printf '%s\n' "{\"path\":\"/mask\",$with:\"${head}0200070046000000040004\
00ffffffff10000500ffffffff$tail\"}}" "{\"path\":\"/three\",$with:\"${head}04000200ffffffff$tail\"}}" \
		"{\"path\":\"/d/\",\"mode\":\"1621\",$with:\"${head}04000200ffffffff$tail\"}}" >list
	check "manifest: ACLs" "$mkfs" -q -f --manifest=list acl.img
	check "manifest: ACLs: fsck" "$bin/fsck.dsfs" -q acl.img
	"$bin/dump.dsfs" --manifest acl.img | sed '1s/^/[/; $!s/$/,/; $s/$/]/' >lines
	check "manifest: ACLs: the modes" \
		holds '[v["mode"] for v in d[1:]] == ["1621", "0651", "0621"]' lines
	check "manifest: ACLs: three entries are the mode" holds '["xattrs" in v for v in d[1:]] == [0, 1, 0]' lines
}

# bad_json NAME TEXT LINE
bad_json()
{
	printf '%s\n' "$3" >list
	rm -f bad.img
	says "manifest: JSON: $1" 1 "mkfs.dsfs: list: line 1: $2" "$mkfs" -q --manifest=list bad.img
	[ ! -e bad.img ] || result "manifest: JSON: $1: no image is left" 1
}

cases_bad_json()
{
	local acl=0200000001000600ffffffff04000400ffffffff20000400ffffffff i

	bad_json 'cut off' "JSON: column 12: '}' expected" '{"path":"/a"'
	bad_json 'cut off in a string' 'JSON: column 11: premature end of input' '{"path":"/a'
	bad_json 'cut off in an escape' 'JSON: column 15: invalid escape' '{"path":"/a\u00'
	bad_json 'cut off behind a backslash' 'JSON: column 12: invalid escape' "{\"path\":\"/a\\"
	bad_json 'an escape' 'JSON: column 13: invalid escape' '{"path":"/a\x41"}'
	bad_json 'half a pair' 'JSON: column 18: invalid Unicode' '{"path":"/a\ud83d"}'
	bad_json 'half a pair and a byte' 'JSON: column 24: invalid Unicode' '{"path":"/a\ud83d\u0041"}'
	bad_json 'a surrogate that is no byte' 'JSON: column 18: invalid Unicode' '{"path":"/a\udc7f"}'
	bad_json 'NUL' 'JSON: column 18: \u0000, which is in no name' '{"path":"/a\u0000"}'
	bad_json 'NUL in a key' 'JSON: column 22: NUL byte in object key' '{"path":"/a","a\u0000":1}'
	bad_json 'a byte that is no UTF-8' 'JSON: column 10: unable to decode byte 0xff' $'{"path":"/\xff"}'
	bad_json 'a control' 'JSON: column 11: control character 0x9' $'{"path":"/a\tb"}'
	bad_json 'two objects' 'JSON: column 15: end of file expected near' '{"path":"/a"} {"path":"/b"}'
	bad_json 'a word behind the object' 'JSON: column 15: end of file expected' '{"path":"/a"} x'
	bad_json 'a comma too many' "JSON: column 14: string or '}' expected" '{"path":"/a",}'
	bad_json 'no comma' "JSON: column 18: '}' expected" '{"path":"/a" "uid":1}'
	bad_json 'no colon' "JSON: column 12: ':' expected" '{"path" "/a"}'
	bad_json 'no key' "JSON: column 5: string or '}' expected" '{path:"/a"}'
	bad_json 'too deep' 'JSON: column 2067: maximum parsing depth' \
		"{\"path\":\"/a\",\"uid\":$(printf '%03000d' 0 | tr 0 '[')"
	bad_json 'no object' 'not an object of JSON' '/a uid=1'
	bad_json 'no path' 'path: missing' '{"uid":1}'
	bad_json 'defaults that are none' 'default: not an object of its own' '{"default":1}'
	bad_json 'defaults with a path' 'path: not for default' '{"default":{"path":"/a"}}'
	bad_json 'a path twice' "JSON: column 19: duplicate object key near '\"path\"'" \
		'{"path":"/a","path":"/b"}'
	bad_json 'a path twice, once by an escape' 'JSON: column 24: duplicate object key' \
		'{"path":"/a","p\u0061th":"/b"}'
	bad_json 'a relative path' 'path: a: not a path from / on' '{"path":"a"}'
	bad_json 'a blank in front of the root' 'path:  /a: not a path from / on' '{"path":" /a"}'
	bad_json 'a number for a path' 'path: not a string' '{"path":1}'
	bad_json 'a number for a source' 'source: not a string' '{"path":"/a","source":5}'
	bad_json 'a number for a target' 'target: not a string' '{"path":"/a","type":"symlink","target":5}'
	bad_json '..' 'path: /a/../b: has an empty name, . or ..' '{"path":"/a/../b"}'
	bad_json 'a field twice' 'JSON: column 26: duplicate object key' '{"path":"/a","uid":1,"uid":2}'
	bad_json 'attributes twice' 'JSON: column 46: duplicate object key' \
		'{"path":"/a","xattrs":{"user.a":"11"},"xattrs":{"user.b":"22"}}'
	bad_json 'an attribute twice' 'JSON: column 45: duplicate object key' \
		'{"path":"/a","xattrs":{"user.a":"11","user.a":"22"}}'
	bad_json 'an unknown field' 'colour: unknown field' '{"path":"/a","colour":"red"}'
	bad_json 'an unknown field with a control' 'a\033\012: unknown field' \
		'{"path":"/a","a\u001b\n":"red"}'
	bad_json 'a blank in a key' ' uid: unknown field' '{"path":"/a"," uid":1}'
	bad_json 'a list' 'uid: neither a string nor a number' '{"path":"/a","uid":[1]}'
	bad_json 'null' 'uid: neither a string nor a number' '{"path":"/a","uid":null}'
	bad_json 'true' 'size: neither a string nor a number' '{"path":"/a","size":true}'
	bad_json 'a blank in front of a number' 'uid:  7: not a number' '{"path":"/a","uid":" 7"}'
	bad_json 'a blank behind a number' 'uid: 7 : not a number' '{"path":"/a","uid":"7 "}'
	bad_json 'a blank in a type' 'type:  dir: not file, dir' '{"path":"/a","type":" dir"}'
	bad_json 'a blank in a mode' 'mode:  755: not an octal' '{"path":"/a","mode":" 755"}'
	bad_json 'a blank in a time' 'mtime:  5: not seconds' '{"path":"/a","mtime":" 5"}'
	bad_json 'a number that is octal' 'JSON: column 20: invalid token' '{"path":"/a","uid":010}'
	bad_json 'a time as a number with a fraction' 'mtime: 1.5: a number with a fraction' \
		'{"path":"/a","mtime":1.5}'
	bad_json 'a number with an exponent' 'uid: 10: a number with a fraction or an exponent' \
		'{"path":"/a","uid":1e1}'
	bad_json 'a number above 63 bits' 'JSON: column 40: too big integer' \
		'{"path":"/a","size":18446744073709551615,"source":"b"}'
	bad_json 'a string above 63 bits' 'size: 18446744073709551615: the limit is 281474976710655' \
		'{"path":"/a","size":"18446744073709551615"}'
	bad_json 'a uid below 0' 'uid: -1: not a number' '{"path":"/a","uid":-1}'
	bad_json 'a mode in decimal' 'mode: not a string: it is octal' '{"path":"/a","mode":420}'
	bad_json 'an attribute in text' 'xattrs: user.a: not pairs' '{"path":"/a","xattrs":{"user.a":"x"}}'
	bad_json 'half a byte' 'xattrs: user.a: not pairs' '{"path":"/a","xattrs":{"user.a":"1"}}'
	bad_json 'an attribute of no kind' 'xattrs: a: not a kind' '{"path":"/a","xattrs":{"a":"11"}}'
	bad_json 'an attribute of a kind with a blank' 'xattrs:  user.a: not a kind' \
		'{"path":"/a","xattrs":{" user.a":"11"}}'
	bad_json 'an attribute of no kind, with a control' 'xattrs: a\033: not a kind' \
		'{"path":"/a","xattrs":{"a\u001b":"11"}}'
	bad_json 'a blank in an attribute' 'xattrs: user.a: not pairs' \
		'{"path":"/a","xattrs":{"user.a":" 1"}}'
	bad_json 'an attribute that is a number' 'xattrs: user.a: not a string' \
		'{"path":"/a","xattrs":{"user.a":11}}'
	bad_json 'attributes of no kind' 'xattrs: not an object' '{"path":"/a","xattrs":"11"}'
	bad_json 'a large attribute' 'xattrs: user.a: 65537 bytes: the limit is 65536' \
		"{\"path\":\"/a\",\"xattrs\":{\"user.a\":\"$(printf '%0131074d' 0)\"}}"
	bad_json 'an ACL' 'xattrs: system.posix_acl_access: wrong length' \
		'{"path":"/a","xattrs":{"system.posix_acl_access":"02"}}'
	for i in symlink,target:/b fifo socket char,major:1,minor:1 block,major:1,minor:1; do
		bad_json "a user attribute, type=${i%%,*}" 'xattrs: user.a: a ' \
			"$(python3 -c 'import sys
type, *fields = sys.argv[1].split(",")
print(dict(f.split(":") for f in fields) | {"path": "/a", "type": type, "xattrs": {"user.a": "11"}})' \
			"$i" | tr "'" '"')"
	done
	bad_json 'an ACL and another mode' 'mode: 4640: its permissions by the ACL are 0644' \
		"{\"path\":\"/a\",\"mode\":\"4640\",\"xattrs\":{\"system.posix_acl_access\":\"$acl\"}}"
	bad_json 'an ACL of a symlink' 'xattrs: system.posix_acl_access: a symlink cannot have it' \
		"{\"path\":\"/a\",\"type\":\"symlink\",\"target\":\"b\",\"xattrs\":{\"system.posix_acl_access\":\"$acl\"}}"
	bad_json 'a default ACL of a file' 'xattrs: system.posix_acl_default: a file cannot have it' \
		"{\"path\":\"/a\",\"xattrs\":{\"system.posix_acl_default\":\"$acl\"}}"
	bad_json 'a long name of an attribute' "xattrs: user.$NAME252: a name of 257 bytes: the limit is 255" \
		"{\"path\":\"/a\",\"xattrs\":{\"user.$NAME252\":\"\"}}"
	printf '%s\n' '{"path":"/a","type":"fifo","xattrs":{"user.a":"11"}}' '{"path":"/a"}' >list
	rm -f bad.img
	all_bad 'a wrong attribute of what is there twice' 'line 1: xattrs: user.a: a pipe' \
		'line 2: /a: already in line 1' '2 errors$'
	bad_json 'attributes of a link' 'xattrs: not for type=link' \
		'{"path":"/a","type":"link","target":"/b","xattrs":{"user.a":"11"}}'
}

# The sources change between the plan and the reading: see mkfs.sh.
changing()
{
	local text=$1 got=0

	shift
	rm -f pipe bad.img
	mkfifo pipe
	cp -a tree/large moving
	printf '%s\n' '/a' '/b source=moving offset=10 size=1000' | mklist >list
	"$mkfs" -q --order=pipe --manifest=list "${opts[@]}" bad.img 2>"$err" &
	exec 4>pipe
	"$@"
	exec 4>&-
	wait $! || got=$?
	grep -qF -- "$text" "$err" && [ "$got" = "$want" ]
}

cases_changes()
{
	local opts=() want=1

	check "manifest: a source vanishes" changing "list: line 2: /b: moving: cannot open" rm moving
	check "manifest: a source shrinks" changing "line 2: /b: moving: shrank" truncate -s 5 moving
	check "manifest: a source is written" changing "line 2: /b: moving: changed" \
		dd if=/dev/zero of=moving bs=1 count=1 conv=notrunc status=none
	opts=(--skip-unreadable) want=0
	check "manifest: --skip-unreadable" changing "moving: shrank during the run: left out" \
		truncate -s 5 moving
	run "$bin/dump.dsfs" --list bad.img
	check "manifest: --skip-unreadable: it is out" sh -c "! grep -q ^/b '$out'"
}

make_tree
cases_same
cases_content
cases_bad_lines
cases_bad_trees
cases_many_errors
cases_left_out
cases_json
cases_json_blanks
cases_acl
cases_bad_json
cases_changes
"$top/tests/cli/manifest_strings" "$mkfs" "$bin/dump.dsfs" || failed=1
finish
