#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mapped-guest.sh DEVICES FILE FS... - the guest's side of tests/bench/mmap and weights: prints
# their rows.
#
# DEVICES: names that set_device knows, with ":" between them.  /loads has a line for each
# measurement of FILE, "SUBJECTS|WHAT|ARGUMENTS of mapped|COUNT"; SUBJECTS is a pattern.  One file
# system at a time: device and page cache take the file twice.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

devices=$1 path=$2
shift 2

# set_device: the one that is called $device
set_device()
{
	case $device in
	*' MB/s')	add_device "$fs" 100000 "${device% *}" ;;
	*' ms')		add_device "$fs" "${device% *}000000" ;;
	esac
	show_device "b-$fs" "null_blk, $device"
}

# measure WHAT ARGUMENTS COUNT: cold
measure()
{
	what="$device, $1"
	leave "$fs"
	drop_caches
	mount_at "$fs" "/dev/b-$fs"
	requests=$(requests_of "/dev/b-$fs") sectors=$(requests_of "/dev/b-$fs" 3)
	# shellcheck disable=SC2086 # words
	figures=$(mapped $2 "/mnt/$fs/$path" $3)
	requests=$(($(requests_of "/dev/b-$fs") - requests))
	sectors=$(($(requests_of "/dev/b-$fs" 3) - sectors))
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
	# shellcheck disable=SC2154 # set by eval
	[ "$sum" = 0 ] || [ "$sum" = "${copied:=$sum}" ]
}

show_kernel
copied=
IFS=:
for device in $devices; do
	unset IFS
	for fs; do
		set_device
		while IFS='|' read -r subjects what arguments count; do
			# shellcheck disable=SC2254 # a pattern
			case $fs in
			$subjects)	measure "$what" "$arguments" "$count" ;;
			esac
		done </loads
		show_mount "$fs"
		leave "$fs"
		remove_device "$fs"
	done
done
