#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# nullblk.sh NAME SOURCE [NANOSECONDS [BLOCK [MBPS]]] - a copy of a disk in memory, with the
# latency of a remote one.
#
# Makes /dev/NAME, a null_blk device of SOURCE's size that completes every
# request after NANOSECONDS (default 1,000,000, an RBD; 80,000 is an NVMe), in blocks of
# BLOCK bytes (512), of MBPS MiB a second (no limit), and copies SOURCE onto it.
# max_sectors matters: the default splits every request at 127 KiB, so that no file system
# could show one a file.  Of a limit, null_blk hands out a fiftieth of a second's worth at
# once and what is left then is lost, so that requests have to be small: 128 KiB.
#
# Needs the module null_blk and configfs.
set -eu

name=$1
source=$2
nsec=${3:-1000000}
conf=/sys/kernel/config/nullb/$name
limit=${5:-0}
max_sectors=8192
[ "$limit" -eq 0 ] || max_sectors=256

[ -d /sys/kernel/config/nullb ] || mount -t configfs none /sys/kernel/config
mkdir "$conf"
bytes=$(blockdev --getsize64 "$source")

set_to()
{
	echo "$2" >"$conf/$1"
}

set_to memory_backed 1
set_to size $(((bytes + 1048575) / 1048576))
set_to blocksize "${4:-512}"
set_to hw_queue_depth 128
set_to submit_queues 2
set_to max_sectors $max_sectors
# Only then, as the device is gone with its contents at power 0: filling it
# takes the latency too, but in a few large requests.  Direct, as an emulated
# CPU copies slowly, and a cache of it would only have to be dropped.
set_to irqmode 2
set_to completion_nsec "$nsec"
# It takes a MiB for 1048550 bytes.
set_to mbps $((limit + limit / 100))
set_to power 1
dd if="$source" of="/dev/$name" bs=4M iflag=direct oflag=direct 2>/dev/null
blockdev --flushbufs "/dev/$name"
