# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034 # set and read by guest.sh and node.sh
#
# Data nearer to the node: the guest's part of tests/rbd/staging, sourced by guest.sh.
#
# Disks: local, as large as the image, and meta.  For each means: epochs between two
# barriers each, so that the host can tell what the cluster had to read.

local=/dev/drive/local
meta=/dev/drive/meta
# There is no udev here.
export DM_DISABLE_UDEV=1

# epochs NAME DEVICE N: N cold epochs, then all bytes compared.
epochs()
{
	fs=$1
	check "$1: mount" mount -t dsfs "$2" "$mnt"
	n=0
	while [ $n -lt "$3" ]; do
		n=$((n + 1))
		barrier
		epoch $n
		barrier
	done
	check "$1: right bytes" same_bytes
	umount "$mnt"
}

zero()
{
	dd if=/dev/zero of="$1" bs=64k count=1 2>/dev/null
}

plain_copy()
{
	barrier
	dd if="$dev" of=$local bs=4M iflag=direct oflag=direct 2>/dev/null
	barrier
	check "a plain copy: fsck.dsfs" fsck.dsfs -q $local
	epochs copy $local 1
}

# A copy that fills itself; Debian has the target in 7.2.
clone()
{
	zero $meta
	check "dm-clone over a read-only device" dmsetup create c --table \
		"0 $sectors clone $meta $local $dev 8192 1 no_hydration"
	epochs dm-clone /dev/mapper/c 1
	# What it does by itself while the device is idle, at once.
	barrier
	dmsetup message c 0 hydration_threshold 4
	dmsetup message c 0 enable_hydration
	# The 6th field of its status: hydrated/all regions.
	until dmsetup status c | awk '{ split($7, a, "/"); exit a[1] != a[2] }'; do
		sleep 1
	done
	barrier
	epochs dm-clone-done /dev/mapper/c 1
	dmsetup remove c
}

cache()
{
	zero $meta
	check "dm-cache over a read-only device" dmsetup create c --table \
		"0 $sectors cache $meta $local $dev 2048 2 writethrough no_discard_passdown smq 0"
	epochs dm-cache /dev/mapper/c 4
	dmsetup status c | sed 's/^/# dm-cache: /'
	dmsetup remove c
}

# staging IMAGE SNAP
staging()
{
	map node ,read_only "$1" "$2"
	sectors=$(blockdev --getsz "$dev")
	plain_copy
	clone
	cache
	unmap "$dev"
}
