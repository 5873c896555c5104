#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# edit.sh - dsfs rm, mv, set, subset, add, erase and edit: what each does, what is refused, and random edits
# beside a model.  Calls that fail are in tests/robust/updates, cuts of power in tests/update.
set -euo pipefail
. "$(dirname "$0")/cases"
# A larger sample: DSFS_LONG=1
sequences=$((${DSFS_LONG:-0} ? 2000 : 15))
export SOURCE_DATE_EPOCH=5

mkdir -p tree/cats tree/dogs/old
for i in 1 2 3 10; do
	seq $((i * 1000)) >tree/cats/$i.jpg
	echo "dog $i" >tree/dogs/$i.png
done
ln tree/cats/1.jpg tree/dogs/old/link
ln tree/cats/1.jpg tree/zlink
ln -s cats tree/sym
"$mkfs" -q --digest=full --compress=zstd:3 -L set first.dsfs tree

# text [FILE]: path, type, mode, owner and group of all objects
text()
{
	"$dsfs" digest --full --text "${1:-image.dsfs}" | tail -n +2 | cut -f 1-5,8
}

# newest MEMBERS VALUES: what dump.dsfs tells of the newest generation of image.dsfs
newest()
{
	holds "[d['generations'][0][k] for k in ($1,)] == [$2]" <("$dump" --generations --json image.dsfs)
}

# edited NAME WHAT COMMAND...: image.dsfs, a copy of the first one, gets a generation that is sound; WHAT
# differs, < that went, > that came, unless that is "-", and the file differs tells how.  In no memory the
# image is the same, and it has the digest that is asked for.
edited()
{
	local name=$1

	cp first.dsfs image.dsfs
	exits "$name" 0 "${@:3}"
	cp "$out" report
	check "$name: sound" "$fsck" -q image.dsfs
	diff <(text first.dsfs) <(text) | grep '^[<>]' >differs || true
	[ "$2" = - ] || check "$name: what differs" test "$(cut -f 1 differs | sort | tr '\n' ' ')" = "$2 "
	check "$name: what was there stays" cmp -s -i 69632 -n $(($(stat -c %s first.dsfs) - 69632)) first.dsfs image.dsfs
	check "$name: another generation" newest '"label", "generation"' '"set", 2'
	[[ "$*" != *--batch=-* ]] || return 0
	cp image.dsfs was.dsfs
	cp first.dsfs image.dsfs
	run "$3" "$4" --digest=full "${@:5}"
	check "$name: its digest" newest '"digest"' "'$("$dsfs" digest --full was.dsfs)'"
	cp first.dsfs image.dsfs
	run "$3" "$4" --memory=1 "${@:5}"
	check "$name: --memory=1: the same bytes" cmp was.dsfs image.dsfs
}

edited 'a file' '< /cats/2.jpg' "$dsfs" rm -m 'a file' image.dsfs cats/2.jpg
check 'a file: a report' grep -q '^generation 2: names removed 1, moved 0, changed 0' report
check 'a file: its message' newest '"message"' '"a file"'
check 'a file: dsfs diff shows it' test "$("$dsfs" diff image.dsfs)" = $'removed\tf\t/cats/2.jpg\t-'
check 'a file: no digest' grep -q 'digest: none is kept' <("$fsck" --digest image.dsfs 2>&1)
check 'a file: no time of a directory changes' test "$("$dsfs" digest --full --text image.dsfs | grep -P '^/cats\t')" = \
	"$("$dsfs" digest --full --text first.dsfs | grep -P '^/cats\t')"
