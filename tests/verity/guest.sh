#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh BYTES SALT - the guest's part of tests/verity/run.
#
# Disks: appended: an image of BYTES with its hashes behind it; base and hash: the
# same apart; the others: tampered images with the hashes of the right one behind
# them.  /ref/root holds its root hash, /ref/list its listing.
#
# What counts of a tampered image: an attribute or a content that can be read is the
# right one, and what was tampered with cannot be read.
set -eu
prog=verity
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

bytes=$1 salt=$2
root=$(cat /ref/root)
disk=/dev/drive
mnt=/mnt/image
names=/tmp/names
mkdir -p $mnt

# The tree has no names that a shell would mind.
cut -f 1 /ref/list | sed 's|^/|./|' >$names

# open_verity DATA HASHDISK ROOT [OPTION...]: /dev/mapper/v
open_verity()
{
	data=$1 hashes=$2 hash=$3
	shift 3
	veritysetup open "$disk/$data" v "$disk/$hashes" "$hash" "$@"
}

appended()
{
	open_verity "$1" "$1" "${2:-$root}" --hash-offset="$bytes"
}

mounted()
{
	mount -t dsfs -o "${1:-ro}" "${2:-/dev/mapper/v}" "$mnt"
}

closed()
{
	! grep -q " $mnt dsfs " /proc/mounts || umount $mnt
	[ ! -e /dev/mapper/v ] || veritysetup close v
}

same_listing()
{
	listing "$mnt" >/tmp/list && cmp /ref/list /tmp/list
}

# Everything that can be learned of the tree, a line each; errors go to /tmp/errors.
facts()
{
	cd $mnt
	{
		xargs stat -c '%n %f %s %u %g %h %Y' <$names
		find . -type f -exec sha256sum {} +
	} 2>/tmp/errors | sort
	cd /
}

# look IMAGE OPTIONS [ROOT]: what can be read of it over dm-verity, in /tmp/facts; false if it does
# not mount
look()
{
	rc=0
	appended "$1" "${3:-$root}" && mounted "$2" 2>/tmp/errors && facts >/tmp/facts || rc=1
	closed
	return "$rc"
}

# refuses_all NAME OPTIONS [ROOT]: the tampered image NAME cannot be mounted.
refuses_all()
{
	! look "$@" || { echo "# $1: mounts"; return 1; }
}

# refuses NAME PATH OPTIONS: of the tampered image NAME, nothing that can be read is
# wrong, and PATH cannot be read.
refuses()
{
	look "$1" "$3" || return 1
	rc=0
	if grep -vxFf /tmp/good /tmp/facts | sed 's/^/# wrong: /' | grep .; then
		rc=1
	elif ! grep -q "$2" /tmp/errors; then
		echo "# $1: $2 could be read"
		rc=1
	elif [ "$(wc -l </tmp/facts)" -lt $(($(wc -l </tmp/good) / 2)) ]; then
		echo "# $1: too much is gone"
		rc=1
	fi
	echo "# $1: $(wc -l </tmp/facts) of $(wc -l </tmp/good) facts are there, the others are errors"
	return "$rc"
}

# all_right NAME: all of the tampered image NAME can be read, and is right.
all_right()
{
	look "$1" ro && cmp -s /tmp/good /tmp/facts
}

# by_mount IMAGE OPTION...: mount(8) makes the device, mounts what it made by mount.dsfs, and has
# it go away with the mount.  The busybox here has a mount of its own; this is util-linux'.
by_mount()
{
	image=$disk/$1 more=$2
	shift 2
	mount8 "$@" -t dsfs -o "verity.hashdevice=$image,verity.hashoffset=$bytes,$more" \
		"$image" "$mnt"
}

# What is mounted is a device of dm-verity with that root hash, by whatever name.  Its node went
# away when its removal was asked for, which comes with the unmount.
verity_mounted()
{
	device=$(awk -v m="$mnt" '$2 == m && $3 == "dsfs" { print $1 }' /proc/mounts)
	[ -n "$device" ] && dmsetup table "${device##*/}" | grep -q " verity .* sha256 $root "
}

# The kernel removes it a moment after the unmount; 20 seconds end what hangs.
no_device()
{
	tries=1000
	while ls -d /sys/block/dm-* >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		usleep 20000
	done
}

