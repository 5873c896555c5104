#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# replace.sh - an image file in whose place a new one comes, by -f, by compact and with its
# older generations: who may read it, and what else is kept; links to it.
set -euo pipefail
. "$(dirname "$0")/cases"

# state FILE: mode, owner, group and all extended attributes
state()
{
	python3 -c 'import os, sys
path = sys.argv[1]
st = os.stat(path)
print(oct(st.st_mode), st.st_uid, st.st_gid)
for name in sorted(os.listxattr(path)):
    print(name, os.getxattr(path, name).hex())' "$1"
}

# acl PATH access|default ID: the owner, the user ID and the group may read
acl()
{
	python3 -c 'import os, struct, sys
path, kind, uid = sys.argv[1:]
entries = ((1, 6, -1), (2, 4, int(uid)), (4, 4, -1), (16, 4, -1), (32, 0, -1))
os.setxattr(path, "system.posix_acl_" + kind, struct.pack("<I", 2) +
            b"".join(struct.pack("<HHi", *e) for e in entries))' "$@" 2>"$err"
}

xattr()
{
	python3 -c 'import os, sys
os.setxattr(sys.argv[1], sys.argv[2], b"value")' "$@" 2>"$err"
}

# Three ways to replace dir/image.
by_force()
{
	"$@" "$mkfs" -q -f dir/image tree
}

by_compact()
{
	"$@" "$dsfs" compact -q -f dir/image
}

by_keep()
{
	"$@" "$dsfs" compact -q -f --keep=2 dir/image
}

make_image()
{
	rm -rf dir
	mkdir dir
	cp base dir/image
}

# kept NAME HOW: all is as it was, and the file is another one.
kept()
{
	local ino

	state dir/image >before
	ino=$(stat -c %i dir/image)
	exits "$1" 0 "$2"
	check "$1: says nothing" test ! -s "$err"
	check "$1: is another file" test "$(stat -c %i dir/image)" != "$ino"
	check "$1: and a sound one" "$fsck" -q dir/image
	state dir/image >after
	check "$1: attributes are kept" diff before after
}

cases_kept()
{
	local how mode

	for how in by_force by_compact by_keep; do
		make_image
		for mode in 640 600 444 666; do
			chmod $mode dir/image
			kept "$how: mode $mode" $how
		done
		make_image
		chmod 640 dir/image
		xattr dir/image user.note || { skip "$how: xattrs" 'none here'; continue; }
		kept "$how: user.note" $how
		if acl dir/image access 77; then
			kept "$how: an ACL" $how
		else
			skip "$how: an ACL" 'none here'
		fi
		make_image
		chmod 640 dir/image
		if acl dir default 77; then
			kept "$how: a default ACL of the directory" $how
		else
			skip "$how: a default ACL of the directory" 'none here'
		fi
		if [ "$(id -u)" -ne 0 ]; then
			skip "$how: owners" 'not root'
			continue
		fi
		make_image
		chown 1234:2345 dir/image
		chmod 2640 dir/image
		xattr dir/image trusted.note
		xattr dir/image security.note
		acl dir/image access 77 || true
		kept "$how: owners and attributes of all classes" $how
	done
	(
		umask 027
		rm -f dir/new
		"$mkfs" -q dir/new tree
	)
	check 'a new file has what the umask allows' test "$(stat -c %a dir/new)" = 640
}

# narrowed NAME HOW MODE: somebody who may not give the file away gets one with MODE.
narrowed()
{
	chown 65534:65534 dir
	exits "$1" 0 "$2" "${user[@]}"
	check "$1: says so" grep -q 'warning: owner: cannot be kept: Operation not permitted' \
		"$err"
	check "$1: is another owner's" test "$(stat -c %u dir/image)" = 65534
	check "$1: mode" test "$(stat -c %a dir/image)" = "$3"
}

cases_narrowed()
{
	local how owner mode want text

	if [ "$(id -u)" -ne 0 ]; then
		skip 'what cannot be kept' 'not root'
		return
	fi
	chmod 755 .
	chmod -R a+rX tree
	for how in by_force by_compact by_keep; do
		while read -r owner mode want text; do
			make_image
			chown "$owner" dir/image
			chmod "$mode" dir/image
			narrowed "$how: $owner, $mode" $how "$want"
			check "$how: $owner, $mode: says what becomes of it" grep -q "$text" "$err"
		done <<'T'
1234:65534 664 644 owner: cannot be kept
1234:65534 640 600 mode 0640 becomes 0600
1234:2345 646 644 group: cannot be kept
T
		make_image
		chown 1234:65534 dir/image
		chmod 644 dir/image
		if acl dir/image access 77 && acl dir default 78; then
			chmod g+r,o+r dir/image
			narrowed "$how: an owner, and an ACL" $how 600
		else
			skip "$how: an owner, and an ACL" 'none here'
		fi
	done
}

# At each call that changes the new file, while it has a name: who may read it?
modes_meanwhile()
{
	: >modes
	FAULT_RUN="find dir -name '.image.*' -printf '%m %U\n' >>modes" FAULT_NAMED=1 \
		FAULT=write,sync:0:run with_faults "$@"
	sort -u modes >"$out"
	[ -s modes ] && ! grep -v '^6[04]0 ' "$out"
}

cases_meanwhile()
{
	local how

	make_image
	chmod 640 dir/image
	umask 0
	for how in by_force by_compact by_keep; do
		check "$how: nobody else reads it while it is written" $how modes_meanwhile
	done
	umask 022
}

cases_links()
{
	local how ino

	for how in by_force by_compact by_keep; do
		make_image
		chmod 640 dir/image
		ln dir/image dir/other
		cp dir/image before
		exits "$how: a file of two names" 0 $how
		check "$how: a file of two names: says so" \
			grep -q 'image: warning: has 2 names: the others keep the old image' "$err"
		check "$how: the other name has the old image" cmp before dir/other
		check "$how: each name is a file's only one" \
			test "$(stat -c %h:%h dir/image dir/other | sort -u)" = 1:1
		check "$how: both are read by whom they were" \
			test "$(stat -c %a dir/image dir/other | sort -u)" = 640

		make_image
		mkdir dir/elsewhere
		mv dir/image dir/elsewhere/real
		chmod 640 dir/elsewhere/real
		ln -s elsewhere/real dir/image
		ino=$(stat -c %i dir/elsewhere/real)
		exits "$how: a symbolic link" 0 $how
		check "$how: a symbolic link stays" \
			test "$(readlink dir/image)" = elsewhere/real
		check "$how: a symbolic link: what it leads to is replaced" \
			test "$(stat -c %i dir/elsewhere/real)" != "$ino"
		check "$how: a symbolic link: and keeps its mode" \
			test "$(stat -c %a dir/elsewhere/real)" = 640
	done
}

mkdir tree
seq 5000 >tree/one
seq 20000 >tree/two
"$mkfs" -q base tree
"$dsfs" update -q base tree
cases_kept
cases_narrowed
cases_meanwhile
cases_links
finish
