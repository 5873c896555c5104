#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# stat-guest.sh SUBJECTS SIZES - the guest's side of tests/bench/stat: prints its rows.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

subjects=$1 sizes=$2

show_kernel
echo "# clock: $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
for fs in $subjects; do
	case $fs in
	floor)	mount_at "$fs" none ;;
	*)	mount_at "$fs" "$drives/$fs" ;;
	esac
	show_mount "$fs"
	for size in $sizes; do
		# A floor's root has all names, in whatever directory they were.
		case $fs in
		floor)	figures=$(bench_stat --files=2100 "/mnt/$fs") ;;
		*)	[ -d "/mnt/$fs/d$size.0" ] || continue
			figures=$(bench_stat --files="$size" "/mnt/$fs/d$size".*) ;;
		esac
		echo "# $fs, $size files: $figures"
		eval "$figures"
		# shellcheck disable=SC2154 # set by eval
		row "stat, $size files a directory" "$fs" "$above" instructions
		# shellcheck disable=SC2154
		row "cached stat, $size files a directory" "$fs" "$cached" instructions
	done
	umount "/mnt/$fs"
done
