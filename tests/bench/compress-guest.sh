#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# compress-guest.sh PART SUBJECTS - the part of compress that runs in the guest.
#
# cold: reads the files of /sample cold, whole, from each image.  epoch: those of /list, by 8 readers,
# from a device that moves 25 MB/s.  Prints "SUBJECT NAME=VALUE..." lines.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

part=$1 subjects=$2

cold()
{
	echo "$1 $(requests --list=/sample "/mnt/$1")"
}

# How long the last one of the readers takes
epoch()
{
	for i in $readers; do
		awk -v i="$i" 'NR % 8 == i' /list >"/list.$i"
		requests --list="/list.$i" "/mnt/$1" >"/said.$i" &
	done
	wait
	echo "$1 seconds=$(sed -n 's/.*\bseconds=\([0-9.]*\).*/\1/p' /said.* | sort -n | tail -n 1)"
}

on_image()
{
	# shellcheck disable=SC2086
	add_device "$1" $device
	mount_at "$1" "/dev/b-$1"
	show_mount "$1"
	"$part" "$1"
	umount "/mnt/$1"
	remove_device "$1"
}

readers='0 1 2 3 4 5 6 7'
device=0
[ "$part" = cold ] || device='400000 25'
show_kernel
for fs in $subjects; do
	on_image "$fs"
done
