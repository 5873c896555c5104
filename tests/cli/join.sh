#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# join.sh - parts: mkfs.dsfs in ranges of a target, shares of a source, and dsfs join.
set -euo pipefail
. "$(dirname "$0")/cases"

uuid=11111111-2222-4333-8444-555555555555
zoo tree
find tree -type f -size +20k -delete
mkdir -p tree/empty tree/large tree/compressed
for i in {1..200}; do
	seq "$i" $((i + 20)) >"tree/large/$i"
done
ln tree/large/7 tree/empty.link
ln tree/large/9 tree/large/nine
seq 6000 >tree/compressed/text
truncate -s 1M tree/holes
echo end >>tree/holes

# locked FILE START BYTES COMMAND...: the command runs while another process has locked the range
locked()
{
	python3 -c 'import fcntl, struct, subprocess, sys
file = open(sys.argv[1], "r+b")
lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, int(sys.argv[2]), int(sys.argv[3]), 0)
fcntl.fcntl(file, fcntl.F_OFD_SETLK, lock)
sys.exit(subprocess.run(sys.argv[4:]).returncode)' "$@"
}

# parts N [OPTION...]: part.dsfs has the shares of the tree in N parts
parts()
{
	rm -f part.dsfs
	for ((i = 1; i <= $1; i++)); do
		"$mkfs" -q -U $uuid "${@:2}" "part.dsfs@${i}M+1M" "tree@$i/$1" || return
	done
}

# named N [FROM]: the names of N parts
named()
{
	for ((i = ${2:-1}; i <= $1; i++)); do
		echo "part.dsfs@${i}M"
	done
}

# digests OPTION...: of N machines what it is of one
digests()
{
	"$mkfs" -qf "$@" one.dsfs tree
	for n in $numbers; do
		parts "$n" "$@"
		# shellcheck disable=SC2046 # names of parts
		made "$n parts $*" part.dsfs "$dsfs" join -q part.dsfs $(named "$n")
		check "$n parts $*: the same tree" cmp -s <("$dsfs" digest --full --text one.dsfs) \
			<("$dsfs" digest --full --text part.dsfs)
	done
}
numbers='2 7'
digests --compress=zstd --align=512,object=64K
digests --chunk-size=none --order=/dev/null
numbers='1 2 7 64'
digests

# What there is no memory for is in a file, and the image is the same
cp part.dsfs little.dsfs
# shellcheck disable=SC2046
SOURCE_DATE_EPOCH=1 "$dsfs" join -fq part.dsfs $(named 64)
# shellcheck disable=SC2046
made 'little memory' little.dsfs env SOURCE_DATE_EPOCH=1 "$dsfs" join -fq --memory=1 little.dsfs $(named 64 | sed s/part/little/)
check 'little memory: the same image' cmp -s part.dsfs little.dsfs

# A manifest has shares, too: a link goes with its file, whatever the lines are
parts 3
"$dsfs" manifest one.dsfs | grep -v '"source"' >lines
for i in {1..50}; do
	printf '{"path":"/m/%d","source":"large/%d"}\n{"path":"/l/%d","type":"link","target":"/m//%d"}\n' "$i" "$i" "$i" "$i"
done >manifest
"$mkfs" -qf --manifest=manifest one.dsfs tree
rm part.dsfs
for i in 1 2 3; do
	"$mkfs" -q -U $uuid --manifest=manifest "part.dsfs@${i}M+1M" "tree@$i/3"
done
# shellcheck disable=SC2046
made 'a manifest' part.dsfs "$dsfs" join -q part.dsfs $(named 3)
check 'a manifest: the same tree' cmp -s <("$dsfs" digest --full --text one.dsfs) <("$dsfs" digest --full --text part.dsfs)

# A part by itself is an image for all that reads one
parts 2
check 'a part: sound' "$fsck" -q part.dsfs@1M
check 'a part: listed' test "$("$dsfs" ls part.dsfs@2M+1M | wc -l)" -gt 10
check 'a part: as at its offset' cmp -s <("$dump" --json part.dsfs@1048576) <(tail -c +1048577 part.dsfs >alone; "$dump" --json alone)
check 'a part: its share' grep -q 'share 1/2' <("$dsfs" info part.dsfs@1M)
cp part.dsfs 'other@1M'
check 'a file of such a name is that file' grep -q 'not a DSFS' <("$fsck" 'other@1M' 2>&1)

