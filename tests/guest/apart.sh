#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# apart.sh NEST LIST DISK META OTHER - mounts that do not wait for each other.
#
# NEST holds an image with inner.dsfs in it, whose listing is LIST: an image on a file of
# an image, where a completion that waited for a device would wait for another one behind
# it.  The metadata of DISK's image, at the byte that the file META tells, does
# not answer while OTHER, on which healthy images are, is read and unmounted.
#
# Needs dmsetup and the modules dm_mod and loop.
set -eu
. "$(dirname "$0")/lib.sh"

nest=$1 list=$2 disk=$3 other=$5
read -r meta_from <"$4"
outer=$(mktemp -d) inner=$(mktemp -d) third=$(mktemp -d)
files=$(mktemp)
# Far more than the slowest machine takes for what does not hang
patience=300

# ends PID: it does, in time; says where it waits if not.
ends()
{
	until=$(($(cut -d . -f 1 /proc/uptime) + patience))
	while kill -0 "$1" 2>/dev/null; do
		if [ "$(cut -d . -f 1 /proc/uptime)" -gt "$until" ]; then
			sed "s/^/# $prog: /" "/proc/$1/stack"
			return 1
		fi
		usleep 20000
	done
	wait "$1"
}

inner_is_right()
{
	listing "$inner" >/tmp/list && cmp -s /tmp/list "$list"
}

# Readahead of many files at once, with no metadata in memory.
nested()
{
	loop=$(losetup -f)
	losetup -r "$loop" "$outer/inner.dsfs"
	mount -t dsfs -o "meta=lazy,$1" "$loop" "$inner"
	find "$inner" -type f -size +0 | sort >"$files"
	# Pages go, inodes stay: the next thing that is asked for is data.
	echo 1 >/proc/sys/vm/drop_caches
	while read -r file; do
		access willneed "$file" >/dev/null &
	done <"$files"
	wait
	inner_is_right &
	ends $! || return 1
	umount "$inner"
	losetup -d "$loop"
}

loops()
{
	cat /sys/block/loop*/loop/backing_file 2>/dev/null
}

killed_loop()
(
	dm=$outer/inner.dsfs dir=$inner
	killed_mount loop,ro
)

# A device whose data answers and whose metadata does not, when "meta" is suspended
make_stuck()
{
	sectors=$(blockdev --getsz "$disk")
	from=$((meta_from / 512))
	echo "0 $((sectors - from)) linear $disk $from" | dmsetup create meta --readonly
	table "$meta_from" $((sectors * 512)) linear /dev/mapper/meta 0 |
		dmsetup create stuck --readonly
}

# Fills whatever the mounts share: readers that wait, and completions.
get_stuck()
{
	find "$inner" -type f | sort | head -n 14 >"$files"
	while read -r file; do
		[ -s "$file" ]
	done <"$files"
	echo 1 >/proc/sys/vm/drop_caches
	access seekhole "$(head -n 1 "$files")" >/dev/null
	silence meta
	stuck=
	while read -r file; do
		access willneed "$file" >/dev/null &
		stuck="$stuck $!"
	done <"$files"
	# Each has asked for all that it can, or waits.
	for pid in $stuck; do
		until [ "$(state "$pid")" = D ] || ! kill -0 "$pid" 2>/dev/null; do
			:
		done
	done
}

healthy()
{
	cat "$outer/inner.dsfs" >/dev/null &
	ends $!
}

unmounts()
{
	umount "$third" &
	ends $!
}

all_read()
{
	while read -r file; do
		cat "$file" || return 1
	done <"$files" >/dev/null
}

mount -t dsfs "$nest" "$outer"
for opts in wholefile=0 wholefile=1M; do
	check "an image on a file of an image, $opts" nested "$opts"
done
umount "$outer"

# Who mounts it by a loop of his own is killed.
disk=$nest
linear | dmsetup create slow --readonly
mount -t dsfs /dev/mapper/slow "$outer"
silence slow
check "a mount by a loop whose file does not answer is killed" killed_loop
check "what it asked for keeps the loop" [ "$(loops)" = "$outer/inner.dsfs" ]
dmsetup resume slow
until [ -z "$(loops)" ]; do :; done
umount "$outer"
dmsetup remove slow

disk=$3
make_stuck
mount -t dsfs -o wholefile=0 "$nest" "$outer"
mount -t dsfs "$other" "$third"
mount -t dsfs -o meta=lazy /dev/mapper/stuck "$inner"
get_stuck
check "a mount is read while another one's device is stuck" healthy
check "a mount goes while another one's device is stuck" unmounts
dmsetup resume meta
wait
check "the stuck one goes on" all_read
umount "$inner"
umount "$outer"
dmsetup remove stuck
dmsetup remove meta
exit $failed