"$dsfs" revert -q image.dsfs
check 'a revert brings it back' diff <("$dsfs" digest --full first.dsfs) <("$dsfs" digest --full image.dsfs)
edited 'a pattern' '< /cats/1.jpg < /cats/10.jpg' "$dsfs" rm -q image.dsfs 'c*/1*'
check 'a pattern: other names stay' test "$("$dsfs" cat image.dsfs zlink | cksum)" = "$(cksum <tree/zlink)"
check 'a pattern: two names are left' grep -q '^-rw-r--r--  *2 .*/dogs/old/link$' <("$dsfs" ls -lR image.dsfs)
edited 'a directory' '< /cats/3.jpg < /dogs < /dogs/1.png < /dogs/10.png < /dogs/2.png < /dogs/3.png < /dogs/old < /dogs/old/link' "$dsfs" rm -q -r image.dsfs /dogs/ ./cats/3.jpg
printf 'zlink\n/cats/1.jpg\n' >list
edited 'a list' '< /cats/1.jpg < /zlink' "$dsfs" rm -q --from=list image.dsfs
edited 'all there is' - "$dsfs" rm -q -r image.dsfs '*'
check 'all there is: none is left' test "$(text | wc -l)" = 1
edited 'another name' '< /zlink > /a' "$dsfs" mv image.dsfs zlink a
edited 'into a directory' '< /cats/1.jpg < /cats/10.jpg < /sym > /dogs/old/1.jpg > /dogs/old/10.jpg > /dogs/old/sym' "$dsfs" mv -q image.dsfs 'cats/1*' sym dogs/old
edited 'a directory moves' - "$dsfs" mv -q image.dsfs cats/ dogs/old/
check 'a directory moves: with its files' test "$("$dsfs" cat image.dsfs dogs/old/cats/3.jpg | cksum)" = "$(cksum <tree/cats/3.jpg)"
edited 'times' - "$dsfs" mv -q --touch image.dsfs cats/3.jpg dogs
check 'times: of both directories' test "$("$dsfs" digest --full --text image.dsfs | grep -cP '^/(cats|dogs)\t.*\t5000000000\t')" = 2
edited 'times: rm' - "$dsfs" rm -q --touch image.dsfs cats/3.jpg
check 'times: rm: of the directory' test "$("$dsfs" digest --full --text image.dsfs | grep -cP '^/cats\t.*\t5000000000\t')" = 1
edited 'attributes' - "$dsfs" set --json --mode=4711 --owner=5:6 --mtime=-7.5 --xattr=user.a=b --xattr=user.c=d image.dsfs zlink cats
check 'attributes: of all names' test "$(grep '^>' differs | cut -f 1-5 | tr '\t\n' ' ;')" = \
	'> /cats d 4711 5 6;> /cats/1.jpg f 4711 5 6;> /dogs/old/link f 4711 5 6;> /zlink f 4711 5 6;'
check 'attributes: JSON' holds 'd["changed_names"] == 2 and d["generation"] == 2' report
check 'attributes: times' test "$("$dsfs" digest --full --text image.dsfs | grep -c $'\t-7500000000\t')" = 4
"$dsfs" set -q --owner=:9 --xattr=user.a --xattr=user.c=e image.dsfs dogs/old/link
check 'an attribute goes' test "$("$dsfs" manifest image.dsfs | grep -o '"xattrs":{[^}]*}' | sort | uniq -c | tr -s ' \n' ' ')" = \
	' 1 "xattrs":{"user.a":"62","user.c":"64"} 1 "xattrs":{"user.c":"65"} '
check 'the group alone' test "$(text | grep -c $'\t5\t9\t')" = 3
printf 'cats/2.jpg\ndogs/old\ndogs\n' >list
edited 'a subset' '< /cats/1.jpg < /cats/10.jpg < /cats/3.jpg < /sym < /zlink' "$dsfs" subset --from=list image.dsfs
edited 'a subset of patterns' - "$dsfs" subset -q image.dsfs 'dogs/o*' sym
check 'a subset of patterns: what stays' test "$(text | cut -f 1 | tr '\n' ' ')" = '/ /dogs /dogs/old /dogs/old/link /sym '
cat >./batch <<'END'
# two change places
{"op": "mv", "from": "/cats/1.jpg", "to": "/tmp"}
{"op": "mv", "from": "/cats/2.jpg", "to": "/cats/1.jpg"}
{"op": "mv", "from": "/tmp", "to": "/cats/2.jpg"}

