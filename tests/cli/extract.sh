#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# extract.sh - what dsfs extract grants: never more than the image says, whatever the
# target has by inheritance, what was there before, and which call fails.
set -euo pipefail
. "$(dirname "$0")/cases"

# --- nothing is selected
mkdir -p one
echo x >one/file
"$mkfs" -q one.dsfs one
says 'a pattern that matches nothing' 1 'none*: matches nothing' \
	"$dsfs" extract one.dsfs new 'none*'
check 'a pattern that matches nothing: no target' test ! -e new
mkdir -m 751 kept
exits 'a pattern that matches nothing: a target that is there' 1 \
	"$dsfs" extract one.dsfs kept 'none*'
check 'a pattern that matches nothing: it stays as it was' test "$(stat -c %a kept)" = 751
exits 'patterns: one that matches, one that does not' 1 \
	"$dsfs" extract one.dsfs new none file
check 'patterns: what matches is there' test -e new/file

# --- nothing but a hole
mkdir holes
truncate -s 3M holes/hole
"$mkfs" -q holes.dsfs holes
"$dsfs" extract holes.dsfs back.holes >/dev/null
check 'a file that is a hole' cmp holes/hole back.holes/hole

# --- a target that somebody else could exchange
unsafe() # NAME TEXT OPTION...: the target `shared` is refused, and nothing is put into it
{
	says "$1" 1 "shared: $2" "$dsfs" extract "${@:3}" one.dsfs shared
	check "$1: it stays" test -z "$(ls -A shared)"
}

for mode in 777 1777 775; do
	mkdir -m $mode shared
	unsafe "a target of mode $mode" 'others can write to it'
	unsafe "a target of mode $mode: --resume" 'others can write to it' --resume
	rm -rf shared
done
chmod 775 one
"$mkfs" -q open.dsfs one
exits 'a directory that the image opens to others' 0 "$dsfs" extract open.dsfs open
exits 'a directory that the image opens to others: --resume' 0 "$dsfs" extract --resume open.dsfs open
chmod 755 one
if [ "$(id -u)" -eq 0 ]; then
	mkdir -m 755 shared
	chown 65534 shared
	unsafe "another user's target" 'belongs to another user'
	unsafe "another user's target: --resume" 'belongs to another user' --resume
	rm -rf shared
	chmod 755 .
	mkdir -m 1777 pub
	FAULT=write:1:run FAULT_RUN="unset LD_PRELOAD; ${user[*]} mkdir pub/new" \
		says 'a target that somebody makes meanwhile' 1 'pub/new: mkdir: File exists' \
		with_faults "$dsfs" extract one.dsfs pub/new
	check 'a target that somebody makes meanwhile: it stays' test -z "$(ls -A pub/new)"
	mkdir -p two/dir
	echo x >two/dir/file
	chown -R 65534 two
	"$mkfs" -q two.dsfs two
	exits "--resume: another user's, as in the image" 0 bash -c \
		"'$dsfs' extract two.dsfs back && rm back/dir/file &&
		 '$dsfs' extract --resume two.dsfs back"
	check "--resume: another user's: is his again" test "$(stat -c %u back/dir/file back/dir back |
		sort -u)" = 65534
	chown 65533 back/dir
	says '--resume: a stranger has a directory' 1 '/dir: belongs to another user' \
		"$dsfs" extract --resume two.dsfs back
else
	skip 'a target of another user' 'not root'
fi

# --- a directory record with a field that is wrong: what is extracted is in its own place
mkdir -p wrong/p/{a,b,q}
for f in p/a/x p/b/y p/q/f p/z; do
	echo "$f" >"wrong/$f"
done
"$mkfs" -q wrong.dsfs wrong
# placed PATTERN...: of the image bad.dsfs
placed()
{
	rm -rf out
	mkdir out
	run "$dsfs" extract bad.dsfs out "$@"
	diff -r wrong out >differs || true
	[ "$rc" -le 1 ] && not grep -qv '^Only in wrong' differs
}

bad=
for field in self parent first{+1,-1,-2,+2} count{-1,+1} names+64 name_blocks+1 buckets+1 first_bucket+1; do
	[[ $field == *[+-]* ]] || field+=+1
	for dir in /p/a /p/b /p; do
		"$corrupt" wrong.dsfs "dir $dir $field" bad.dsfs
		placed && placed /p/q/f /p/z && placed /p/q || bad+=" $dir:$field"
	done
done
check "each field of a directory record ($bad)" test -z "$bad"

