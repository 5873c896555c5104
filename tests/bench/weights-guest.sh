#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# weights-guest.sh KERNEL DEVICES FS... - the guest's side of tests/bench/weights: prints its
# rows.
#
# DEVICES: names of the function set_device below.  One file system at a time: device and page
# cache take the file twice.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

kernel=$1 devices=$2
shift 2

row()
{
	printf 'row\tweights\t%s\t%s\t%s\t%s\t%s\n' "$kernel" "$@"
}

# measure WHAT COMMAND... : cold
measure()
{
	what="$device, $1"
	shift
	leave "$fs"
	drop_caches
	mount_at "$fs" "/dev/b-$fs"
	requests=$(sum_of "$fs" 1) sectors=$(sum_of "$fs" 3)
	figures=$("$@")
	requests=$(($(sum_of "$fs" 1) - requests)) sectors=$(($(sum_of "$fs" 3) - sectors))
	echo "# $fs, $what: $figures requests=$requests sectors=$sectors"
	eval "$figures"
	# shellcheck disable=SC2154 # set by eval
	row "$what" "$fs" "$(awk "BEGIN { printf \"%.1f\", $touched / 1e6 / $seconds }")" MB/s
	row "$what" "$fs" "$requests" requests
	row "$what" "$fs" "$(awk "BEGIN { printf \"%.3f\", $sectors * 512 / $touched }")" \
		"bytes read over bytes copied"
	case $what in
	*rank*)	sums=$(printf '%s\n%s\n' "$sums" "${figures##*sum=}" | sed 's/ .*//; /^$/d' | sort -u) ;;
	esac
}

set_device()
{
	[ ! -e "/sys/block/b-$fs" ] || remove_device "$fs"
	case $device in
	'1 ms')		add_device "$fs" 1000000 ;;
	'200 MB/s')	add_device "$fs" 100000 200 ;;
	'20 ms')	add_device "$fs" 20000000 ;;
	esac
	show_device "b-$fs" "null_blk, $device"
}

load()
{
	file=/mnt/$fs/model.safetensors
	measure 'read(2) in order' mapped read 1 none "$file"
	measure '1 rank, mapped' weights mmap 1 "$file"
	measure '4 ranks, mapped' weights mmap 4 "$file"
	measure '4 ranks, MADV_WILLNEED' weights willneed 4 "$file"
	measure '4 ranks, pread(2)' weights read 4 "$file"
}

show_kernel
sums=
IFS=:
for device in $devices; do
	unset IFS
	for fs; do
		set_device
		load
		show_mount "$fs"
		leave "$fs"
		remove_device "$fs"
	done
done
# All loads copy the same bytes.
[ "$(echo "$sums" | wc -l)" -eq 1 ]
