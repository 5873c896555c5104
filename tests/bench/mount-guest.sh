#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# mount-guest.sh NANOSECONDS ROUNDS START BYTES PART SUBJECTS - the part of mount
# that runs in the guest.
#
# START and BYTES: where the metadata of DSFS' image lies.  PART: what of the
# tree find walks, from its root.  Prints "SUBJECT WHAT VALUE" lines.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

nsec=$1 rounds=$2 start=$3 bytes=$4 part=$5 subjects=$6

fresh()
{
	drop_caches
	blockdev --flushbufs "$1"
}

# A mount as it is, and how many requests it took.
mounted()
{
	fresh "/dev/b-$1"
	before=$(requests_of "/dev/b-$1")
	mkdir -p "/mnt/$1"
	echo "$1 mount_ns $(elapsed mount -t "$(fs_of "$1")" -o ro "/dev/b-$1" "/mnt/$1")"
	echo "$1 mount_requests $(($(requests_of "/dev/b-$1") - before))"
}

# The same bytes, read as fast as one reader can.
copied()
{
	fresh /dev/b-dsfs
	before=$(requests_of /dev/b-dsfs)
	# shellcheck disable=SC2086
	ns=$(elapsed dd if=/dev/b-dsfs of=/dev/null bs=1M iflag=skip_bytes,count_bytes$2 \
		skip="$start" count="$bytes" status=none)
	echo "$1 dd_ns $ns"
	echo "$1 dd_requests $(($(requests_of /dev/b-dsfs) - before))"
}

compare()
{
	round=1
	while [ "$round" -le "$rounds" ]; do
		mounted dsfs
		umount /mnt/dsfs
		copied buffered ""
		copied direct ,direct
		round=$((round + 1))
	done
}

# found SUBJECT HOW ARG...
found()
{
	fs=$1 how=$2
	shift 2
	before=$(requests_of "/dev/b-$fs")
	# shellcheck disable=SC2086
	ns=$(cd "/mnt/$fs" && elapsed gfind $part "$@")
	echo "$fs ${how}_ns $ns"
	echo "$fs ${how}_requests $(($(requests_of "/dev/b-$fs") - before))"
}

# Dentries and inodes go, pages stay; freed in the background, so wait.
forget()
{
	echo 2 >/proc/sys/vm/drop_caches
	sleep 2
}

finds()
{
	mounted "$1"
	show_mount "$1"
	found "$1" names_new
	forget
	found "$1" names
	forget
	found "$1" attributes_new -size +1
	forget
	found "$1" attributes -size +1
	# shellcheck disable=SC2086
	(cd "/mnt/$1" && echo "$1 entries $(gfind $part | wc -l)")
	umount "/mnt/$1"
}

show_kernel
for fs in $subjects; do
	add_device "$fs" "$nsec"
	show_device "/dev/b-$fs" "$nsec ns a request"
done
case " $subjects " in
*" dsfs "*) compare ;;
esac
for fs in $subjects; do
	finds "$fs"
done
