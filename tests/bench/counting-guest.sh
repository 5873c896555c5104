#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# counting-guest.sh KERNEL - the guest's side of tests/bench/counting: prints its rows.
#
# /modules has dsfs.ko, which is loaded, and uncounted.ko.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

kernel=$1
what='open, read and close of a cached file'

# turn SUBJECT: the module is loaded
turn()
{
	mount_at dsfs "$drives/dsfs"
	figures=$(bench_open /mnt/dsfs/d)
	echo "# $1: $figures"
	eval "$figures"
	# shellcheck disable=SC2154 # set by eval
	echo "$per_file" >>"/tmp/$1"
	echo "# $1: $(cat /sys/fs/dsfs/*/stats/opens) opens counted"
	umount /mnt/dsfs
	rmmod dsfs
}

show_kernel
for round in 1 2 3; do
	[ $round = 1 ] || insmod /modules/dsfs.ko
	turn dsfs
	insmod /modules/uncounted.ko
	turn uncounted
done
for subject in dsfs uncounted; do
	printf 'row\tcounting\t%s\t%s\t%s\t%s\tinstructions\n' "$kernel" "$what" $subject \
		"$(sort -g /tmp/$subject | sed -n 2p)"
done
# As it was found
insmod /modules/dsfs.ko