{"op": "mv", "from": "dogs", "to": "cats/dogs"}
{"op": "rm", "path": "cats/dogs/old", "recursive": true}
{"op": "set", "path": "cats/2.jpg", "mode": "600", "uid": 3, "xattrs": {"user.n": "6161"}}
END
edited 'a batch' - "$dsfs" edit -q --batch=batch image.dsfs
check 'a batch: a swap' test "$("$dsfs" cat image.dsfs cats/1.jpg | cksum)" = "$(cksum <tree/cats/2.jpg)"
check 'a batch: a directory' test "$(text | grep -c '^/cats/dogs')" = 5
check 'a batch: both names' test "$(text | grep -cP '\t0600\t3\t')" = 2
check 'an empty batch' "$dsfs" edit --batch=/dev/null image.dsfs

# what is added: as cp -a SOURCE/. DIR, but for the times of directories
mkdir -p new/cats/more new/x
seq 9 >new/cats/more/n
ln new/cats/more/n new/x/n
seq 5000 >new/cats/new.jpg
ln -s cats/more new/sym2
cp tree/cats/10.jpg new/copy
# as_cp NAME: image.dsfs is what the directory like is
as_cp()
{
	"$mkfs" -q -f like.dsfs like
	check "$1: as cp" diff <("$dsfs" digest --full --text like.dsfs | tail -n +2 | cut -f 1-5,7-) \
		<("$dsfs" digest --full --text image.dsfs | tail -n +2 | cut -f 1-5,7-)
	rm -r like
}
# like SOURCE...: the first tree, with the contents of these
like()
{
	cp -a tree like
	for i; do cp -a "$i/." like; done
}
edited 'a tree is added' - "$dsfs" add image.dsfs new
check 'a tree is added: a report' grep -q '^kept where they are: 8 files' report
check 'a tree is added: a content that is there' grep -q 'duplicates 1 ' report
like new && as_cp 'a tree is added'
check 'a tree is added: times of files' test "$("$dsfs" digest --full --text image.dsfs | grep -cP "^/x/n\t.*\t$(stat -c %.9Y new/x/n | tr -d .)\t")" = 1
edited 'files are added' '> /to > /to/here > /to/here/copy > /to/here/more > /to/here/more/n > /to/here/n > /to/here/new.jpg' "$dsfs" add -q --at=to/here image.dsfs new/copy new/sym2/n new/cats
tar -C new -cf new.tar --sort=name . && "$mkfs" -q new.dsfs new
edited 'an archive is added' - "$dsfs" add -q --tar=new.tar image.dsfs
like new && as_cp 'an archive is added'
"$dsfs" manifest new.dsfs | sed 's/"source":"/&new\//' >new.list
edited 'a manifest is added' - "$dsfs" add -q --manifest=new.list image.dsfs
like new && as_cp 'a manifest is added'
mkdir -p newer/cats && seq 3 >newer/cats/1.jpg && chmod 700 newer/cats
edited 'what is there gives way' - "$dsfs" add -q --replace --touch image.dsfs newer
cp -a tree like && ln -f like/zlink like/keep && rm like/cats/1.jpg && cp -a newer/. like && rm like/keep && as_cp 'what is there gives way'
mkdir self && ln image.dsfs self/image && ln new/copy self/copy
edited 'the image itself' '> /copy' "$dsfs" add -q image.dsfs self
# what appears beside it is not looked at
edited 'a name of a directory' '> /cats/copy' "$dsfs" add -q --at=cats image.dsfs ./new/../new/copy
cat >./batch <<'END'
{"op": "add", "source": "new/cats", "path": "/dogs/old"}
{"op": "mv", "from": "dogs/old/more", "to": "more"}
{"op": "set", "path": "more/n", "mode": "0600"}
{"op": "add", "source": "new/x/n", "path": "cats/2.jpg", "replace": true}
{"op": "rm", "path": "dogs/old/new.jpg"}
{"op": "rm", "path": "dogs", "recursive": true}
{"op": "add", "source": "new/copy", "path": "dogs"}
END
edited 'a batch that adds' - "$dsfs" edit --batch=- image.dsfs < <(cat batch)
check 'a batch that adds: a report' grep -q '^generation 2: names removed 9, moved 1, changed 1, added 5' report
check 'a batch that adds: a content' test "$("$dsfs" cat image.dsfs more/n | cksum)" = "$(seq 9 | cksum)"
check 'a batch that adds: a file of its own' test "$(text | grep -cP '\t0600\t')" = 2
check 'a batch that adds: what comes later' test "$("$dsfs" cat image.dsfs dogs | cksum)" = "$(cksum <new/copy)"
cat >./batch <<'END'
{"op": "add", "source": "new", "path": "/more"}
{"op": "mv", "from": "more/cats/new.jpg", "to": "out"}
{"op": "rm", "path": "more/cats/more/n"}
END
edited 'a batch that moves what it adds' - "$dsfs" edit -q --batch=batch image.dsfs
check 'a batch that moves what it adds: its content' test "$("$dsfs" cat image.dsfs out | cksum)" = "$(cksum <new/cats/new.jpg)"
check 'a batch that moves what it adds: the second name of a file' test "$("$dsfs" cat image.dsfs more/x/n | cksum)" = "$(seq 9 | cksum)"
mkdir -p some/sub
echo 1 >some/a
seq 99 >some/sub/b
printf '%s\n' '{"op":"add","source":"some","path":"/some"}' '{"op":"rm","path":"/some/sub","recursive":true}' >./batch
edited 'a batch that removes a part of what it adds, from a block of both' - "$dsfs" edit -q --batch=batch image.dsfs

