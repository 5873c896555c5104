#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mounts.sh DEVICE READONLY [MODULE.ko] - what mounting a sound image has to do: every
# option, accepted and refused, remounts, several mounts, sysfs, metadata that
# stays in memory, and nothing left after unmount and unload.
#
# DEVICE could be written, READONLY could not; both hold mktree's zoo.
# With MODULE.ko the module is unloaded and loaded again at the end.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1
readonly=$2
module=${3:-}
name=${disk##*/}
dir=$(mktemp -d)
dir2=$(mktemp -d)

# The options that /proc/mounts shows of what is mounted at $1.
shown()
{
	awk -v d="$1" '$2 == d { print $4 }' /proc/mounts
}

has_option()
{
	case ",$(shown "$1")," in
	*,"$2",*)	return 0 ;;
	esac
	echo "# $prog: $2 is not among $(shown "$1")"
	return 1
}

usable()
{
	[ -d "$1/types" ] && cat "$1/root-file" >/dev/null
}

# accepts OPTIONS SHOWN...: by either way to mount, usable, shown, and taken
# back by a remount as it is shown.
accepts()
{
	opts=$1
	shift
	for how in '' -l; do
		# shellcheck disable=SC2086 # nothing, or an option
		try $how -o "$opts" "$disk" "$dir" || return 1
		for want in ro "$@"; do
			has_option "$dir" "$want" || return 1
		done
		usable "$dir" || return 1
		before=$(shown "$dir")
		try -r -o "$before" "$dir" && [ "$(shown "$dir")" = "$before" ] || return 1
		umount "$dir"
	done
}

# refuses OPTIONS REGEX: EINVAL by either way, and the message of the new one.
refuses()
{
	refused EINVAL '' -l -o "$1" "$disk" "$dir" && refused EINVAL "$2" -o "$1" "$disk" "$dir"
}

# helper OPTIONS SHOWN...: what mount.dsfs makes of options that are for the VFS, or for fstab(5)
helper()
{
	mount.dsfs "$disk" "$dir" -o "$1" || return 1
	shift
	for want in ro "$@"; do
		has_option "$dir" "$want" || return 1
	done
	usable "$dir" && umount "$dir"
}

helpers()
{
	check "mount.dsfs -o users" helper users nosuid nodev noexec
	check "mount.dsfs -o user,exec" helper user,exec nosuid nodev
	check "mount.dsfs -o owner" helper owner nosuid nodev
	check "mount.dsfs -o nofail,noauto,noatime" helper nofail,noauto,noatime noatime
	check "mount.dsfs: twice on a directory" twice
	check "mount.dsfs: a list of pieces" in_pieces
	check "mount.dsfs: a refused remount says why" remounts_told
}

# What is told to who mounts by mount(8): TEXT, and 32
told()
{
	text=$1
	shift
	rc=0
	"$@" 2>"$dir.told" || rc=$?
	sed 's/^/# /' "$dir.told"
	[ "$rc" -eq 32 ] && grep -qF "$text" "$dir.told"
}

# Where mount(2) refuses, move_mount(2) puts one on top of the other; another directory is no reason.
twice()
{
	try "$disk" "$dir" && told "already mounted on $dir" mount.dsfs "$disk" "$dir" &&
		mount.dsfs "$disk" "$dir2" && umount "$dir2" && umount "$dir" &&
		! grep -q " $dir " /proc/mounts
}

remounts_told()
{
	try "$disk" "$dir" &&
		told 'meta= cannot be changed by a remount' mount.dsfs none "$dir" -o remount,meta=lazy &&
		told "cache" mount.dsfs none "$dir" -o remount,cache=big &&
		mount.dsfs none "$dir" -o remount,nosuid,cache=epoch && has_option "$dir" nosuid &&
		has_option "$dir" cache=epoch && umount "$dir"
}

# contents FILE: what files of the mount have
contents()
{
	usable "$dir" && find "$dir/types" "$dir/root-file" -type f -size -1024k -exec cat {} + >"$1" &&
		[ -s "$1" ] && umount "$dir"
}

no_pieces()
{
	! dmsetup ls | grep '^dsfs-' && ! grep pieces /sys/block/loop*/loop/backing_file 2>/dev/null
}

