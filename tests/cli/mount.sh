#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mount.sh - mount.dsfs: usage and exit codes anywhere, mounts where the running
# kernel has dsfs (the User Mode Linux of tests/uml, a machine with the module).
set -euo pipefail
. "$(dirname "$0")/cases"
mount=$bin/mount.dsfs

mkdir -p tree/sub dir other
seq 10000 >tree/sub/file
printf 'x' >tree/x
mkfs.dsfs -q -L label good.dsfs tree
"$listing" --as-packed tree >tree.list
: >"$out"

# Loop devices over a file of ours.
loops_of()
{
	losetup -n -O NAME -j "$1"
}

none_left()
{
	test -z "$(loops_of "$1")"
}

ln -s circle circle
rows <<'T'
usage: offset|1|offset=7: not a multiple of 512|mount.dsfs good.dsfs dir -o offset=7
no such image|32|missing: image: No such file|mount.dsfs missing dir
no such mount point|32|missing: mount point: No such file|mount.dsfs good.dsfs missing
a file as mount point|32|tree/x: mount point: not a directory|mount.dsfs good.dsfs tree/x
an image below a file|32|image: a part of the path is not a directory|mount.dsfs good.dsfs/x dir
a mount point below a file|32|mount point: a part of the path is|mount.dsfs good.dsfs good.dsfs/x
symlinks in a circle|32|circle: image: symbolic links that lead in a circle|mount.dsfs circle dir
T
head -c 1048576 /dev/zero >zeros
says 'not an image' 32 'zeros: not a DSFS image' "$mount" zeros dir
check 'not an image: one message' test "$(wc -l <"$err")" = 1
says 'a short file' 32 'x: not a DSFS image' "$mount" tree/x dir
says 'not an image where offset= says' 32 'good.dsfs: not a DSFS image' \
	"$mount" good.dsfs dir -o offset=512
{ cat zeros good.dsfs; } >shifted
exits 'an image where offset= says' 0 "$mount" -f shifted dir -o offset=1M
says 'a directory as image' 32 'neither a file nor a block device' "$mount" tree dir
exits '-f does not mount' 0 "$mount" good.dsfs dir -f -o ro,nosuid,meta=lazy
check '-f: nothing is mounted' test ! -e dir/x
exits 'what mount(8) passes on' 0 "$mount" good.dsfs dir -sfnv -t dsfs -o \
	rw,nosuid,nodev,noexec,noatime,user,noauto,_netdev,x-systemd.automount,loop,sizelimit=1M
check '-v says what it takes' grep -q 'good.dsfs: [1-9][0-9]* KiB of metadata, .* available$' "$out"
check '-v says what is mounted' grep -q 'good.dsfs on dir$' "$out"
cp good.dsfs $'a\e[1m.dsfs'
exits '-v of a name with a control sequence' 0 "$mount" -fv $'a\e[1m.dsfs' dir
check 'it is escaped' grep -qF 'mount.dsfs: a\033[1m.dsfs: mounting' "$out"
check 'nothing steers the terminal' test -z "$(grep -a $'\e' "$out" "$err" || true)"

# --- digest=: before anything is attached or mounted
mkfs.dsfs -q --digest kept.dsfs tree
kept=$(dsfs digest kept.dsfs)
wrong=sha256:$(tr 0-9a-f 1-9a-f0 <<<"${kept#*:}")
cp kept.dsfs later.dsfs
cp -a tree tree3
echo later >tree3/later
dsfs update -q later.dsfs tree3
exits 'digest=' 0 "$mount" -f kept.dsfs dir -o "digest=$kept"
exits 'digest=sha256:' 0 "$mount" -f kept.dsfs dir -o "ro,digest=sha256:${kept#*:}"
{ cat zeros kept.dsfs; } >shifted
rows <<'T'
digest= and generation=|0||mount.dsfs -f later.dsfs dir -o "digest=$kept,generation=1"
digest= and offset=|0||mount.dsfs -f shifted dir -o "digest=$kept,offset=1M"
another image|32|: not the image|mount.dsfs -f kept.dsfs dir -o "digest=$wrong"
an image that keeps none|32|digest kept: none|mount.dsfs -f good.dsfs dir -o "digest=$kept"
an older generation|32|digest kept: none|mount.dsfs -f later.dsfs dir -o "digest=$kept"
one that is not kept|32|generation 3: No such|mount.dsfs -f later.dsfs dir -o digest=$kept,generation=3
digest= that is none|1|not sha256: and 64 hexadecimal|mount.dsfs -f kept.dsfs dir -o digest=sha256:12
digest= without a value|1|option digest: not sha256:|mount.dsfs -f kept.dsfs dir -o digest
a remount|32|dir: digest: the image that is mounted|mount.dsfs -f kept.dsfs dir -o remount,digest=$kept
driver|1|driver=x: not module, erofs or auto|mount.dsfs -f kept.dsfs dir -o driver=x
verity|1|verity.roothash=12: nobody has made|mount.dsfs -f kept.dsfs dir -o verity.roothash=12
verity|1|verity.hashdevice=/dev/null: nobody has made|mount.dsfs -f kept.dsfs dir -o verity.hashdevice=/dev/null
T

