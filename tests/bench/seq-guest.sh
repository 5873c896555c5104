#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# seq-guest.sh KERNEL MB FS... - the guest's side of tests/bench/seq: prints its
# rows.
#
# One file system at a time: a device and the page cache take the file twice.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

kernel=$1
mb=$2
shift 2

row()
{
	printf 'row\tseq\t%s\t%s\t%s\t%s\t%s\n' "$kernel" "$@"
}

# measure WHAT FS BLOCK OPTION...
measure()
{
	what=$1 subject=$2 block=$3
	shift 3
	figures=$(bench_read --block=$((block * 1024)) "$@" \
		"/mnt/${subject%-verify-off}/big/img_00000000.jpg")
	echo "# $subject, $what, reads of $block KiB: $figures"
	eval "$figures"
	# shellcheck disable=SC2154 # set by eval
	row "$what read of $mb MiB, $block KiB at a time" "$subject" "$mb_s" MB/s
}

show_kernel
for fs; do
	add_device "$fs" 1000000
	show_device "b-$fs" "null_blk of 1 ms"
	mount_at "$fs" "/dev/b-$fs"
	show_mount "$fs"
	measure cold "$fs" 128 --cold --passes=1
	measure cold "$fs" 1024 --cold --passes=1
	measure cached "$fs" 128 --passes=1
	measure cached "$fs" 1024 --passes=1
	umount "/mnt/$fs"
	# How much of it is checksums?
	if [ "$fs" = dsfs ]; then
		mount -t dsfs -o ro,verify=off /dev/b-dsfs /mnt/dsfs
		measure cold dsfs-verify-off 128 --cold --passes=1
		measure cold dsfs-verify-off 1024 --cold --passes=1
		umount /mnt/dsfs
	fi
	remove_device "$fs"
done