# --- hard links
mkdir links
echo first >links/a
ln links/a links/b
ln links/a links/c
mkfifo links/pipe
ln -s file links/symlink
"$mkfs" -q links.dsfs links
cp links.dsfs bad.dsfs
flip bad.dsfs "$(data_of bad.dsfs /a)"
says 'the first name of a file is bad' 1 '/b: link: /a was left out' "$dsfs" extract bad.dsfs out
check 'the first name is bad: no name is there' test -z "$(find out -type f)"
echo other >out/a
says '--resume: another file has the first name' 1 '/b: link: /a was left out' \
	"$dsfs" extract --resume links.dsfs out
check '--resume: nothing is linked to it' test "$(stat -c %h out/a)" = 1
# planted NAME: NAME in the target is a further name of a file outside of it, of which
# nothing may change
planted()
{
	says "--resume: $1 is a name of something outside" 1 \
		"/$1: exists, and has more names than in the image" \
		"$dsfs" extract --resume links.dsfs out
	check "--resume: $1: what is outside stays" test "$(stat -c '%f %u %Y' "outside/$1")" = "$before"
}
rm -rf out outside
mkdir out outside
echo first >outside/a
mkfifo outside/pipe
ln -s file outside/symlink
for name in a pipe symlink; do
	[ $name = symlink ] || chmod 666 outside/$name
	touch -h -d @5 outside/$name
	# as many as the image gives it, and one more
	for more in 1 2 3; do
		[ $name = a ] || [ $more = 1 ] || continue
		ln outside/$name outside/$name.$more
	done
	rm -f out/$name
	ln outside/$name out/$name
	before=$(stat -c '%f %u %Y' outside/$name)
	planted $name
done

# --- a progress bar, on a terminal only
mkdir many
for i in {1..20}; do
	echo "$i" >"many/$i"
done
"$mkfs" -q many.dsfs many
# drawn LABEL VERB...: a call takes longer than the bar's period; stderr is a terminal
drawn()
{
	FAULT=open,write:15:run FAULT_RUN='sleep 0.15' \
		script -qec "LD_PRELOAD=$faults $dsfs ${*:2} >/dev/null" drawn.txt >/dev/null &&
		[[ $(sed -n 2p drawn.txt) == *"$1 "*$'\r\e[K' ]]
}

exits 'extract: a progress bar on a terminal' 0 drawn extract extract many.dsfs drawn
exits 'shards: a progress bar on a terminal' 0 drawn samples shards --samples=1 many.dsfs shard
FAULT=write:2:run FAULT_RUN='sleep 0.15' with_faults "$dsfs" extract many.dsfs undrawn 2>said
check 'no terminal: no progress bar' test ! -s said

# --- modes
# 20 files: the time of each, and of the directory that it is shut, its owner, mode and time
FAULT=set:1000000:1 FAULT_COUNT=$work/count with_faults "$dsfs" extract many.dsfs counted.many
check 'of a plain file nothing but its time is set' test "$(<count)" -le 24
mkdir modes
for m in 0600 644 4711 400 2755 1666; do
	echo $m >modes/$m
	chmod $m modes/$m