# What is wrong with parts is said, and the target stays as it is
cp part.dsfs was.dsfs
"$mkfs" -q -U $uuid part.dsfs@5M+1M tree@1/2
"$mkfs" -q part.dsfs@6M+1M tree@2/2
"$mkfs" -q -U $uuid -L label part.dsfs@7M+1M tree@2/2
"$mkfs" -q -U $uuid --chunk-size=none part.dsfs@8M+1M tree@2/2
"$mkfs" -q -U $uuid part.dsfs@9M+1M tree/large
"$mkfs" -q -U $uuid part.dsfs@10M+1M tree/large
"$mkfs" -q -U $uuid part.dsfs@11M+1M tree@2/3
"$mkfs" -q -U $uuid --compress=zstd part.dsfs@12M+1M tree/compressed
"$mkfs" -q -U $uuid --compress=lz4 part.dsfs@13M+1M tree/compressed
"$mkfs" -q image.dsfs tree
cp part.dsfs was.dsfs
rows <<'END'
a part that is missing|1|share 1 of 2 is missing|"$dsfs" join part.dsfs part.dsfs@2M
the last part missing|1|share 2 of 2 is missing|"$dsfs" join part.dsfs part.dsfs@1M
a share that is there twice|1|share 1 of 2: part.dsfs@1M has it, too|"$dsfs" join part.dsfs part.dsfs@1M part.dsfs@5M part.dsfs@2M
a last share twice|1|share 2 of 2: it is there twice|"$dsfs" join part.dsfs part.dsfs@1M part.dsfs@2M part.dsfs@2M
shares of other numbers|1|is no share of 3, as|"$dsfs" join part.dsfs part.dsfs@1M part.dsfs@2M part.dsfs@11M
a part that is given twice|1|begins before the end of part.dsfs@9M|"$dsfs" join part.dsfs part.dsfs@9M part.dsfs@9M
a part of another run|1|part.dsfs@6M: UUID: is not that of part.dsfs@1M|"$dsfs" join part.dsfs part.dsfs@1M part.dsfs@6M
another label|1|label: is not that of part.dsfs@1M|"$dsfs" join part.dsfs part.dsfs@1M part.dsfs@7M
other chunks|1|chunk size: is not that of|"$dsfs" join part.dsfs part.dsfs@1M part.dsfs@8M
another codec|1|codec: is not that of the parts before|"$dsfs" join part.dsfs part.dsfs@12M part.dsfs@13M
names that come twice|1|is in part.dsfs@9M and in part.dsfs@10M|"$dsfs" join part.dsfs part.dsfs@9M part.dsfs@10M
and not all of them are told|1|191 more names come twice|"$dsfs" join part.dsfs part.dsfs@9M part.dsfs@10M
nothing there|1|not a DSFS image|"$dsfs" join part.dsfs part.dsfs@3M part.dsfs@1M
no name of a folder|1|part.dsfs@10M: =a/b: is no name of a folder|"$dsfs" join part.dsfs part.dsfs@9M part.dsfs@10M=a/b
in one folder they come twice, too|1|a/100: is in part.dsfs@9M and in part.dsfs@10M|"$dsfs" join part.dsfs part.dsfs@9M=a part.dsfs@10M=a
a part that was cut short|1|cut short: 65,536 of|"$dsfs" join part.dsfs part.dsfs@1M+64K part.dsfs@2M
an image of its own|1|is no part of|"$dsfs" join part.dsfs part.dsfs@1M image.dsfs
an image for the target|1|contains a signature: dsfs: use -f to overwrite|"$dsfs" join image.dsfs part.dsfs@1M
a part of another target|1|is no part of|"$dsfs" join -f image.dsfs part.dsfs@1M
no target|1|No such file|"$dsfs" join nothing.dsfs part.dsfs@1M
no part|2|TARGET and PART|"$dsfs" join part.dsfs
END
check 'refused: the target is as it was' cmp -s part.dsfs was.dsfs
# shellcheck disable=SC2034
rows <<'END'
a part that is there|1|part.dsfs@1048576: contains a part: use -f to overwrite|"$mkfs" -q part.dsfs@1M+1M tree
a part in the head|1|begins at byte 4096: not a multiple of 1048576|"$mkfs" -q part.dsfs@4K+1M tree
a part at no unit|1|not a multiple of 2097152|"$mkfs" -q --align=2M part.dsfs@21M+8M tree
no room said|1|TARGET@OFFSET+SIZE: SIZE is missing|"$mkfs" -q part.dsfs@20M tree
no room, no target|1|TARGET@OFFSET+SIZE: SIZE is missing|"$mkfs" -q new.dsfs@20M tree
a part at no object|1|begins inside an object of 4194304 bytes|"$mkfs" -q --align=object=4M part.dsfs@22M+8M tree/large
too little room|1|room of the part too small|"$mkfs" -q part.dsfs@20M+80K tree
hardly any room|1|room of the part too small: 4.0 KiB: at least|"$mkfs" -q part.dsfs@20M+4K tree
archives|2|archives in place are no part|"$mkfs" -q --tar-index part.dsfs@20M+1M
a directory|1|is a directory|"$mkfs" -q tree@20M+1M tree/large
no such share|2|not a share, 1 to N of N|"$mkfs" -q part.dsfs@20M+1M tree@3/2
no share 0|2|not a share, 1 to N of N|"$mkfs" -q part.dsfs@20M+1M tree@0/2
a share with a message|2|of a share it says which one it is|"$mkfs" -q -m x part.dsfs@20M+1M tree@1/2
END
check 'no room: no file of that name' test ! -e new.dsfs@20M
mkfs.ext4 -q ext4.img 8M
says 'a file system is no target' 1 'it is no target of parts' "$mkfs" -qf ext4.img@1M+1M tree