if [ "$(id -u)" -ne 0 ] || [ ! -c /dev/loop-control ]; then
	skip 'mounts' 'no loop devices, or not root'
	finish
fi
if ! grep -qw dsfs /proc/filesystems; then
	says 'no dsfs in the kernel' 32 'the kernel does not know dsfs' "$mount" good.dsfs dir
	check 'no loop device is left' none_left good.dsfs
	says 'another digest is told first' 32 'not the image that was asked for' \
		"$mount" good.dsfs dir -o "digest=$kept"
	skip 'mounts' 'the kernel has no dsfs'
	finish
fi

mounted_at()
{
	awk -v d="$work/$1" '$5 == d { print $6, $NF }' /proc/self/mountinfo
}

exits 'mount' 0 "$mount" good.dsfs dir
check 'the tree' diff tree.list <("$listing" dir)
loop=$(loops_of good.dsfs)
check 'one read-only loop device that clears itself' \
	test "$(losetup -n -O RO,AUTOCLEAR "$loop" | tr -s ' ')" = ' 1 1'
exits 'a second mount' 0 "$mount" good.dsfs other -o nosuid,noexec,noatime
check 'shares the device' test "$(loops_of good.dsfs)" = "$loop"
check 'options of the VFS' grep -q '^ro,nosuid,noexec,noatime ' <(mounted_at other)
umount dir other
check 'umount clears the device' none_left good.dsfs

# What -v says before is what the kernel says after.
will_take()
{
	local rc=0 kib

	"$mount" -v good.dsfs dir -o "$1" >"$out" || return 1
	loop=$(loops_of good.dsfs)
	kib=$(($(cat "/sys/fs/dsfs/${loop##*/}/metadata_resident_bytes") / 1024))
	grep -q " KiB of metadata, $kib KiB of memory for it, [1-9][0-9]* KiB are available\$" "$out" ||
		rc=1
	umount dir
	return "$rc"
}

for meta in resident lazy 5K 9K 1M; do
	check "-v says what meta=$meta will take" will_take "meta=$meta"
done

exits 'options of the file system' 0 "$mount" good.dsfs dir \
	-o rw,meta=lazy,verify=off,wholefile=64K
check 'are in /proc/self/mountinfo' grep -q 'ro.*meta=lazy.*' <(mounted_at dir)
check 'rw is read-only' test "$(touch dir/new 2>&1 | grep -c 'Read-only')" = 1
exits 'remount' 0 "$mount" good.dsfs dir -o remount,nodev
check 'remount: its option' grep -q 'nodev' <(mounted_at dir)
umount dir

exits 'a mount with digest=' 0 "$mount" kept.dsfs dir -o "digest=$kept"
check 'digest=: the tree' diff tree.list <("$listing" dir)
check 'digest=: the generation is the one that keeps it' grep -q 'generation=1' <(mounted_at dir)
check 'digest= is not passed to the kernel' test -z "$(mounted_at dir | grep digest || true)"
exits 'a remount with it' 0 "$mount" kept.dsfs dir -o "remount,nodev,digest=$kept"
says 'a remount with another' 32 'dir: digest kept: ' "$mount" kept.dsfs dir \
	-o "remount,noexec,digest=$wrong"
check 'changes nothing' grep -q 'nodev' <(mounted_at dir)
check 'and adds nothing' test -z "$(mounted_at dir | grep noexec || true)"
umount dir
says 'a mount with another digest' 32 'not the image' "$mount" kept.dsfs dir -o "digest=$wrong"
check 'another digest: no loop device is left' none_left kept.dsfs
exits 'an older generation by its digest' 0 "$mount" later.dsfs dir -o "generation=1,digest=$kept"
exits 'a remount compares what is mounted' 0 "$mount" later.dsfs dir -o "remount,digest=$kept"
umount dir
dsfs update -q --digest later.dsfs tree3
newest=$(dsfs digest later.dsfs)
exits 'the newest generation by its digest' 0 "$mount" later.dsfs dir -o "digest=$newest"
umount dir
cp kept.dsfs grows.dsfs
exits 'an image that grows while it is mounted' 0 "$mount" grows.dsfs dir -o "digest=$kept"
# mkfs.dsfs refuses a file with a loop device; another machine that has the file does not see it.
cp kept.dsfs grown.dsfs
dsfs update -q --digest grown.dsfs tree3
grown=$(dsfs digest grown.dsfs)
dd if=grown.dsfs of=grows.dsfs bs=1M conv=notrunc status=none
for digest in "$kept" "$grown"; do
	says 'its remount: what is mounted cannot be compared' 32 \
		'dir: digest: the superblock cannot be used: File too large' \
		"$mount" grows.dsfs dir -o "remount,noexec,digest=$digest"