# what is erased is nowhere in the file: names, contents, what older generations had
for i in 1 2 3; do
	seq -f "content to be erased $i %g" $((i * 300)) >tree/cats/secret$i
done
cp tree/cats/secret2 tree/dogs/partner
"$mkfs" -q secret.dsfs tree
"$dsfs" rm -q secret.dsfs cats/secret3
# found TEXT: how often the image has it
found()
{
	{ grep -a -o "$1" secret.dsfs || true; } | wc -l
}
says 'an erase asks' 1 'nothing is erased: that needs --yes' "$dsfs" erase secret.dsfs cats/secret1 <<<'no'
check 'an erase asks: it is there' test "$(found 'erased 1 ')" = 300
exits 'an erase' 0 "$dsfs" erase secret.dsfs 'cats/secret[12]' <<<'yes'
check 'an erase: what stays is said' grep -q 'cats/secret2: warning: its content stays' "$err"
check 'an erase: a report' grep -q '^overwritten and read back .* stay: 1$' "$out"
check 'an erase: what was removed before is gone, too' test "$(found 'erased 1 ') $(found 'erased 3 ') $(found secret)" = '0 0 0'
check 'an erase: the partner can be read' test "$("$dsfs" cat secret.dsfs dogs/partner | cksum)" = "$(cksum <tree/dogs/partner)"
check 'an erase: sound' "$fsck" -q secret.dsfs
check 'an erase: the only generation' holds 'len(d["generations"]) == 1' <("$dump" --generations --json secret.dsfs)
says 'an erase is not undone' 1 'there is none' "$dsfs" revert secret.dsfs
made 'the partner, too' secret.dsfs "$dsfs" erase -q -y --digest --memory=1 secret.dsfs dogs/partner
check 'the partner, too: gone, and a digest' test "$(found 'erased 2 ') $("$fsck" --digest secret.dsfs 2>&1)" = \
	"0 $("$fsck" secret.dsfs)"
cp secret.dsfs cut.dsfs
"$corrupt" secret.dsfs 'super both compat^2' cut.dsfs
check 'an erase that was cut off' grep -q 'what it was to overwrite may still be there' <("$fsck" cut.dsfs 2>&1)
for verb in 'update -q cut.dsfs tree' 'add -q cut.dsfs new' 'label cut.dsfs x' 'rm cut.dsfs sym'; do
	# shellcheck disable=SC2086
	says "an erase that was cut off: $verb" 1 'files are being erased: end that first' "$dsfs" $verb
