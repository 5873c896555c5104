#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# dirty.sh FIRST SECOND - a mount of a device whose newest bytes are in its page cache.
#
# FIRST holds generation 1 of an image, SECOND the same image with generation 2 after it.
# Somebody holds a device with FIRST on it open and writes SECOND over it, and nobody
# flushes that.
#
# Needs dmsetup and the modules dm_mod and loop.
set -eu
. "$(dirname "$0")/lib.sh"

first=$1
second=$2
dir=$(mktemp -d)
dir2=$(mktemp -d)
scratch=$(mktemp -d)
mount -t tmpfs none "$scratch"

# Nothing but what is asked for is written back: an hour is forever here, and 0 is at once
# for a device that is new.
echo 360000 >/proc/sys/vm/dirty_writeback_centisecs
for knob in dirty_ratio dirty_background_ratio; do
	echo 90 >/proc/sys/vm/$knob
done

# A device with FIRST on it, with room behind, which descriptor 7 holds open
begin()
{
	dd if="$first" of="$scratch/image" bs=1M 2>/dev/null
	truncate -s "$(($(blockdev --getsize64 "$second") + 65536))" "$scratch/image"
	loop=$(losetup -f)
	losetup "$loop" "$scratch/image"
	exec 7<>"$loop"
}

end()
{
	exec 7>&-
	losetup -d "$loop"
}

overwrite()
{
	dd if="$second" of="$loop" bs=1M conv=notrunc 2>/dev/null
}

# What lies below the page cache is still FIRST's.
unwritten()
{
	cmp -s -n "$(blockdev --getsize64 "$first")" "$first" "$scratch/image"
}

shows()
{
	[ "$(cat "/sys/fs/dsfs/${loop##*/}/generation")" = "$1" ]
}

begin
overwrite
check "an image that was not written back" unwritten
check "is mounted" mount -t dsfs "$loop" "$dir"
check "and is what was written" shows 2
umount "$dir"
end

begin
mount -t dsfs "$loop" "$dir"
overwrite
check "an image that was not written back over a mounted one" unwritten
check "is seen by a second mount" refused EBUSY \
	"generation 1 is mounted, generation 2 was asked for" "$loop" "$dir2"
umount "$dir"
end

begin
# The last 64 KiB of it get to fail
disk=$loop bytes=$(blockdev --getsize64 "$loop")
linear | dmsetup create dirty
exec 8<>/dev/mapper/dirty
dd if=/dev/zero of=/dev/mapper/dirty bs=4096 seek=$((bytes / 4096 - 1)) count=1 conv=notrunc \
	2>/dev/null
table $((bytes - 65536)) "$bytes" error | dmsetup load dirty
silence dirty
dmsetup resume dirty
check "what cannot be written back fails the mount" refused EIO \
	"what was written to the device cannot be written back: error -5" /dev/mapper/dirty "$dir2"
exec 8>&-
dmsetup remove dirty
end
echo 500 >/proc/sys/vm/dirty_writeback_centisecs
exit $failed
