#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# switch.sh - dsfs switch: usage, exit codes, and which mounts it makes and takes away.
#
# The mounts are made in a mount namespace of our own by a mount(8) that binds a
# directory in place of the image, so that no module is needed.  That readers keep what
# they have open is seen with real images: tests/rbd/run.
set -euo pipefail
[ -n "${SWITCH_INSIDE:-}" ] || [ "$(id -u)" -ne 0 ] ||
	SWITCH_INSIDE=1 exec unshare --mount --propagation private "$BASH" "$0"
. "$(dirname "$0")/cases"
switch=("$dsfs" switch)

mkdir tree dir
mkdir -m 777 bad.mounts
echo x >tree/x
mkfs.dsfs -q image tree
check '--help: the options' grep -q '^  -o OPTIONS' <("${switch[@]}" --help)
rows <<'T'
an option that is none|2||dsfs switch -x image link
no such image|1|missing: no such file|dsfs switch missing link
C1 controls of a name, in UTF-8|1|?31mé: no such file|dsfs switch $'\302\23331mé' link
C1 controls of a name, as bytes|1|a?31m: no such file|dsfs switch $'a\23331m' link
a directory in place of the link|1|is there and no symbolic link|dsfs switch image dir
no such directory|1|nowhere: no such directory|dsfs switch image nowhere/link
a name that /proc/mounts would quote|1|a blank or a backslash|dsfs switch image 'a link'
mounts that others can write to|1|bad.mounts: is not yours, or others|dsfs switch image bad
T
says 'what does not mount' 1 'link is what it was' "${switch[@]}" tree link
check 'leaves nothing behind' test ! -e link -a -z "$(ls link.mounts)"

if [ "$(id -u)" -ne 0 ]; then
	skip 'mounts' 'not root'
	finish
fi

# The namespace ends with us, but the directories in it have to be free before.
ours()
{
	awk -v dir="$work/link.mounts/" 'index($5, dir) == 1 { print $5 }' /proc/self/mountinfo
}
at_exit 'ours | xargs -r umount --lazy'

# mount -t dsfs -o OPTIONS IMAGE DIR
mkdir bin
cat >bin/mount <<END
#!/bin/sh
echo "\$*" >$work/asked
[ ! -e $work/absent ] || exit 0
exec $(command -v mount) --bind "\$5.tree" "\$6"
END
# umount, which does not if there is a file "busy"
cat >bin/umount <<END
#!/bin/sh
echo "\$*" >>$work/umounts
[ ! -e $work/busy ] || exit 32
exec $(command -v umount) "\$@"
END
chmod +x bin/*
PATH=$work/bin:$PATH
for i in 1 2 3 4 5; do
	mkdir "v$i.tree"
	echo "$i" >"v$i.tree/generation"
	: >"v$i"
done

# shows N: the link's tree.
shows()
{
	[ "$(<link/generation)" = "$1" ]
}

# mounts N...: the directories with a mount.
mounts()
{
	[ "$(ours | sed 's/.*\///' | sort | xargs)" = "$*" ]
}

exits 'the first image' 0 "${switch[@]}" v1 link
check 'is asked for read-only' grep -qx -- "-t dsfs -o ro,nosuid,nodev v1 $work/link.mounts/1" asked
check 'the link shows it' shows 1
check 'the first image: its mount' mounts 1
exec 7<link/generation
exits 'the second one' 0 "${switch[@]}" v2 link
check 'the link shows the second one' shows 2
check 'the first one is detached' mounts 2
check 'lazily' grep -qx -- "-l $work/link.mounts/1" umounts
check 'its directory is gone' test ! -e link.mounts/1
check 'a file that is open is what it was' test "$(cat <&7)" = 1
exec 7<&-
rm -f umounts
exits '-n' 0 "${switch[@]}" -n v3 link
check '-n: the link shows the third one' shows 3
check '-n: the second one stays mounted' mounts 1 2
check '-n: nothing is detached' test ! -e umounts
exits '-o' 0 "${switch[@]}" -n -o meta=lazy v4 link
check '-o: the options are passed on, and ro,nosuid,nodev' grep -qx -- \
	"-t dsfs -o ro,nosuid,nodev,meta=lazy v4 $work/link.mounts/3" asked
check '-n again: three are mounted' mounts 1 2 3
: >absent
says 'a mount that is none' 1 'v5: not mounted' "${switch[@]}" v5 link
check 'a mount that is none: the link shows the older one' shows 4
rm absent
: >busy
says 'an older mount that does not go' 3 'link.mounts/1: stays mounted' "${switch[@]}" v5 link
check 'all that do not go are named' test "$(grep -c 'stays mounted' "$err")" = 3
check 'the link is new all the same' shows 5
check 'the older ones are there' mounts 1 2 3 4
rm busy v5
: >v6
says 'an image that does not mount' 1 'link is what it was' "${switch[@]}" v6 link
check 'an image that does not mount: the link' shows 5
check 'an image that does not mount: the mounts' mounts 1 2 3 4
exits 'those that stayed go with the next switch' 0 "${switch[@]}" v1 link
check 'one mount is left' mounts 5
check 'it is the new one' shows 1

# A signal to all of the terminal, while mount(8) is at work or mv(1) is: WHEN WHAT
interrupted()
{
	local real

	real=$(command -v "$2")
	mv bin/mount bin/mount.real
	[ "$2" != mount ] || real=$work/bin/mount.real
	cp bin/mount.real bin/mount
	cat >"bin/$2" <<END
#!/bin/bash
[ $1 = before ] && kill -TERM \$PPID \$\$
$real "\$@"
status=\$?
[ $1 = behind ] && kill -TERM \$PPID
exit \$status
END
	chmod +x "bin/$2"
	run "${switch[@]}" v2 link
	rm -f "bin/$2"
	mv bin/mount.real bin/mount
}

for when in before behind; do
	interrupted $when mount
	check "SIGTERM $when the mount ends it" test "$rc" = 143
	check "SIGTERM $when the mount: the link is what it was" shows 1
	check "SIGTERM $when the mount: so are the mounts" mounts 5
	check "SIGTERM $when the mount: nothing is left" test "$(ls -A link.mounts)" = 5
done
for when in before behind; do
	interrupted $when mv
	check "SIGTERM $when the link is replaced comes too late" test "$rc" = 0
	check "SIGTERM $when the link is replaced: it is the new one" shows 2
	check "SIGTERM $when the link is replaced: so is the mount" \
		test "$(ours)" = "$(readlink link)"
done
"${switch[@]}" v1 link 2>"$err"

# After a boot the link is there, and its directory is a mount point of fstab.
at=$(readlink link)
umount "$at"
mount -t dsfs -o ro v2 "$at"
check 'the mount point that the link names' shows 2
exits 'a switch after a boot' 0 "${switch[@]}" v3 link
check 'a switch after a boot: the link' shows 3
check 'a switch after a boot: the mount of the boot is gone' mounts "$(basename "$(readlink link)")"

# The kernel has no symbolic links in the names of mounts.
ln -s "$work" way
exits 'by another name of its directory' 0 "${switch[@]}" v4 "$work/way/link"
check 'by another name of its directory: the link' shows 4
check 'by another name of its directory: the older mount is gone' \
	mounts "$(basename "$(readlink link)")"
finish
