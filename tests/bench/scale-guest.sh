#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# scale-guest.sh META COUNT FILES... - in the guest of tests/bench/scale: mount
# the image of each number of files with meta=META and look COUNT names up.
# Prints a line for each:
#
#   FILES mount=SECONDS memory=KIB cold=N cached=N miss=N
#
# memory: what is not free any more when all that can be dropped is dropped.
set -eu

meta=$1
count=$2
shift 2

free_kib()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^MemFree/ { print $2 }' /proc/meminfo
}

echo "# kernel $(uname -r), $(awk '/^MemTotal/ { printf "%d MiB", $2 / 1024 }' /proc/meminfo), meta=$meta"
mkdir -p /mnt
for files in "$@"; do
	before=$(free_kib)
	from=$(cut -d ' ' -f 1 /proc/uptime)
	mount -t dsfs -o "ro,meta=$meta" "/dev/drive/n$files" /mnt
	to=$(cut -d ' ' -f 1 /proc/uptime)
	after=$(free_kib)
	found=$(lookups /mnt/d "$files" "$count")
	echo "$files mount=$(awk -v a="$from" -v b="$to" 'BEGIN { print b - a }') memory=$((before - after)) $found"
	umount /mnt
done
