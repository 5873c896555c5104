#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# atomics.sh DISK - how many atomic writes to what all processors share a cold file costs with
# cache=epoch and a hint, by a module of tests/cache/counted.
#
# DISK holds an image with files f1 to f60 of 100 KiB.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1
dir=$(mktemp -d)
count=/sys/module/dsfs/parameters/dsfs_atomics

# Opened twice, by who sends the hint and by who reads
hinted_and_read()
{
	mount -t dsfs -o cache=epoch "$disk" "$dir"
	before=$(cat "$count") i=1
	while [ "$i" -le 60 ]; do
		access willneed "$dir/f$i" >/dev/null
		access whole "$dir/f$i" >/dev/null
		i=$((i + 1))
	done
	writes=$(($(cat "$count") - before))
	umount "$dir"
	comment "$prog: $writes atomic writes for 60 files"
	[ "$writes" -ge 60 ] && [ "$writes" -le 300 ]
}

check "a cold file costs five atomic writes at most" hinted_and_read
rmdir "$dir"
exit $failed