done
made 'it is ended' cut.dsfs "$dsfs" erase cut.dsfs
# a device with discard, and one without
for bytes in 1048576 0; do
	truncate -s 0 disk && truncate -s 8M disk
	if ! dev=$(losetup -f --show disk 2>/dev/null); then
		skip "an erase of a device" "no loop device"
		break
	fi
	"$mkfs" -q "$dev" tree
	echo $bytes >"/sys/block/${dev#/dev/}/queue/discard_max_bytes" 2>/dev/null || true
	check "an erase of a device, $bytes" "$dsfs" erase -q --yes "$dev" cats/secret1
	check "an erase of a device, $bytes: sound" "$fsck" -q "$dev"
	losetup -d "$dev"
	check "an erase of a device, $bytes: gone" test "$({ grep -a -o 'erased 1 ' disk || true; } | wc -l)" = 0
	check "an erase of a device, $bytes: others are there" grep -a -q 'erased 3 ' disk
done
rm -r tree/cats/secret* tree/dogs/partner
cp first.dsfs held.dsfs
[ "$(id -u)" -ne 0 ] ||
	says 'an erase of an image that a device has' 1 'in use by /dev/loop' eval 'dev=$(losetup -r -f --show held.dsfs); "$dsfs" erase -q -y held.dsfs sym; rc=$?; losetup -d $dev; (exit $rc)'

# an image of archives in place: what is left of them shares their blocks
tar -cf a.tar tree && "$mkfs" -q --tar-index --tar=a.tar archives.dsfs
made 'archives' archives.dsfs "$dsfs" rm -q archives.dsfs 'a/tree/cats/*'
made 'archives: mv' archives.dsfs "$dsfs" mv -q archives.dsfs a/tree/dogs x
made 'archives: set' archives.dsfs "$dsfs" set -q --mode=600 archives.dsfs x/1.png
check 'archives: a content' test "$("$dsfs" cat archives.dsfs x/1.png)" = 'dog 1'

# refused: NAME|TEXT|ARGUMENTS behind dsfs, @ for the image: exit 1, nothing is written
cp first.dsfs bad.dsfs
long=$(printf %0256d 0)
while IFS='|' read -r name message command; do
	says "$name" 1 "$message" eval "$dsfs ${command/@/bad.dsfs}"
	check "$name: nothing is written" cmp first.dsfs bad.dsfs
done <<END
through what is removed|cats/1.jpg: its directory is not there: it was|rm -r @ cats cats/1.jpg
twice|sym: is named twice|rm @ sym sym
twice by patterns|cats/10.jpg: is named twice|rm @ 'cats/1*' 'cats/*0.jpg'
a directory, not told|cats: is a directory: see -r|rm @ cats
the root|/: is the root, which stays|rm -r @ /
mv: twice|sym: is named twice|mv @ sym sym dogs
mv: the root|/: is the root, which stays|mv @ / x
mv: dots|dogs/../x: has ..|mv @ sym dogs/../x
below itself|cats: cannot be moved below itself|mv @ cats cats/x
onto a file|cats/2.jpg: is there already|mv @ sym cats/2.jpg
onto one in a directory|dogs/old/link: is there already|mv @ dogs/old/link dogs/old
onto itself|sym: is there already|mv @ sym ./sym
into itself|dogs: cannot be moved below itself|mv @ '*' dogs
two names for one|x: is no directory that|mv @ sym zlink x
a file for a directory|x/: is no directory that|mv @ sym x/
no directory above|x/y: its directory is not there|mv @ sym x/y
mv: a long name|a name of 256 bytes: the limit is 255|mv @ sym $long
mode of a symlink|sym: is a symlink|set --mode=600 @ sym
an attribute that is not there|user.x: has no such|set --xattr=user.x @ zlink
an attribute of a symlink|user.x: a symlink cannot have it|set --xattr=user.x=1 @ sym
no prefix|x: not an extended attribute|set --xattr=x=1 @ zlink
an ACL|system.posix_acl_access: not an extended|set --xattr=system.posix_acl_access=1 @ zlink
add: what is there|cats/1.jpg: is there already|add --at=cats @ new/cats tree/cats/1.jpg
add: dots|../x: has ..|add --at=../x @ new
add: twice|/copy: is there already|add @ new/copy new/copy
add: a long name|a name of 256 bytes: the limit is 255|add --at=$long @ new
add: no such source|nothing: No such file|add @ new nothing
add: a way through a file|leads through what is no directory|add --at=zlink/x @ new
add: archives|not a tar archive|add --tar=tree/zlink @
erase: twice|sym: is named twice|erase -y @ sym sym
END
# of all verbs that take patterns: TEXT|PATTERN
while IFS='|' read -r message path; do
	for verb in 'rm @' 'mv @ dogs' 'set --mtime=1 @' 'subset @' 'erase -y @'; do
		says "${verb%% *} $path" 1 "$message" eval "$dsfs ${verb/@/bad.dsfs sym \'$path\'}"
		check "${verb%% *} $path: nothing is written" cmp first.dsfs bad.dsfs
	done
