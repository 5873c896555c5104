#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mmap-guest.sh KERNEL DEVICES FS... - the guest's side of tests/bench/mmap: prints its
# rows.
#
# DEVICES: names of the function devices below.  One file system at a time: device and page
# cache take the file twice.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

kernel=$1 devices=$2
shift 2

row()
{
	printf 'row\tmmap\t%s\t%s\t%s\t%s\t%s\n' "$kernel" "$@"
}

# measure WHAT PATTERN PROCESSES ADVICE [COUNT]: cold
measure()
{
	what="$device, $1"
	shift
	leave "$fs"
	drop_caches
	mount_at "$fs" "/dev/b-$fs"
	file=/mnt/$fs/big/img_00000000.jpg
	[ -e "$file" ]
	requests=$(sum_of "$fs" 1) sectors=$(sum_of "$fs" 3)
	figures=$(mapped "$1" "$2" "$3" "$file" ${4:+"$4"})
	requests=$(($(sum_of "$fs" 1) - requests)) sectors=$(($(sum_of "$fs" 3) - sectors))
	echo "# $fs, $what: $figures requests=$requests sectors=$sectors"
	eval "$figures"
	# shellcheck disable=SC2154 # set by eval
	row "$what" "$fs" "$(awk "BEGIN { printf \"%.1f\", $touched / 1e6 / $seconds }")" MB/s
	row "$what" "$fs" "$requests" requests
	row "$what" "$fs" "$(awk "BEGIN { printf \"%.3f\", $sectors * 512 / $touched }")" \
		"bytes read over bytes touched"
	# shellcheck disable=SC2154 # set by eval
	row "$what" "$fs" "$(awk "BEGIN { f = $faults; printf \"%.1f\", f ? $sectors / 2 / f : 0 }")" \
		"KiB a major fault"
}

# set_device: the one that is called $device
set_device()
{
	[ ! -e "/sys/block/b-$fs" ] || remove_device "$fs"
	case $device in
	'1 ms')		add_device "$fs" 1000000 ;;
	'4 ms')		add_device "$fs" 4000000 ;;
	'200 MB/s')	add_device "$fs" 100000 200 ;;
	esac
	show_device "b-$fs" "null_blk, $device"
}

chunks()
{
	measure 'read, 1 MiB pieces' read 1 none
	measure 'in order, 1 process' order 1 none
	measure 'in order, 4 processes' order 4 none
}

in_order()
{
	measure 'read, 1 MiB pieces' read 1 none
	measure 'in order, 1 process' order 1 none
	measure 'in order, 4 processes' order 4 none
	measure 'in order, 4 processes, MADV_SEQUENTIAL' order 4 sequential
	measure 'MADV_WILLNEED of all, then in order' order 1 willneed
	measure 'a MiB of four, 1 process' stride 1 none
	measure 'a MiB of four each, 4 processes' stride 4 none
	[ "$fs" = dsfs ] || return 0
	# These say little of the others.
	measure 'in order, 1 process, MADV_SEQUENTIAL' order 1 sequential
	measure 'MADV_WILLNEED of a quarter each, 4 processes' order 4 willneed
	measure 'POSIX_FADV_WILLNEED of all, then in order' order 1 fadvise
	measure 'a MiB of four each, 4 processes, MADV_WILLNEED' stride 4 willneed
}

at_random()
{
	measure '1024 random pages' random 1 none 1024
	measure '1024 random pages, MADV_RANDOM' random 1 random 1024
	measure '1024 random pages, hinted 64 at a time' random 1 willneed 1024
}

show_kernel
IFS=:
for device in $devices; do
	unset IFS
	for fs; do
		set_device
		case $fs in
		dsfs-*)	chunks; at_random ;;
		*)	in_order; at_random ;;
		esac
		show_mount "$fs"
		leave "$fs"
		remove_device "$fs"
	done
done
