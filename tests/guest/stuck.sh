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
here=$(dirname "$0")
prog="stuck: ${2##*/}"
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

disk=$1 file=$2 reference=$3 options=$4
mnt=$(mktemp -d)
# There is no udev here.

# waits CMD...: in the background, as $waiter; false if it ends by itself
waits()
{
	"$@" >/dev/null 2>&1 &
	waiter=$!
	until [ "$(state "$waiter")" = D ]; do
		[ -d /proc/"$waiter" ] || return 1
	done
}

# is_killed PID: without an end if it cannot be
is_killed()
{
	kill -KILL "$1"
	rc=0
	wait "$1" || rc=$?
	[ "$rc" -eq 137 ]
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

stop()
{
	drop_caches
	dmsetup suspend --noflush --nolockfs stuck
}

# go_on TABLE: the device goes on with that, for what waits, too
go_on()
{
	echo "$1" | dmsetup load --readonly stuck
	dmsetup resume stuck
}

# One reader is killed, and another one is not.
errors_in_the_end()
{
	kill_waiting cat "$mnt/$file" && waits cat "$mnt/$file" || return 1
	go_on "0 $sectors error"
	! wait "$waiter" && ! cat "$mnt/$file" >/dev/null 2>/tmp/said && grep -q 'Input/output' /tmp/said
}

# kill_all: what needs metadata that is not in memory, of files that are open.  The numbers of
# their descriptors are those below.
kill_all()
{
	exec 3<"$mnt/$file" 4<"$mnt/${file%/*}"
	for what in "kill_waiting ls -lR $mnt" "kill_both ls -lR $mnt" \
		"kill_waiting $here/yields readdir /proc/self/fd/4" \
		"kill_waiting $here/yields fiemap /proc/self/fd/3" \
		"kill_waiting $here/access whole /proc/self/fd/3" \
		"kill_waiting $here/access map /proc/self/fd/3" \
		"kill_waiting $here/access seekhole /proc/self/fd/3" \
		"kill_waiting dd if=/proc/self/fd/3 iflag=direct bs=64k" \
		"kill_hinting $here/access willneed /proc/self/fd/3"; do
		stop
		# shellcheck disable=SC2086 # words
		check "who waits for metadata is killed, $options: ${what%% "$mnt"*}" $what
		dmsetup resume stuck
	done
	exec 3<&- 4<&-
}

sectors=$(blockdev --getsz "$disk")
linear="0 $sectors linear $disk 0"
dmsetup create stuck --readonly --table "$linear"
mount -t dsfs -o "$options" /dev/mapper/stuck "$mnt"
dmsetup suspend --noflush --nolockfs stuck
check "a reader that waits for the device can be killed, $options" kill_waiting cat "$mnt/$file"
dmsetup resume stuck
case $options in
*meta=lazy*)	kill_all ;;
esac
check "the file is the same when the device goes on, $options" cmp "$mnt/$file" "$reference"
case $options in
*meta=lazy*)	;;
*)	stop
	check "a device that fails when it goes on, $options" errors_in_the_end
	dmsetup suspend --nolockfs stuck
	go_on "$linear"
	check "the file is the same when it is right, $options" cmp "$mnt/$file" "$reference" ;;
esac
umount "$mnt"
dmsetup remove stuck
rmdir "$mnt"
exit $failed