done <<END
cats/9: is not there|cats/9
x/9: its directory is not there|x/9
leads through what is no directory|cats/1.jpg/x
x*: matches nothing|x*
cats/../sym: has ..|cats/../sym
c*/../sym: matches nothing|c*/../sym
a name of 256 bytes: the limit is 255|cats/$long
END
printf 'sym\ncats/9\n' >list
says 'a line of a list' 1 'list: line 2: cats/9: is not there' "$dsfs" rm --from=list bad.dsfs
# in a batch: TEXT|LINES, with a semicolon between them
while IFS='|' read -r message lines; do
	message=${message/LONG/$long}
	tr ';' '\n' <<<"${lines/LONG/$long}" >./batch
	says "batch: $message" 1 "batch: line $message" "$dsfs" edit --batch=batch bad.dsfs
	check "batch: $message: nothing is written" cmp first.dsfs bad.dsfs
done <<'END'
1: cats/9: is not there|{"op":"rm","path":"cats/9"}
1: c*: is not there|{"op":"rm","path":"c*"}
1: dogs/../x: has ..|{"op":"mv","from":"sym","to":"dogs/../x"}
1: cats: cannot be moved below itself|{"op":"mv","from":"cats","to":"cats/x"}
1: zlink: is there already|{"op":"mv","from":"sym","to":"zlink"}
1: LONG: a name of 256 bytes: the limit is 255|{"op":"mv","from":"sym","to":"LONG"}
1: to: is empty|{"op":"mv","from":"sym","to":""}
2: sym: is not there: line 1 removed or moved it|{"op":"rm","path":"sym"};{"op":"rm","path":"sym"}
2: sym: is not there: line 1|{"op":"mv","from":"sym","to":"x"};{"op":"set","path":"sym","uid":1}
2: dogs/x: its directory is not there: it was|{"op":"rm","path":"dogs","recursive":true};{"op":"mv","from":"sym","to":"dogs/x"}
1: dogs/old/x: is in what is removed afterwards|{"op":"mv","from":"sym","to":"dogs/old/x"};{"op":"rm","path":"dogs","recursive":true}
1: cats: is a directory: see -r, or "recursive"|{"op":"rm","path":"cats"}
1: source: x: No such file|{"op":"add","source":"x","path":"y"}
1: source: missing, op=add needs it|{"op":"add","path":"y"}
1: sym: is there already: see --replace|{"op":"add","source":"new/copy","path":"sym"}
2: sym: is no directory, which what is added is|{"op":"add","source":"new/copy","path":"y"};{"op":"add","source":"new/x","path":"sym","replace":true}
1: cats: is a directory, which what is added is not|{"op":"add","source":"new/copy","path":"cats","replace":true}
2: z: of its source something is added already|{"op":"add","source":"new","path":"y"};{"op":"add","source":"new/x","path":"z"}
2: z: of its source something is added already|{"op":"add","source":"new/x","path":"y"};{"op":"add","source":"new","path":"z"}
2: y/x: cannot be moved below itself|{"op":"add","source":"new","path":"y"};{"op":"mv","from":"y/x","to":"y/x/z"}
2: y/s: is in what is removed afterwards|{"op":"add","source":"new/x","path":"y"};{"op":"mv","from":"sym","to":"y/s"};{"op":"rm","path":"y","recursive":true}
1: op: x: not rm, mv, set or add|{"op":"x"}
1: op: missing|{"path":"sym"}
2: to: missing, op=mv needs it|;{"op":"mv","from":"sym"}
1: mode: not for op=rm|{"op":"rm","path":"sym","mode":"600"}
1: set: nothing to be set|{"op":"set","path":"sym"}
1: mode: not a string: it is octal|{"op":"set","path":"zlink","mode":600}
1: x: unknown field|{"op":"rm","path":"sym","x":1}
1: recursive: not true or false|{"op":"rm","path":"sym","recursive":1}
1: not an object of JSON|rm sym
END
for i in {1..25}; do echo '{"op":"rm","path":"x"}'; done >./batch
says 'many errors' 1 'batch: 5 more errors' "$dsfs" edit --batch=batch bad.dsfs
"$corrupt" first.dsfs 'super both compat^2' bad.dsfs
says 'an erase' 1 'files are being erased' "$dsfs" rm bad.dsfs sym
says 'a server' 1 'is on a server' "$dsfs" rm http://127.0.0.1:1/x.dsfs x
says 'more files for archives' 1 'has archives in place' "$dsfs" add archives.dsfs new
cp archives.dsfs erased.dsfs
says 'an erase in an archive that stays' 0 'x/1.png: warning: its content stays' "$dsfs" erase -q -y erased.dsfs x/1.png
made 'an erase of the archive' erased.dsfs "$dsfs" erase -q -y -r erased.dsfs x a shards
check 'an erase of the archive: gone' test "$({ grep -a -o 'dog [0-9]' erased.dsfs || true; } | wc -l)" = 0
says 'an archive without its files' 1 'link: cannot stay without the archive' "$dsfs" rm archives.dsfs shards/a.tar
made 'an archive with its files' archives.dsfs "$dsfs" rm -q -r archives.dsfs shards a x
cat a.tar >>archives.dsfs
says 'an archive that was added' 1 'an archive is behind its end' "$dsfs" rm archives.dsfs x/1.png
says 'another update' 1 'is being updated by another process' flock -s first.dsfs "$dsfs" rm first.dsfs sym