# Below folders nothing comes twice, and the first one is the root of the rest
cp -a tree/large below
cp -a tree/large below/second
touch -r tree/large below
"$mkfs" -q -U $uuid below.dsfs@1M+1M tree/large
"$mkfs" -q -U $uuid below.dsfs@2M+1M tree/large
made 'below a folder' below.dsfs "$dsfs" join -q below.dsfs below.dsfs@1M below.dsfs@2M=second
check 'below a folder: the tree' cmp -s <("$dsfs" digest --full below) <("$dsfs" digest --full below.dsfs)
made 'below two folders' below.dsfs "$dsfs" join -fq below.dsfs below.dsfs@1M=one below.dsfs@2M=two
check 'below two folders: both' test "$("$dsfs" ls below.dsfs | paste -sd' ')" = 'one two'

# Two at once: whoever comes second is refused, and what the first one makes is whole
parts 2
says 'a part while it is written' 1 'is being written by another process' locked part.dsfs 1048576 1048576 "$mkfs" -qf -U $uuid part.dsfs@1M+1M tree@1/2
exits 'another part meanwhile' 0 locked part.dsfs 1048576 1048576 "$mkfs" -qf -U $uuid part.dsfs@2M+1M tree@2/2
says 'a join meanwhile' 1 'is being written by another process' locked part.dsfs 1048576 1048576 "$dsfs" join part.dsfs part.dsfs@1M part.dsfs@2M
cp part.dsfs was.dsfs
"$dsfs" join -q part.dsfs part.dsfs@1M part.dsfs@2M
says 'a change while a part is written behind' 1 'is being written by another process' locked part.dsfs 8388608 1048576 "$dsfs" label part.dsfs new
mv was.dsfs part.dsfs
says 'a part is not packed in place' 1 'is a part: pack it to another TARGET' "$dsfs" compact -f part.dsfs@1M+1M

# Cut off at any call: the parts stay, and the next run makes the image
parts 2
cp part.dsfs was.dsfs
"$dsfs" join -q part.dsfs part.dsfs@1M part.dsfs@2M
cp part.dsfs whole.dsfs
join=("$dsfs" join -fq part.dsfs part.dsfs@1M part.dsfs@2M)
for action in kill short 28; do
	failed=0
	for n in {1..14}; do
		cp was.dsfs part.dsfs
		FAULT=write,sync:$n:$action with_faults "${join[@]}" 2>"$err" || failed=$((failed + 1))
		check "$action at call $n: a part" "$fsck" -q part.dsfs@2M
		"$fsck" -q part.dsfs 2>"$err" || exits "$action at call $n: the next run" 0 "${join[@]}"
		check "$action at call $n: an image" cmp -s <("$dsfs" digest --full part.dsfs) <("$dsfs" digest --full whole.dsfs)
	done
	check "$action: runs that failed" test $failed -gt 5 -o $action = short
done

# A late part does not touch what was joined; another one behind it may come, and is joined anew
says 'a late part' 1 'lies in an image of' "$mkfs" -qf -U $uuid part.dsfs@2M+1M tree@2/2
mkdir -p more/large
echo more >more/large/more
rm part.dsfs
"$mkfs" -q -U $uuid part.dsfs@1M+1M tree
"$dsfs" join -q part.dsfs part.dsfs@1M
"$mkfs" -q -U $uuid part.dsfs@4M+1M more
made 'one more part' part.dsfs "$dsfs" join -fq -m all --digest=full part.dsfs part.dsfs@1M part.dsfs@4M
check 'one more part: both are there' test "$("$dsfs" cat part.dsfs large/more)" = more -a \
	"$("$dsfs" cat part.dsfs large/100 | sed -n 1p)" = 100
