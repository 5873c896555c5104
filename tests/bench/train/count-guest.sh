#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# count-guest.sh SAMPLES AHEAD SUBJECTS - the part of count that runs in the guest: a line
# for each pass, SUBJECT PATTERN AHEAD NAME=VALUE...
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

samples=$1 ahead=$2 subjects=$3

# Packed formats are on ext4, and have one way of being read.
pass()
{
	case $1 in
	pack)	form=pack list=/pack ;;
	shards)	form=shards list=/shards ;;
	*)	form=$2 list=/files ;;
	esac
	drop_caches
	echo "$1 $2 $3 $(reader --ahead="$3" --samples="$samples" "$form" "$list" "/mnt/$1")"
}

show_kernel
for fs in $subjects; do
	add_device "$fs" 0
	type=$fs
	case $fs in
	pack|shards)	type=ext4 ;;
	esac
	mkdir -p "/mnt/$fs"
	mount -t "$type" -o ro "/dev/b-$fs" "/mnt/$fs"
	show_device "/dev/b-$fs" "0 ns a request"
	show_mount "$fs"
	for pattern in pil whole; do
		pass "$fs" "$pattern" 0
		pass "$fs" "$pattern" "$ahead"
	done
	umount "/mnt/$fs"
	remove_device "$fs"
done