cp first.dsfs bad.dsfs && flip bad.dsfs "$(data_of bad.dsfs /cats/2.jpg)" && cp bad.dsfs was.dsfs
says 'a digest of what cannot be read' 1 'no digest: not everything' "$dsfs" rm --digest bad.dsfs sym
check 'a digest of what cannot be read: nothing is written' cmp was.dsfs bad.dsfs
small_files() { (ulimit -f 10000; trap '' XFSZ; exec "$@"); }
says 'no temporary file' 0 'cannot make a temporary file longer' small_files "$dsfs" rm --memory=1 was.dsfs sym

rows <<'END'
rm: no image|2|IMAGE is needed|dsfs rm
erase: no image|2|IMAGE is needed|dsfs erase
erase: a list and no yes|2|--from=-: only with --yes|dsfs erase --from=- x
rm: no path|2|no path given|dsfs rm x
mv: an empty path|2|an empty path|dsfs mv x y ''
mv: too few|2|IMAGE, OLD and NEW|dsfs mv x y
set: nothing|2|nothing to be set|dsfs set x y
set: mode|2|not an octal number|dsfs set --mode=8 x y
set: owner|2|not numbers, as in|dsfs set --owner=root x y
set: mtime|2|not seconds|dsfs set --mtime=x x y
add: no source|2|IMAGE and SOURCE are needed|dsfs add x
add: two kinds|2|do not go together|dsfs add --manifest=x --tar=y z
edit: no batch|2|no --batch given|dsfs edit x
END
[ ! -w "$top" ] || make -s -C "$top" lib >&2
# What stays mounted goes with the namespace
inside=()
[ "$(id -u)" -ne 0 ] || inside=(unshare --mount --propagation private)
(: <>/dev/fuse) 2>/dev/null || skip 'mounts of random sequences' 'no /dev/fuse that can be opened'
works "$sequences random sequences are as in the model" \
	"${inside[@]}" "$top/tests/cli/edit_model.py" "$sequences" 1
finish