check 'its message and digest' test "$("$dsfs" info part.dsfs | grep -cxE "message: *all|digest: *$("$dsfs" digest --full part.dsfs)")" = 2

# What is not joined is not written over, nor lost with the file that is packed anew
"$mkfs" -q -U $uuid part.dsfs@8M+1M tree/compressed
cp part.dsfs was.dsfs
echo '{"op":"rm","path":"large/100"}' >ops
way='a part is in the way, at byte 8388608: join it'
# shellcheck disable=SC2034
rows <<END
a part behind: update|1|$way, or compact|"$dsfs" update part.dsfs tree
a part behind: add|1|$way, or compact|"$dsfs" add part.dsfs more/large/more
a part behind: edit|1|$way, or compact|"$dsfs" edit --batch=ops part.dsfs
a part behind: rm|1|$way, or compact|"$dsfs" rm part.dsfs large/100
a part behind: label|1|$way, or compact|"$dsfs" label part.dsfs new
a part behind: erase|1|$way, or compact|"$dsfs" erase --yes part.dsfs large/100
a part behind: compact|1|$way, or use -f to lose it|"$dsfs" compact part.dsfs
a part behind: join without it|1|$way, too|"$dsfs" join -f part.dsfs part.dsfs@1M part.dsfs@4M
a part in the room of another one|1|at byte 8388608: use -f to overwrite|"$mkfs" part.dsfs@6M+4M tree
END
check 'a part behind: all is as it was' cmp -s part.dsfs was.dsfs
exits 'a part behind: compact to another TARGET' 0 "$dsfs" compact -q part.dsfs packed.dsfs
rm packed.dsfs
made 'a part behind: compact -f' was.dsfs "$dsfs" compact -qf was.dsfs
check 'compact -f: the part is gone' test "$(stat -c %s was.dsfs)" -lt 8388608
mkdir three far
head -c 3M /dev/urandom >three/3
"$mkfs" -q wide.dsfs@1M+8M three
says 'a part inside of another one' 1 'byte 3145728 lies in a part at byte 1048576: use -f' "$mkfs" -q wide.dsfs@3M+1M more
check 'inside of another one: that is whole' "$fsck" -q wide.dsfs@1M
exits 'a part behind another one' 0 "$mkfs" -q wide.dsfs@6M+1M more
exits 'a part inside, by force' 0 "$mkfs" -qf wide.dsfs@3M+1M more
# further on than what is looked at in front of the first write
head -c 80M /dev/zero | tr '\0' x >far/80
"$mkfs" -q wide.dsfs@80M+1M more
says 'a part far behind' 1 'at byte 83886080: use -f' "$mkfs" -q wide.dsfs@8M+90M far
check 'a part far behind: it is whole' "$fsck" -q wide.dsfs@80M
rm -r far wide.dsfs
"$dsfs" join -qf part.dsfs part.dsfs@1M part.dsfs@4M part.dsfs@8M
says 'compact while a part is written' 1 'is being written by another process' locked part.dsfs 16777216 1048576 "$dsfs" compact -f part.dsfs
says 'compact during an update' 1 'is being updated by another process' flock part.dsfs "$dsfs" compact -f part.dsfs
says 'an image over one that is updated' 1 'is being updated by another process' flock part.dsfs "$mkfs" -f part.dsfs tree

# What is done with an image is done with this one
made 'a change' part.dsfs "$dsfs" mv -q part.dsfs large/more large/less
made 'an update' part.dsfs "$dsfs" update -q part.dsfs tree
exits 'extract' 0 "$dsfs" extract part.dsfs out
check 'extract: the files' diff -r --no-dereference tree/large out/large
made 'compact' packed.dsfs "$dsfs" compact -q part.dsfs packed.dsfs
check 'compact: the same tree' cmp -s <("$dsfs" digest part.dsfs) <("$dsfs" digest packed.dsfs)
exits 'a view' 0 "$dsfs" view part.dsfs view.erofs
exits 'a report' 0 bash -c '"$0" join -f --json part.dsfs part.dsfs@{1,4,8}M >report' "$dsfs"
check 'a report: JSON' holds '[d["parts"], d["generation"]] == [3, 2]' report
