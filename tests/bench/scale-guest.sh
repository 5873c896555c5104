#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# scale-guest.sh META COUNT FILES... - in the guest of tests/bench/scale: mount
# the image of each number of files with meta=META and look COUNT names up.
# Prints a line for each:
#
#   FILES mount=SECONDS memory=KIB requests=N cold=N cached=N miss=N
#
# META of a percentage: meta= as many bytes of all metadata.
# memory: what is not free any more when all that can be dropped is dropped.
# requests: that a cold stat() needs.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

meta=$1
count=$2
shift 2

# option FILES: of meta=
option()
{
	case $meta in
	*%)	mount -t dsfs -o ro,meta=lazy "/dev/drive/n$1" /mnt
		bytes=$(cat "/sys/fs/dsfs/$(basename "$(readlink -f "/dev/drive/n$1")")/metadata_bytes")
		umount /mnt
		echo $((bytes * ${meta%?} / 102400))K ;;
	*)	echo "$meta" ;;
	esac
}

echo "# kernel $(uname -r), $(awk '/^MemTotal/ { printf "%d MiB", $2 / 1024 }' /proc/meminfo), meta=$meta"
mkdir -p /mnt
for files in "$@"; do
	before=$(free_kib)
	from=$(cut -d ' ' -f 1 /proc/uptime)
	mount -t dsfs -o "ro,meta=$(option "$files")" "/dev/drive/n$files" /mnt
	to=$(cut -d ' ' -f 1 /proc/uptime)
	after=$(free_kib)
	requests=$(requests_of "$drives/n$files")
	lookups --once /mnt/d "$files" "$count"
	requests=$(awk -v a="$requests" -v b="$(requests_of "$drives/n$files")" -v n="$count" \
		'BEGIN { printf "%.2f", (b - a) / n }')
	found=$(lookups /mnt/d "$files" "$count")
	echo "$files mount=$(awk -v a="$from" -v b="$to" 'BEGIN { print b - a }') memory=$((before - after)) requests=$requests $found"
	umount /mnt
done
