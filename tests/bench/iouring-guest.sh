#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# iouring-guest.sh KERNEL FS... - the guest's side of tests/bench/iouring: prints
# its rows.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

kernel=$1
shift

row()
{
	printf 'row\tiouring\t%s\t%s\t%s\t%s\t%s\n' "$kernel" "$@"
}

show_kernel
for fs; do
	mount_at "$fs" "$drives/$fs"
	show_mount "$fs"
	figures=$(bench_ring "/mnt/$fs/big/img_00000000.jpg")
	umount "/mnt/$fs"
	echo "# $fs: $figures"
	eval "$figures"
	# shellcheck disable=SC2154 # set by eval
	row "cached 4 KiB read, io_uring, depth $depth" "$fs" "$per_read" instructions
	# shellcheck disable=SC2154
	row "worker threads" "$fs" "$workers" threads
done