done
"$mkfs" -q modes.dsfs modes
# As a user, set-id bits are left out.
[ "$(id -u)" -eq 0 ] || chmod 711 modes/4711
[ "$(id -u)" -eq 0 ] || chmod 755 modes/2755
# modes LABEL TARGET: what was extracted there has its modes
modes()
{
	check "modes: $1" same_file <(stat -c '%a %s' modes/*) <(stat -c '%a %s' "$2"/*)
}

"$dsfs" extract modes.dsfs modes.out 2>/dev/null
modes 'files of no names' modes.out
FAULT=set:1000000:1 FAULT_NAMED=1 with_faults "$dsfs" extract modes.dsfs modes.hidden 2>/dev/null
modes 'files of hidden names' modes.hidden

# --- ACLs
if ! setfacl -m u:65534:r one 2>/dev/null; then
	skip 'ACLs' 'the file system has none'
	finish
fi
setfacl -b one

# tree TARGET: what the objects grant, without owners, which a user does not restore
tree()
{
	(cd "$1" && getfacl -RPcn . && find . -printf '%p %M\n' | LC_ALL=C sort)
}

mkdir -p acls/dir/below acls/default
echo secret >acls/file
echo secret >acls/dir/below/file
mkfifo acls/pipe
for f in file dir/below/file pipe; do
	chmod 640 acls/$f
done
chmod 750 acls/dir acls/dir/below
echo named >acls/named
setfacl -m u:65533:rw,g:65533:r acls/named
setfacl -d -m u:65532:rwx acls/default
echo plain >acls/default/plain
setfacl -b acls/default/plain
chmod 604 acls/default/plain
tree acls >acls.want
"$mkfs" -q acls.dsfs acls
# inherits DIR: what is made in it is of its group, and 65534 may do everything
inherits()
{
	rm -rf "$1"
	mkdir "$1"
	[ "$(id -u)" -ne 0 ] || chgrp 12345 "$1"
	chmod 2755 "$1"
	setfacl -d -m u:65534:rwx "$1"
}

inherits parent
exits 'a target that inherits' 0 "$dsfs" extract acls.dsfs parent/new
check 'a target that inherits: the image says who may what' same_file acls.want <(tree parent/new)
exits 'a target that inherits: --resume' 0 "$dsfs" extract --resume acls.dsfs parent/new
check 'a target that inherits: --resume: the same' same_file acls.want <(tree parent/new)
# A default ACL that is no more than a mode makes files that have none, and lack permissions.
mkdir narrow
setfacl -d -m u::rwx,g::-,o::- narrow
"$dsfs" extract modes.dsfs narrow/new 2>/dev/null
modes 'a target that passes on a mode' narrow/new
inherits parent/empty
exits 'a target that passes on' 0 "$dsfs" extract acls.dsfs parent/empty
check 'a target that passes on: the image says who may what' same_file acls.want <(tree parent/empty)
rm -f parent/empty/default/plain
exits '--resume in a directory with a default ACL of the image' 0 \
	"$dsfs" extract --resume acls.dsfs parent/empty
check '--resume in a directory with a default ACL: the same' same_file acls.want <(tree parent/empty)
# what was there before, and has more than the image says
setfacl -m u:65534:rwx parent/empty/file parent/empty/pipe
setfacl -m u:65534:rx parent/empty/dir
setfattr -n user.more -v x parent/empty/file
chmod 666 parent/empty/dir/below/file
touch -d @7 parent/empty/file parent/empty/pipe parent/empty/dir/below/file
exits '--resume: attributes that the image does not have' 0 \
	"$dsfs" extract --resume acls.dsfs parent/empty
check '--resume: they are gone' same_file acls.want <(tree parent/empty)
check '--resume: xattrs, too' test -z "$(getfattr -d parent/empty/file)"

# Between any two calls that set something, nobody else may read what is there already.
cat >look <<'EOL'
cd "${0%/*}" && unset LD_PRELOAD FAULT
getfacl -RPcne parent/new | grep -E '^(user:65534|user:65532|other:).*(#effective:r|:r[w-][x-]$)' >>seen || true
EOL
chmod 700 acls
"$mkfs" -q -f shut.dsfs acls --exclude=named
inherits parent
FAULT_NAMED=1 LD_PRELOAD=$faults FAULT=write,set:0:run FAULT_RUN="sh $work/look" \
	"$dsfs" extract shut.dsfs parent/new 'file' 'dir' 'pipe'
check 'nobody else may read anything at any time' test ! -s seen
check 'the look sees what it is for' grep -q rwx <(setfacl -m u:65534:rwx parent/new/file
	sh "$work/look"; cat seen)

# --- a call that fails
FAULT_NAMED=1 LD_PRELOAD=$faults FAULT=set,attr:1000000:1 FAULT_COUNT=$work/count \
	"$dsfs" extract acls.dsfs counted
calls=$(<count)
check 'there is something to fail' test "$calls" -gt 30
silent=0 more=0
for ((at = 1; at <= calls; at++)); do
	inherits parent
	rc=0
	FAULT_NAMED=1 LD_PRELOAD=$faults FAULT=set,attr:$at:1 \
		"$dsfs" extract acls.dsfs parent/new 2>/dev/null || rc=$?
	if [ "$rc" -eq 0 ]; then
		same_file acls.want <(tree parent/new) || silent=$at
	fi
	! getfacl -RPcne parent/new 2>/dev/null |
		grep -qE '^(user:65534|other:).*(#effective:.*[rw]|:rw.$)' || more=$at
done
result "none of $calls calls fails in silence (call $silent)" $((silent != 0))
result "none of $calls calls that fails grants more (call $more)" $((more != 0))

# Where there are no ACLs, their masks are no permissions of the group.
mkdir masked
echo secret >masked/file
chmod 600 masked/file
setfacl -m u:65533:rw masked/file
"$mkfs" -q masked.dsfs masked
check 'the mask is in the mode' test "$(stat -c %a masked/file)" = 660
bare=
for at in {1..9}; do
	rm -rf bare
	run env LD_PRELOAD="$faults" FAULT="set:$at:95" "$dsfs" extract masked.dsfs bare
	if [ "$rc" -eq 1 ] && grep -q 'posix_acl_access: Operation not supported' "$err"; then
		bare=$(stat -c %a bare/file)
	fi
done
check 'without ACLs, the group does not get the mask' test "$bare" = 600
finish