# A list of the image's pieces is mounted, as the image is, and leaves nothing behind.
in_pieces()
{
	dd if="$disk" of="$dir2/image" bs=1M 2>/dev/null
	dsfs pieces --size=8M "$dir2/image" "$dir2/pieces" >/dev/null || return 1
	try "$disk" "$dir" && contents "$dir2/want" && mount.dsfs "$dir2/pieces/image.list" "$dir" &&
		dmsetup ls | grep '^dsfs-' && contents "$dir2/have" && cmp "$dir2/want" "$dir2/have" ||
		return 1
	# Devices go when the last one has closed them, which a worker may be.
	until no_pieces; do
		sleep 0.1
	done
	sed -i 's/"bytes": *69632/"bytes": 69120/' "$dir2/pieces/image.list"
	! mount.dsfs "$dir2/pieces/image.list" "$dir" && no_pieces
}

# By fsconfig(2) one may go on after a refusal.
refused_leave_nothing()
{
	try -k -o meta=all,meta=1025G,wholefile=2G "$disk" "$dir" &&
		has_option "$dir" meta=resident && has_option "$dir" wholefile=1048576 && umount "$dir"
}

options()
{
	check "no options" accepts '' cache=lru meta=resident verify=on wholefile=1048576
	check "ro" accepts ro
	check "rw becomes ro" accepts rw
	check "meta=resident" accepts meta=resident meta=resident
	check "meta=lazy" accepts meta=lazy meta=lazy
	check "meta=0 is lazy" accepts meta=0 meta=lazy
	check "meta=64K" accepts meta=64K meta=64K
	check "meta=1024G" accepts meta=1024G meta=1073741824K
	check "meta=1025G refused" refuses meta=1025G 'meta: 1100585369600 is above the limit'
	check "meta=17179869184G refused" refuses meta=17179869184G \
		"meta: '17179869184G' is not a size"
	check "verify=on" accepts verify=on verify=on
	check "verify=off" accepts verify=off verify=off
	check "cache=epoch" accepts cache=epoch cache=epoch
	check "cache=big refused" refuses cache=big 'cache'
	check "wholefile=0" accepts wholefile=0 wholefile=0
	check "wholefile=64K" accepts wholefile=64K wholefile=65536
	check "wholefile=1M" accepts wholefile=1M wholefile=1048576
	check "wholefile=1G" accepts wholefile=1G wholefile=1073741824
	check "wholefile=12345" accepts wholefile=12345 wholefile=12345
	check "wholefile=0089K is decimal" accepts wholefile=0089K wholefile=91136
	check "all options at once" accepts meta=lazy,verify=off,wholefile=128K \
		meta=lazy verify=off wholefile=131072
	check "the last of several counts" accepts verify=off,verify=on verify=on

	check "wholefile=big refused" refuses wholefile=big "wholefile: 'big' is not a size"
	check "wholefile=-1 refused" refuses wholefile=-1 "wholefile: '-1' is not a size"
	check "wholefile=1M1 refused" refuses wholefile=1M1 "wholefile: '1M1' is not a size"
	check "wholefile=2G refused" refuses wholefile=2G 'wholefile: 2147483648 is above the limit'
	check "wholefile= refused" refuses wholefile= 'wholefile|[Ee]mpty|Bad value'
	check "wholefile without a value refused" refuses wholefile 'wholefile'
	check "meta=all refused" refuses meta=all "meta: 'all' is not a size"
	check "meta= refused" refuses meta= 'meta|[Ee]mpty|Bad value'
	check "meta without a value refused" refuses meta "meta"
	check "verify=maybe refused" refuses verify=maybe "verify"
	check "values that were refused are not taken" refused_leave_nothing
	check "an unknown option refused" refuses nonsense "nonsense"
	check "an unknown option with a value refused" refuses nonsense=1 "nonsense"
}

stays_read_only()
{
	try -r -o rw "$dir" && mount -o remount,rw "$dir" && has_option "$dir" ro &&
		! touch "$dir/new" 2>/dev/null
}

