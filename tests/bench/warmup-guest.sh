#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# warmup-guest.sh ROUNDS MIB - the guest's side of tests/bench/warmup: prints its rows, the
# time of each run of those that are compared among them.
#
# MIB: how much of the disk "native" is data.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

rounds=$1 mib=$2

# timed SUBJECT CMD...: cold
timed()
{
	subject=$1
	shift
	drop_caches
	blockdev --flushbufs /dev/b-native
	requests=$(requests_of /dev/b-native) sectors=$(requests_of /dev/b-native 3)
	ns=$(elapsed "$@")
	requests=$(($(requests_of /dev/b-native) - requests))
	kib=$((($(requests_of /dev/b-native 3) - sectors) / 2))
	row "round $round: time" "$subject" "$ns" ns
	row "round $round: requests" "$subject" "$requests" requests
	echo "# round $round: $subject: $requests requests, $kib KiB, $((ns / 1000000)) ms"
}

compare()
{
	add_device native 1000000
	show_device b-native "null_blk of 1 ms"
	mkdir -p /mnt/native
	mount -t dsfs -o ro /dev/b-native /mnt/native
	for round in $(seq "$rounds"); do
		timed warmup dsfs warmup -q /mnt/native
		timed dd dd if=/dev/b-native of=/dev/null bs=1M count="$mib"
		timed 'dd direct' dd if=/dev/b-native of=/dev/null bs=1M iflag=direct count="$mib"
	done
	dsfs warmup --json /mnt/native | tr -d '\n' | sed 's/^/# warmup, what the last one left: /'
	echo
	umount /mnt/native
	remove_device native
}

# a_file REQUESTS
a_file()
{
	awk -v n="$1" -v files="$(wc -l </tmp/device)" 'BEGIN { printf "%.3f\n", n / files }'
}

# plugged_row WHAT BLOCKS: of the list on standard input
plugged_row()
{
	cat >/tmp/list
	drop_caches
	plugged 32 </tmp/list >/tmp/plugged
	echo "# $1, blocks of $2: $(cat /tmp/plugged)"
	row "$1" "$2-byte blocks" "$(a_file "$(sed 's/.*requests=\([0-9]*\).*/\1/' /tmp/plugged)")" requests/file
}

alone_row()
{
	cat >/tmp/list
	drop_caches
	requests=$(requests_of /dev/b-few)
	dsfs readahead -q --limit=none --filelist=/tmp/list
	dsfs warmup -q --filelist=/tmp/list
	row "$1" "$2-byte blocks" "$(a_file $(($(requests_of /dev/b-few) - requests)))" requests/file
}

orders()
{
	sh /nullblk.sh b-few "$drives/fewer" 1000000 "$1"
	show_device b-few "null_blk of 1 ms, blocks of $1"
	mkdir -p /mnt/few
	mount -t dsfs -o ro /dev/b-few /mnt/few
	dsfs order --sorted /mnt/few >/tmp/device
	dsfs order --window=all --seed=1 /mnt/few >/tmp/true
	alone_row 'each file alone, true shuffle' "$1" </tmp/true
	alone_row 'each file alone, order of the device' "$1" </tmp/device
	plugged_row '32 together, true shuffle' "$1" </tmp/true
	# 512 and 4,096 files of that size.  Pieces of a byte are a true shuffle, in windows.
	for window in 5M 40M; do
		for piece in 1 64K 1M; do
			dsfs order --ahead --window=$window --piece=$piece --seed=1 /mnt/few >/tmp/ahead
			plugged_row "32 together, dsfs order --ahead --window=$window --piece=$piece" "$1" </tmp/ahead
		done
	done
	plugged_row '32 together, order of the device' "$1" </tmp/device
	umount /mnt/few
	remove_device few
}

show_kernel
compare
orders 512
orders 4096
