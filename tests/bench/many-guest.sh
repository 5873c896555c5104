#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# many-guest.sh SIZE - in the guest of tests/bench/many: mount the image with meta=lazy, and then
# with meta=SIZE, and ask for the files of /sample.  What the generator says of them is in /said, and their bytes in /bytes.
# Prints:
#
#   mount=SECONDS memory=KIB requests=N read=N
#   part_requests=N part_read=N
#
# memory: what is not free any more when all that can be dropped is dropped.
# requests: that a cold stat() needs; read: a cold stat() and read(); part_: with meta=SIZE.
set -eu

# shellcheck source=tests/bench/guest.sh
. /guest.sh

# cold CMD...: how many requests CMD needs for each file of the sample.  A command of busybox' that
# ends puts its standard input back, so xargs has a pipe.
cold()
{
	free_kib >/dev/null
	requests=$(requests_of "$drives/many")
	# shellcheck disable=SC2002 # no file, as said
	cat /sample | (cd /mnt && xargs "$@")
	requests=$(awk -v a="$requests" -v b="$(requests_of "$drives/many")" -v n="$(wc -l </sample)" \
		'BEGIN { printf "%.2f", (b - a) / n }')
}

# looked: a cold stat() and a cold read() of each file are right; sets stats and requests.
looked()
{
	cold stat -c '%n %s %Y' >/found
	cmp /found /said
	stats=$requests
	cold cat >/found
	cmp /found /bytes
}

mkdir -p /mnt
before=$(free_kib)
from=$(cut -d ' ' -f 1 /proc/uptime)
mount -t dsfs -o ro,meta=lazy /dev/drive/many /mnt
to=$(cut -d ' ' -f 1 /proc/uptime)
after=$(free_kib)
looked
echo "mount=$(awk -v a="$from" -v b="$to" 'BEGIN { print b - a }') memory=$((before - after)) requests=$stats read=$requests"
umount /mnt
mount -t dsfs -o "ro,meta=$1" /dev/drive/many /mnt
looked
echo "part_requests=$stats part_read=$requests"
umount /mnt