# remount OPTIONS SHOWN...
remount()
{
	try -r -o "$1" "$dir" || return 1
	shift
	for want; do
		has_option "$dir" "$want" || return 1
	done
	usable "$dir"
}

remount_changes()
{
	remount wholefile=4K wholefile=4096 verify=on meta=resident &&
		remount verify=on,wholefile=1M wholefile=1048576
}

# There and back, and what was cached is what it was.
remount_cache()
{
	for policy in epoch lru epoch; do
		remount cache="$policy" cache="$policy" meta=resident || return 1
	done
	refused EINVAL '' -r -o cache=most "$dir" && has_option "$dir" cache=epoch
}

# Of such a device the VFS itself refuses it.
readonly_device()
{
	refused EACCES '' -r -o rw "$dir" && remount ro,wholefile=0 wholefile=0 ro
}

remount_refuses()
{
	refused EINVAL '' -r -o "$1" "$dir" && usable "$dir"
}

remounts()
{
	mount -t dsfs "$disk" "$dir"
	check "remount,rw stays read-only" stays_read_only
	check "remount changes wholefile" remount_changes
	check "remount refuses verify=off" remount_refuses verify=off
	check "remount refuses meta=lazy" remount_refuses meta=lazy
	check "remount refuses meta=64K" remount_refuses meta=64K
	check "remount changes cache" remount_cache
	check "remount refuses nonsense" remount_refuses wholefile=nonsense
	umount "$dir"
	check "a device that can only be read" mount -t dsfs "$readonly" "$dir"
	check "and its remount" readonly_device
	umount "$dir"
}

sysfs_is()
{
	test "$(cat "/sys/fs/dsfs/$name/$1")" "$2" "$3"
}

sysfs()
{
	mount -t dsfs "$disk" "$dir"
	check "sysfs: generation" sysfs_is generation -ge 1
	check "sysfs: metadata" sysfs_is metadata_bytes -gt 4096
	check "sysfs: memory of meta=resident" sysfs_is metadata_resident_bytes -ge \
		"$(cat "/sys/fs/dsfs/$name/metadata_bytes")"
	for counter in metadata_bad_blocks checksum_errors io_errors structure_errors; do
		check "sysfs: $counter" sysfs_is $counter -eq 0
	done
	check "sysfs: uuid" [ "$(wc -c <"/sys/fs/dsfs/$name/uuid")" -eq 37 ]
	check "sysfs: label" [ "$(cat "/sys/fs/dsfs/$name/label")" = zoo ]
	umount "$dir"
	check "sysfs: gone after unmount" [ ! -e "/sys/fs/dsfs/$name" ]
	mount -t dsfs -o meta=lazy "$disk" "$dir"
	check "sysfs: memory of meta=lazy" sysfs_is metadata_resident_bytes -lt \
		"$(cat "/sys/fs/dsfs/$name/metadata_bytes")"
	umount "$dir"
}

# Nearly all memory there is, wanted by one process: the kernel takes what it
# can from its caches.
press()
{
	kib=$(awk '$1 == "MemAvailable:" { print int($2 * 0.9) }' /proc/meminfo)
	dd if=/dev/zero of=/dev/null bs="${kib}k" count=1 2>/dev/null ||
		echo "# mounts: no memory pressure: dd failed"
}

# Names and attributes of everything; contents of nothing.
look_at_all()
{
	drop_caches
	blockdev --flushbufs "$disk"
	asks names "$@"
	echo "$requests"
}

names()
{
	[ "${1:-}" != pressure ] || press
	# What is deeper than PATH_MAX, ls can't say.
	ls -lRn "$dir" >/dev/null 2>&1 || true
	[ ! -e "$dir/dirs/5000/not-there" ]
}

resident()
{
	mount -t dsfs -o meta=resident "$disk" "$dir"
	check "meta=resident: no request for names and attributes" [ "$(look_at_all)" -eq 0 ]
	check "meta=resident: nor the second time" [ "$(look_at_all)" -eq 0 ]
	check "meta=resident: nor after memory ran short" \
		[ "$(look_at_all pressure)" -eq 0 ]
	most=$(cat "/sys/fs/dsfs/$name/metadata_resident_bytes")
	umount "$dir"
	mount -t dsfs -o meta=lazy "$disk" "$dir"
	lazy=$(look_at_all)
	check "meta=lazy: requests for names and attributes" [ "$lazy" -gt 0 ]
	check "meta=lazy: again after the caches were dropped" [ "$(look_at_all)" -gt 0 ]
	umount "$dir"
	budgets
}