by_mount_refuses()
{
	what=$1
	shift
	if by_mount "$@" 2>/tmp/errors; then
		echo "# it mounts"
		umount "$mnt"
		return 1
	fi
	sed 's/^/# /' /tmp/errors
	grep -q "$what" /tmp/errors && ! grep -q " $mnt dsfs " /proc/mounts
}

helper_refuses()
{
	! mount.dsfs "$disk/appended" "$mnt" -o "$1" 2>/tmp/errors || { umount "$mnt"; return 1; }
	sed 's/^/# /' /tmp/errors
	grep -q "option $1: nobody has made the device" /tmp/errors
}

# Without dm-verity the forger wins: what the image says is believed.
believed()
{
	mounted ro "$disk/$1" || return 1
	facts >/tmp/facts
	umount "$mnt"
	[ ! -s /tmp/errors ] && ! cmp -s /tmp/good /tmp/facts
}

# What the kernel's command line says in dm-mod.create, given to dmsetup.
verity_table()
{
	blocks=$((bytes / 4096))
	echo "0 $((bytes / 512)) verity 1 $disk/appended $disk/appended 4096 4096 $blocks $((blocks + 1)) sha256 $root $salt"
}

for opts in meta=resident meta=lazy verify=off; do
	appended appended
	check "mounts with $opts, hashes behind the image" mounted $opts
	check "listing with $opts, hashes behind the image" same_listing
	[ $opts != meta=resident ] || facts >/tmp/good
	closed
done
check "the whole tree was read" [ "$(wc -l </tmp/good)" -gt 400 ]
open_verity base hash "$root"
check "mounts, hashes on a disk of their own" mounted
check "listing, hashes on a disk of their own" same_listing
closed
check "dmsetup takes the table that the documentation tells" \
	dmsetup create v --readonly --table "$(verity_table)"
check "and it mounts" mounted
check "and lists" same_listing
closed

bad=$(echo "$root" | tr 0123456789abcdef 123456789abcdef0)
check "another root hash is refused" refuses_all appended ro "$bad"
for opts in meta=resident meta=lazy,verify=off; do
	check "a flipped bit of data, $opts" refuses bit-data ./small-a $opts
	check "a flipped bit of an inode, $opts" refuses bit-inode ./index/a-name-400 $opts
	check "changed data of the same checksum, $opts" refuses same-sum-data ./big $opts
	check "a changed inode of the same crc32c, $opts" refuses same-sum-inode ./index/a-name-400 $opts
	check "a changed file with right checksums, $opts" refuses_all forged-data $opts
	check "a set-uid bit with right checksums, $opts" refuses_all forged-inode $opts
done
check "a flipped bit of a superblock slot: the other one counts" all_right bit-slot
for name in forged-data forged-inode same-sum-data same-sum-inode; do
	check "$name is believed without dm-verity" believed $name
done

# What mount(8) runs for -t dsfs
ln -s /opt/mount.dsfs /sbin/mount.dsfs
right=verity.roothash=$root
digest=digest=sha256:$root
check "mount(8) with verity.roothash=" by_mount appended "ro,$right"
check "shows a device with that root hash" verity_mounted
check "verity.roothash=: the listing" same_listing
umount "$mnt"
check "unmounted, no device is left" no_device
check "mount -i with verity.roothash=, without the helper" by_mount appended "ro,$right" -i
check "shows such a device, too" verity_mounted
umount "$mnt"
check "mount(8) with verity.roothashfile=" by_mount appended ro,verity.roothashfile=/ref/root
check "verity.roothashfile=: the listing" same_listing
umount "$mnt"
check "mount(8) with another root hash" by_mount_refuses . appended "ro,verity.roothash=$bad"
check "mount(8) and a changed file with right checksums" by_mount_refuses . forged-data "ro,$right"
check "refused, no device is left" no_device
check "mount(8) with digest= beside it" by_mount_refuses 'digest kept: none' appended "$right,$digest"
check "by digest= refused, no device is left" no_device
check "the helper alone does not take verity.roothash=" helper_refuses "$right"
check "the helper alone does not take verity.hashoffset=" helper_refuses "verity.hashoffset=$bytes"
check "mount -i: the kernel refuses digest=" by_mount_refuses . appended "$right,$digest" -i
check "mount -i refused, no device is left" no_device
exit $failed
