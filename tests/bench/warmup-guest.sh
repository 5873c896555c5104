#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# warmup-guest.sh KERNEL ROUNDS MIB - the guest's side of tests/bench/warmup: prints its
# rows, and a line "time" for each run of those that are compared.
#
# MIB: how much of the disk "native" is data.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

kernel=$1 rounds=$2 mib=$3

row()
{
	printf 'row\twarmup\t%s\t%s\t%s\t%s\t%s\n' "$kernel" "$@"
}

# count DEVICE FIELD: of its statistics
count()
{
	awk -v n="$2" '{ print $n }' "/sys/block/$1/stat"
}

# timed SUBJECT CMD...: cold
timed()
{
	subject=$1
	shift
	drop_caches
	blockdev --flushbufs /dev/b-native
	requests=$(count b-native 1) sectors=$(count b-native 3)
	ns=$(elapsed "$@")
	requests=$(($(count b-native 1) - requests))
	kib=$((($(count b-native 3) - sectors) / 2))
	printf 'time\t%s\t%s\n' "$subject" "$ns"
	echo "# round $round: $subject: $requests requests, $kib KiB, $((ns / 1000000)) ms"
}

compare()
{
	sh /nullblk.sh b-native "$drives/native" 1000000
	show_device b-native "null_blk of 1 ms"
	mkdir -p /mnt/native
	mount -t dsfs -o ro /dev/b-native /mnt/native
	for round in $(seq "$rounds"); do
		timed warmup dsfs warmup -q /mnt/native
		row "round $round: requests" warmup "$requests" requests
		timed dd dd if=/dev/b-native of=/dev/null bs=1M count="$mib"
		row "round $round: requests" dd "$requests" requests
		timed 'dd direct' dd if=/dev/b-native of=/dev/null bs=1M iflag=direct count="$mib"
		row "round $round: requests" 'dd direct' "$requests" requests
	done
	dsfs warmup --json /mnt/native | tr -d '\n' | sed 's/^/# warmup, what the last one left: /'
	echo
	umount /mnt/native
	echo 0 >/sys/kernel/config/nullb/b-native/power
	rmdir /sys/kernel/config/nullb/b-native
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
	requests=$(count b-few 1)
	dsfs readahead -q --limit=none --filelist=/tmp/list
	dsfs warmup -q --filelist=/tmp/list
	row "$1" "$2-byte blocks" "$(a_file $(($(count b-few 1) - requests)))" requests/file
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
	echo 0 >/sys/kernel/config/nullb/b-few/power
	rmdir /sys/kernel/config/nullb/b-few
}

show_kernel
compare
orders 512
orders 4096