# Memory is for what fits, and what does not fit is asked of the device.
budgets()
{
	mount -t dsfs -o meta="$most" "$disk" "$dir"
	check "meta=SIZE of all: no request for names and attributes" [ "$(look_at_all)" -eq 0 ]
	umount "$dir"
	last=$lazy
	for part in 4 2; do
		budget=$((most / part))
		mount -t dsfs -o meta=$budget "$disk" "$dir"
		check "meta=SIZE, 1/$part of all: no more than that is resident" \
			sysfs_is metadata_resident_bytes -le $budget
		check "meta=SIZE, 1/$part of all: it is used" \
			sysfs_is metadata_resident_bytes -gt $((budget - 8192))
		requests=$(look_at_all)
		echo "# $prog: $lazy requests with meta=lazy, $requests with 1/$part of $most bytes"
		check "meta=SIZE, 1/$part of all: no more requests than with less" \
			[ "$requests" -le "$last" ]
		last=$requests
		umount "$dir"
	done
	check "meta=SIZE, 1/2 of all: there are requests" [ "$last" -gt 0 ]
	check "meta=SIZE, 1/2 of all: fewer than with none" [ "$last" -lt "$lazy" ]
}

# The mount itself: a few large requests, not one a block.
mount_requests()
{
	drop_caches
	blockdev --flushbufs "$disk"
	asks mount -t dsfs "$disk" "$dir"
	kib=$(($(cat "/sys/fs/dsfs/$name/metadata_bytes") / 1024))
	umount "$dir"
	echo "# $prog: mount took $requests requests for $kib KiB of metadata"
	[ "$requests" -le $((12 + kib / 64)) ]
}

shared()
{
	mount -t dsfs "$disk" "$dir"
	check "a second mount" mount -t dsfs "$disk" "$dir2"
	check "shares the first one's super block" \
		[ "$(stat -c %d "$dir")" = "$(stat -c %d "$dir2")" ]
	umount "$dir"
	check "outlives the first" usable "$dir2"
	check "sysfs outlives the first" [ -e "/sys/fs/dsfs/$name/uuid" ]
	check "other options refused with EBUSY" refused EBUSY \
		'already mounted with other options' -o verify=off "$disk" "$dir"
	check "and the mount goes on" usable "$dir2"
	umount "$dir2"
}

# A mount with an open file does not go; a lazy unmount lets the file live.
busy()
{
	mount -t dsfs "$disk" "$dir"
	exec 9<"$dir/sizes/100000"
	check "unmount refused while a file is open" fails umount "$dir"
	umount -l "$dir"
	check "a file outlives a lazy unmount" [ "$(wc -c <&9)" -eq 100000 ]
	exec 9<&-
	mount -t dsfs "$disk" "$dir"
	umount "$dir"
}

unload()
{
	rmmod dsfs || return 1
	! grep -q '\[dsfs\]' /proc/vmallocinfo && [ ! -e /sys/fs/dsfs ] && [ ! -e /sys/module/dsfs ] &&
		! grep -qw dsfs /proc/filesystems
}

reload()
{
	mount -t dsfs "$disk" "$dir"
	ls -lRn "$dir" >/dev/null 2>&1 || true
	cat "$dir"/sizes/* >/dev/null
	check "a mounted module does not unload" fails rmmod dsfs
	umount "$dir"
	check "after unmount it unloads and leaves nothing" unload
	check "and loads again" insmod "$module"
	mount -t dsfs "$disk" "$dir"
	check "and mounts" usable "$dir"
	umount "$dir"
}

options
helpers
remounts
sysfs
resident
check "mounting reads metadata in large requests" mount_requests
shared
busy
check "no device" refused ENOTBLK '' /proc/version "$dir"
check "no such device" refused ENOENT '' /dev/not-there "$dir"
[ ! -e "$module" ] || reload
exit $failed
