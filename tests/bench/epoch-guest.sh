#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# epoch-guest.sh NANOSECONDS EVERY ROUNDS PATTERNS SUBJECTS - the part of epoch
# that runs in the guest.
#
# Where DSFS and EROFS are both among the SUBJECTS their passes alternate, ROUNDS
# times, on two devices side by side: what disturbs the machine disturbs both.
# The others follow one by one, as their devices are memory.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

nsec=$1 every=$2 rounds=$3 patterns=$4 subjects=$5

start()
{
	add_device "$1" "$nsec"
	mount_at "$1" "/dev/b-$1"
	show_device "/dev/b-$1" "$nsec ns a request"
	show_mount "$1"
}

stop()
{
	umount "/mnt/$1"
	remove_device "$1"
}

# pass SUBJECT PATTERN ROUND
pass()
{
	requests --list=/list --every="$every" --pattern="$2" --warm "/mnt/$1" |
		sed "s/^/$1 $3 /"
}

side_by_side()
{
	start dsfs
	start erofs
	for pattern in $patterns; do
		round=1
		while [ "$round" -le "$rounds" ]; do
			pass dsfs "$pattern" "$round"
			pass erofs "$pattern" "$round"
			round=$((round + 1))
		done
	done
	stop dsfs
	stop erofs
}

alone()
{
	start "$1"
	for pattern in $patterns; do
		pass "$1" "$pattern" 1
	done
	stop "$1"
}

# No device and nothing ever cold: how fast it is without any.
in_memory()
{
	mkdir -p /mnt/tmpfs /mnt/source
	for source in $subjects; do
		[ "$source" = tmpfs ] || break
	done
	mount -t "$(fs_of "$source")" -o ro "$drives/$source" /mnt/source
	mount -t tmpfs -o size=90% none /mnt/tmpfs
	show_mount tmpfs
	awk -v n="$every" 'NR % n == 1 || n == 1' /list |
		(cd /mnt/source && cpio -o -H newc 2>/dev/null) |
		(cd /mnt/tmpfs && cpio -i -d 2>/dev/null)
	for pattern in $patterns; do
		pass tmpfs "$pattern" 1
	done
	umount /mnt/tmpfs
	umount /mnt/source
}

show_kernel
case " $subjects " in
*" dsfs erofs "*)
	side_by_side
	subjects=$(echo " $subjects " | sed 's/ dsfs / /; s/ erofs / /') ;;
esac
for fs in $subjects; do
	if [ "$fs" = tmpfs ]; then
		in_memory
	else
		alone "$fs"
	fi
done
