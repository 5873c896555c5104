#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# sums-guest.sh FS... - the guest's side of tests/bench/sums: prints its rows.
#
# The device answers at once: a null_blk that copies in the caller's context, block by block.
#
# Disks: an image FS, and its hashes for dm-verity, FS-hash; /FS.root is their root.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

file=/mnt/big/img_00000000.jpg

blocksize=4096

# at_once SOURCE: /dev/null1, a copy of a disk, without latency
at_once()
{
	conf=/sys/kernel/config/nullb/null1
	mkdir "$conf"
	echo 1 >"$conf/memory_backed"
	echo $(($(blockdev --getsize64 "$1") / 1048576 + 1)) >"$conf/size"
	echo $blocksize >"$conf/blocksize"
	echo 8192 >"$conf/max_sectors"
	echo 1 >"$conf/submit_queues"
	echo 0 >"$conf/irqmode"
	echo 1 >"$conf/power"
	dd if="$1" of=/dev/null1 bs=1M 2>/dev/null
	blockdev --flushbufs /dev/null1
}

# try SUBJECT TYPE OPTIONS [DEVICE]
try()
{
	what="cold read, device of $blocksize-byte blocks"
	mount -t "$2" -o "$3" "${4:-/dev/null1}" /mnt
	figures=$(bench_read --passes=5 $file)
	echo "# $1, $what: $figures"
	eval "$figures"
	# shellcheck disable=SC2154 # set by eval
	row "$what, a byte" "$1" "$per_byte" instructions
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
	try "$1" "$2" "$3" /dev/mapper/v
	veritysetup close v
}

show_kernel
# There is no udev here.
export DM_DISABLE_UDEV=1
mount -t configfs none /sys/kernel/config 2>/dev/null || true
for fs; do
	at_once "$drives/$fs"
	show_device null1 "null_blk irqmode 0, blocksize $blocksize"
	case $fs in
	dsfs)	try dsfs dsfs ro,verify=on
		try dsfs-verify-off dsfs ro,verify=off
		try_verity dsfs-verify-off-verity dsfs ro,verify=off ;;
	*)	try "$fs" "$fs" ro ;;
	esac
	[ "$fs" != erofs ] || try_verity erofs-verity erofs ro
	echo 0 >"$conf/power"
	rmdir "$conf"
done
