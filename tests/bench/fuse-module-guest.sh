#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# fuse-module-guest.sh TREE SUBJECTS - the guest's side of tests/bench/fuse-module: prints its
# rows.  The clock counts instructions.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

tree=$1 subjects=$2
dev=/dev/b-dsfs

# mount_by SUBJECT
mount_by()
{
	mkdir -p "/mnt/$1"
	case $1 in
	dsfs)		mount -t dsfs -o ro $dev /mnt/dsfs ;;
	dsfs-fuse)	dsfs-fuse $dev /mnt/dsfs-fuse ;;
	esac
}

# unmount SUBJECT: a daemon ends with its mount, and lets go of the device.
unmount()
{
	umount "/mnt/$1"
	while pidof dsfs-fuse >/dev/null; do
		usleep 10000
	done
}

# pass SUBJECT PATTERN [OPTION]: sets files and rate of each line of requests, and requests
# of the device, as a mount by FUSE has none of its own.
pass()
{
	blockdev --flushbufs $dev
	before=$(requests_of $dev)
	requests --first=2000 --pattern="$2" ${3:+"$3"} "/mnt/$1" | sed 's/ max_sectors_kb.*//' >/tmp/pass
	asked=$(($(requests_of $dev) - before))
	sed "s/^/# $1: /" /tmp/pass
}

# per_file CACHE: nanoseconds, which are instructions
per_file()
{
	awk -v cache="cache=$1" '$2 == cache { for (i = 3; i <= NF; i++) {
		split($i, v, "="); if (v[1] == "files_per_second") printf "%.0f\n", 1e9 / v[2] } }' /tmp/pass
}

files_read()
{
	sed -n 's/.* files=\([0-9]*\) .*/\1/p' /tmp/pass | sed -n 1p
}

count_instructions()
{
	mount_by "$1"
	pass "$1" whole --warm
	row "$tree: cold file read whole" "$1" "$(per_file cold)" instructions
	row "$tree: cached file read whole" "$1" "$(per_file warm)" instructions
	pass "$1" pil
	row "$tree: cold file read by PIL" "$1" "$(per_file cold)" instructions
	pass "$1" stat
	row "$tree: name looked up" "$1" "$(per_file cold)" instructions
	unmount "$1"
}

wait_for_device()
{
	mount_by "$1"
	pass "$1" pil
	row "$tree: requests of 1 ms, PIL" "$1" \
		"$(awk -v n="$asked" -v f="$(files_read)" 'BEGIN { printf "%.3f\n", n / f }')" requests/file
	row "$tree: requests of 1 ms, time, PIL" "$1" \
		"$(per_file cold | awk '{ printf "%.3f\n", $1 / 1e6 }')" ms/file
	unmount "$1"
}

show_kernel
for nsec in 0 1000000; do
	add_device dsfs $nsec
	show_device $dev "$nsec ns a request"
	for subject in $subjects; do
		case $nsec in
		0)	count_instructions "$subject" ;;
		*)	wait_for_device "$subject" ;;
		esac
	done
	remove_device dsfs
done
