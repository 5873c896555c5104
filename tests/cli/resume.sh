#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# resume.sh - dsfs extract --resume: what is there is kept, what is
# missing comes, and what is not the image's is never touched.  Runs that are killed anywhere and
# taken up again are those of tests/robust/extract.
set -euo pipefail
. "$(dirname "$0")/cases"

mkdir -p tree/a/b/c tree/closed tree/z
for i in {1..6}; do
	seq $((i * 1000)) >"tree/a/$i"
	echo "$i" >"tree/a/b/c/$i"
done
ln tree/a/1 tree/a/b/further
ln tree/a/b/c/2 tree/z/further
ln -s ../a tree/z/symlink
mkfifo tree/z/pipe
truncate -s 1M tree/z/holes
printf x >>tree/z/holes
touch -d @-5.5 tree/z/holes
setfattr -n user.x -v y tree/a/2 2>/dev/null || true
[ "$(id -u)" -ne 0 ] || mknod tree/z/device c 1 3
echo x >tree/closed/file
chmod 640 tree/a/3
chmod 511 tree/a/b
chmod 0 tree/closed
[ "$(id -u)" -eq 0 ] || chmod 500 tree/closed
touch -d @1000000000 tree/a/b tree/z tree/a tree
"$mkfs" -q image.dsfs tree
"$listing" --as-packed tree >tree.list

# whole NAME: the target is the tree
whole()
{
	check "$1" diff tree.list <("$listing" --as-packed out)
}

clear_out()
{
	chmod -R u+rwx out 2>/dev/null || true
	rm -rf out
}

"$dsfs" extract image.dsfs out

# --- what is there is kept
find out -type f -printf '%p %i\n' | sort >before
exits 'a whole tree' 0 "$dsfs" extract --resume image.dsfs out
whole 'a whole tree: it stays'
check 'a whole tree: no file is new' diff before <(find out -type f -printf '%p %i\n' | sort)
rm out/a/1
says 'the first name of a file is gone' 1 '/a/b/further: exists, and is not what the image has' \
	"$dsfs" extract --resume image.dsfs out
clear_out
exits 'there is nothing yet' 0 "$dsfs" extract --resume image.dsfs out
whole 'there is nothing yet: all of it'
find out -type f -printf '%p %i\n' | grep -v '/a/5 ' | sort >before
rm out/a/b/c/4
touch -d @7 out/a/5
touch -h -d @7 out/z/symlink
chmod 600 out/z/pipe
touch out/own
exits 'a file is missing, attributes are not right' 0 "$dsfs" extract --resume image.dsfs out
check 'what the image does not have stays' test -e out/own
rm out/own
touch -d @1000000000 out
whole 'a file is missing, attributes are not right: the tree'
exits 'a part, then the rest' 0 bash -c \
	"rm -rf part; '$dsfs' extract image.dsfs part /a/b/c &&
	 '$dsfs' extract --resume image.dsfs part"
check 'a part, then the rest: the tree' diff tree.list <("$listing" --as-packed part)

# --- what is another
# other NAME PATH COMMAND: COMMAND puts something else in its place; it is named, and stays
other()
{
	clear_out
	"$dsfs" extract image.dsfs out
	(cd out && rm -rf "./$2" && eval "$3")
	"$listing" --as-packed out | grep -F "$2" | cut -f 1,2,11 >before
	"$listing" outside >outside.list
	says "$1" 1 "$2: ${4:-exists, and is not what the image has}" \
		"$dsfs" extract --resume image.dsfs out
	check "$1: it stays" diff before <("$listing" --as-packed out | grep -F "$2" | cut -f 1,2,11)
	check "$1: nothing outside is touched" diff outside.list <("$listing" outside)
}

mkdir outside
echo canary >outside/1
other 'a file of another size' /a/6 'echo x >a/6'
other 'a file of other contents' /a/6 'seq 6000 | tr 9 8 >a/6'
other 'a directory where a file is' /a/6 'mkdir a/6'
other 'a symlink where a file is' /a/6 'ln -s ../../outside/1 a/6'
other 'another target' /z/symlink 'ln -s ../b z/symlink'
other 'a file where a pipe is' /z/pipe 'touch z/pipe'
other 'a copy where a link is' /z/further 'cp -p a/b/c/2 z/further'
other 'a symlink where a directory is' /a 'ln -s ../outside a' 'mkdir: '
other 'a file where a directory is' /a 'touch a' 'mkdir: '
clear_out
"$dsfs" extract image.dsfs out
printf X | dd of=out/a/6 conv=notrunc status=none
touch -r tree/a/6 out/a/6
exits 'the same size and time' 0 "$dsfs" extract --resume image.dsfs out
check 'is taken to be the same' grep -q '^X' out/a/6

# what LISTING has of contents and modes
granted()
{
	awk -F '\t' '$2 ~ /[fdlp]/ { print $1, $2, $3, $11 }' "$@"
}

if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$work"
	mkdir -m 777 user
	says 'as a user: what only root can is named' 1 '/z/device: mknod: Operation not permitted' \
		"${user[@]}" "$dsfs" extract image.dsfs user/out
	check 'as a user: contents' diff <(awk -F '\t' '$2 == "f" { print $1, $11 }' tree.list) \
		<("$listing" --as-packed user/out | awk -F '\t' '$2 == "f" { print $1, $11 }')
	find user/out -name file -delete
	rm -f user/out/a/b/c/5
	run "${user[@]}" "$dsfs" extract --resume image.dsfs user/out
	check 'as a user: directories that are closed' diff <(granted tree.list) \
		<("$listing" --as-packed user/out | granted)
	check 'as a user: no other error than that of a device' not grep -v \
		'/z/device: mknod\|not restored: only root' "$err"
else
	skip 'as a user' 'not root'
fi
finish
