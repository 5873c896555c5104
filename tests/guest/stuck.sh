#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# stuck.sh DISK FILE REFERENCE OPTIONS - a device that does not answer.
#
# Mounts DISK through the device mapper, suspends that, lets a program read FILE
# (a path in the image) and kills it while it waits.  It has to be gone before
# the device goes on; then FILE has to be what REFERENCE is.  The same with a device that fails
# what it was asked when it goes on: who was not killed gets the error.  With meta=lazy the same
# of all that waits for metadata.
#
# Needs dmsetup and the module dm_mod.
set -eu
prog="stuck: ${2##*/}"
. "$(dirname "$0")/lib.sh"

disk=$1 file=$2 reference=$3 options=$4
dir=$(mktemp -d)
dm=/dev/mapper/stuck

# waits CMD...: in the background, as $waiter; false if it ends by itself
waits()
{
	"$@" >/dev/null 2>&1 &
	waiter=$!
	until [ "$(state "$waiter")" = D ]; do
		[ -d /proc/"$waiter" ] || return 1
	done
}

kill_waiting()
{
	waits "$@" && is_killed "$waiter"
}

# Another one waits for the same metadata; he who does not read it is killed first.
kill_both()
{
	waits "$@" && one=$waiter && waits "$@" && is_killed "$waiter" && is_killed "$one"
}

# A hint waits and can be killed, or is dropped.
kill_hinting()
{
	waits "$@" || return 0
	is_killed "$waiter"
}

# A worker of io_uring waits, not who submits.
only_submits()
{
	access ring "$1" >/tmp/asked &
	waiter=$!
	until [ -s /tmp/asked ]; do
		[ "$(state "$waiter")" != D ] || return 1
	done
	is_killed "$waiter"
}

stop()
{
	drop_caches
	silence $dm
}

# The device goes on with the table on stdin, for what waits, too.
go_on()
{
	dmsetup load --readonly stuck
	dmsetup resume stuck
}

# One reader is killed, and another one is not.
errors_in_the_end()
{
	kill_waiting cat "$dir/$file" && waits cat "$dir/$file" || return 1
	whole error | go_on
	! wait "$waiter" && ! cat "$dir/$file" >/dev/null 2>/tmp/said && grep -q 'Input/output' /tmp/said
}

# kill_all: what needs metadata that is not in memory, of files that are open.  The numbers of
# their descriptors are those below.
kill_all()
{
	exec 3<"$dir/$file" 4<"$dir/${file%/*}"
	for what in "kill_waiting ls -lR $dir" "kill_both ls -lR $dir" \
		"kill_waiting yields readdir /proc/self/fd/4" \
		"kill_waiting yields fiemap /proc/self/fd/3" \
		"kill_waiting access whole /proc/self/fd/3" \
		"kill_waiting access map /proc/self/fd/3" \
		"kill_waiting access seekhole /proc/self/fd/3" "only_submits /proc/self/fd/3" \
		"kill_waiting dd if=/proc/self/fd/3 iflag=direct bs=64k" \
		"kill_hinting access willneed /proc/self/fd/3"; do
		stop
		# shellcheck disable=SC2086 # words
		check "who waits for metadata is killed, $options: ${what%% "$dir"*}" $what
		dmsetup resume stuck
	done
	exec 3<&- 4<&-
}

linear | dmsetup create stuck --readonly
mount -t dsfs -o "$options" $dm "$dir"
silence $dm
check "a reader that waits for the device can be killed, $options" kill_waiting cat "$dir/$file"
dmsetup resume stuck
case $options in
*meta=lazy*)	kill_all ;;
esac
check "the file is the same when the device goes on, $options" cmp "$dir/$file" "$reference"
case $options in
*meta=lazy*)	;;
*)	stop
	check "a device that fails when it goes on, $options" errors_in_the_end
	dmsetup suspend --nolockfs stuck
	linear | go_on
	check "the file is the same when it is right, $options" cmp "$dir/$file" "$reference" ;;
esac
umount "$dir"
dmsetup remove stuck
exit $failed