done
check 'such a remount changes nothing' test -z "$(mounted_at dir | grep noexec || true)"
exits 'a remount without digest=' 0 "$mount" grows.dsfs dir -o remount,nosuid
check 'is one of what was pinned' grep -q 'nosuid.*generation=1' <(mounted_at dir)
exits 'the newer generation beside it' 0 "$mount" grows.dsfs other -o "digest=$grown"
check 'is the newer tree' test -e other/later
check 'on a device of its own, of the new size' test "$(loops_of grows.dsfs | wc -l)" -eq 2
umount dir other
loop=$(losetup -f --show -r kept.dsfs)
says 'the kernel alone refuses digest=' 32 '' mount -i -t dsfs -o "ro,digest=$kept" "$loop" dir
check 'the kernel alone: nothing is mounted' test -z "$(mounted_at dir)"
exits 'mount(8) and a block device' 0 "$mount" "$loop" dir -o "digest=$kept"
umount dir
losetup -d "$loop"

{ head -c 1048576 /dev/zero && cat good.dsfs; } >shifted
exits 'offset= and sizelimit=' 0 "$mount" shifted dir \
	-o "loop,offset=1M,sizelimit=$(stat -c %s good.dsfs)"
check 'offset=: the tree' diff tree.list <("$listing" dir)
umount dir
check 'offset=: umount clears the device' none_left shifted

cp good.dsfs moved.dsfs
cp -a tree tree2
echo another >tree2/x
"$listing" --as-packed tree2 >tree2.list
dsfs update -q moved.dsfs tree2
exits 'an updated image' 0 "$mount" moved.dsfs dir
check 'the new tree' diff tree2.list <("$listing" dir)
exits 'the older generation beside it' 0 "$mount" moved.dsfs other -o generation=1
check 'the old tree' diff tree.list <("$listing" other)
check 'two loop devices' test "$(loops_of moved.dsfs | wc -l)" -eq 2
mkdir third
exits 'the older one once more' 0 "$mount" moved.dsfs third -o generation=1
check 'shares the device' test "$(loops_of moved.dsfs | wc -l)" -eq 2
umount dir
exits 'the newest beside the older ones' 0 "$mount" moved.dsfs dir
check 'is the new tree' diff tree2.list <("$listing" dir)
umount dir other third
check 'umount clears both devices' none_left moved.dsfs
loop=$(losetup -f --show -r moved.dsfs)
exits 'a block device' 0 "$mount" "$loop" dir
exits 'another generation of a block device' 0 "$mount" "$loop" other -o generation=1
check 'is the old tree' diff tree.list <("$listing" other)
umount dir other
losetup -d "$loop"
check 'no loop device is left over a device' none_left "$loop"
says 'a generation that is not kept' 32 'generation 3 is not kept' \
	"$mount" moved.dsfs dir -o generation=3
says 'generation 0' 32 'generation: 0 is none' "$mount" moved.dsfs dir -o generation=0

says 'unknown option: the kernel says so' 32 "option nonsense=1: Invalid argument" \
	"$mount" good.dsfs dir -o nonsense=1
check 'no loop device is left' none_left good.dsfs
says 'no such directory' 32 'missing: mount point: No such file' "$mount" good.dsfs missing
check 'no loop device is left behind' none_left good.dsfs
loop=$(losetup -f --show -r zeros)
says 'a device without an image' 32 "$loop: not a DSFS image" "$mount" "$loop" dir
losetup -d "$loop"
cp good.dsfs bad.dsfs
dd if=/dev/urandom of=bad.dsfs bs=1 seek=1100 count=100 conv=notrunc status=none
dd if=/dev/urandom of=bad.dsfs bs=1 seek=66600 count=100 conv=notrunc status=none
says 'no slot is whole: the kernel says why' 32 'superblock checksum' "$mount" bad.dsfs dir
cp good.dsfs bad.dsfs
flip bad.dsfs 1100
says 'a bad slot: a warning' 0 'warning: ' "$mount" bad.dsfs dir
umount dir
finish
