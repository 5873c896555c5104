#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# sums-guest.sh FS... - the guest's side of tests/bench/sums: prints its rows.  The device
# answers at once.
#
# It is a null_blk that copies in the caller's context.  It copies block by block, so
# that a smaller block makes the device, not the file system, cost more: both are shown.
#
# Disks: an image FS, and its hashes for dm-verity, FS-hash; /FS.root is their root.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

file=/mnt/big/img_00000000.jpg

# at_once NAME SOURCE BLOCKSIZE: a copy of a disk, without latency
at_once()
{
	conf=/sys/kernel/config/nullb/$1
	mkdir "$conf"
	echo 1 >"$conf/memory_backed"
	echo $(($(blockdev --getsize64 "$2") / 1048576 + 1)) >"$conf/size"
	echo "$3" >"$conf/blocksize"
	echo 8192 >"$conf/max_sectors"
	echo 1 >"$conf/submit_queues"
	echo 0 >"$conf/irqmode"
	echo 1 >"$conf/power"
	dd if="$2" of="/dev/$1" bs=1M 2>/dev/null
	blockdev --flushbufs "/dev/$1"
}

gone()
{
	echo 0 >"/sys/kernel/config/nullb/$1/power"
	rmdir "/sys/kernel/config/nullb/$1"
}

# measure WHAT SUBJECT OPTION...: cold with --cold, else cached
measure()
{
	what=$1 subject=$2
	shift 2
	figures=$(bench_read --passes=5 "$@" $file)
	echo "# $subject, $what: $figures"
	eval "$figures"
	# shellcheck disable=SC2154 # set by eval
	row "$what, a byte" "$subject" "$per_byte" instructions
}

# try SUBJECT TYPE OPTIONS BLOCKSIZE [DEVICE]
try()
{
	mount -t "$2" -o "$3" "${5:-/dev/null1}" /mnt
	measure "cold read, device of $4-byte blocks" "$1" --cold
	[ "$4" != 512 ] || measure "cached read" "$1"
	umount /mnt
}

# try_verity SUBJECT TYPE OPTIONS: over dm-verity, whose blocks are of 4096 bytes.  Its
# blocks of hashes stay in memory after the first pass, so that the median is of data.
try_verity()
{
	veritysetup open /dev/null1 v "$drives/$2-hash" "$(cat "/$2.root")"
	dm=$(grep -lx v /sys/block/dm-*/dm/name)
	show_device "${dm%/dm/name}" 'dm-verity, blocks of 4096, sha256'
	show_drivers sha256
	try "$1" "$2" "$3" 4096 /dev/mapper/v
	veritysetup close v
}

show_kernel
# There is no udev here.
export DM_DISABLE_UDEV=1
mount -t configfs none /sys/kernel/config 2>/dev/null || true
for fs; do
	for size in 512 4096; do
		# XFS was made with sectors of 512 bytes.
		[ "$fs $size" != "xfs 4096" ] || continue
		at_once null1 "$drives/$fs" $size
		show_device null1 "null_blk irqmode 0, blocksize $size"
		case $fs in
		dsfs)	try dsfs dsfs ro,verify=on $size
			try dsfs-verify-off dsfs ro,verify=off $size ;;
		*)	try "$fs" "$fs" ro $size ;;
		esac
		case $fs-$size in
		dsfs-4096)	try_verity dsfs-verify-off-verity dsfs ro,verify=off ;;
		erofs-4096)	try_verity erofs-verity erofs ro ;;
		esac
		gone null1
	done
done
