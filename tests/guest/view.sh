#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# view.sh NAME... - images by the module and by EROFS, side by side: listings, with contents,
# attributes and links, are the same, nothing is left when they are unmounted, and driver=auto takes
# what there is.  Images are drives, and files in $REF; the kernel's module dsfs is unloaded.
# shellcheck disable=SC3043 # local, see tests/harness/cases.sh
set -eu
prog=view
. "$(dirname "$0")/lib.sh"
ref=${REF:-/ref}
work_dir
mkdir -p /mnt/module /mnt/view

no_loops()
{
	local n=0

	# a device is cleared behind the last user of it, which may be a task of the kernel
	while ls /sys/block/loop*/loop >/dev/null 2>&1; do
		n=$((n + 1))
		[ "$n" -lt 10000 ] || return 1
	done
}

type_of()
{
	awk -v dir="$1" '$2 == dir { print $3 }' /proc/mounts
}

# listing_of DIR: of "many" all names, which the shell sorts, and attributes of some
listing_of()
(
	[ "$name" = many ] || { listing "$1"; return; }
	cd "$1"
	printf '%s\n' * | md5sum
	seq 1 4999 5000000 | sed 's/$/.jpg/' | xargs stat -c '%n %f %u %g %s %Y'
)

same_listings()
{
	listing_of /mnt/module >/tmp/one && listing_of /mnt/view >/tmp/other &&
		[ -s /tmp/one ] && same_file /tmp/one /tmp/other
}

# both NAME IMAGE: of a file or a drive, while the module has it mounted
both()
{
	mount.dsfs "$2" /mnt/view -o driver=erofs || return 1
	check "$1: by EROFS" test "$(type_of /mnt/view)" = erofs
	check "$1: the same" same_listings
	umount /mnt/view
}

for name; do
	mount -t dsfs "$(readlink -f "/dev/drive/$name")" /mnt/module
	both "$name, a file" "$ref/$name.dsfs"
	both "$name, a drive" "/dev/drive/$name"
	umount /mnt/module
	check "$name: no loop device is left" no_loops
done

image=$ref/$1.dsfs
mount.dsfs "$image" /mnt/view -o driver=auto
check 'auto: the module, if there is one' test "$(type_of /mnt/view)" = dsfs
umount /mnt/view
rmmod dsfs
says 'no module: what else there is' 32 'driver=erofs, or dsfs-fuse(8)' mount.dsfs "$image" /mnt/view
echo "$image /mnt/view dsfs ro,nosuid,driver=auto 0 0" >/etc/fstab
says 'auto: EROFS else, by mount(8) and fstab' 0 'data is not compared with its checksums' \
	mount8 /mnt/view
check 'that is what is mounted' test "$(type_of /mnt/view)" = erofs
check 'its options are kept' grep -q ' /mnt/view erofs ro,nosuid,' /proc/mounts
says 'the same again' 32 'already mounted on /mnt/view' mount.dsfs "$image" /mnt/view -o driver=erofs
says 'an option of the module' 32 'driver=erofs has none of the module' \
	mount.dsfs "$image" /mnt -o driver=erofs,cache=epoch
umount /mnt/view
check 'no loop device is left by errors' no_loops
of_unit() { sed -n "s/^$1=//p" /ref/unit; }
says 'as systemd mounts a unit' 0 'data is not compared with its checksums' \
	mount8 "$image" /mnt/view -t "$(of_unit Type)" -o "$(of_unit Options),driver=auto"
check 'that is what is mounted by it' test "$(type_of /mnt/view)" = erofs
umount /mnt/view
finish
