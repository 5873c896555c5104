#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# rings.sh DISK - which pages cache=epoch drops, and when; whose losses count; hints of large files.
#
# DISK holds an image with files f1 to f60 of 100 KiB, b1 to b128 of 1 MiB, the file streamed
# of 72 MiB, and told, of 60 MiB, compressed to less than a third.  Files are transient because
# reclaim has taken pages of others.
#
# Needs control groups of version 2.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1
dir=$(mktemp -d)

# each WAY FROM TO: by a process each
each()
{
	i=$2
	while [ "$i" -le "$3" ]; do
		access "$1" "$dir/f$i" >/dev/null
		i=$((i + 1))
	done
}

# Files that are closed after it push a file out of the ring of closed files, unless it was
# opened again.
reopened()
{
	note_counts
	each whole 1 20
	alone=$(grown cache_transient)
	each whole 21 21
	alone=$(($(grown cache_transient) - alone))
	exec 3<"$dir/f21"
	each whole 22 50
	left=$(access resident "$dir/f21") gone=0
	exec 3<&-
	for i in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(access resident "$dir/f$i")" -gt 0 ] || gone=$((gone + 1))
	done
	transient=$(grown cache_transient)
	comment "$prog: $transient of 50 files are transient, $left pages of the open one," \
		"$gone of 10 closed ones are gone"
	[ "$transient" -ge 45 ] && [ "$alone" -eq 1 ] && [ "$left" -gt 0 ] && [ "$gone" -ge 5 ]
}

# again FILE N: N hints for it
again()
{
	i=0
	while [ "$i" -lt "$2" ]; do
		access willneed "$1" >/dev/null
		i=$((i + 1))
	done
}

# A file that is hinted again and again waits for its use, and the others with it.
repeated()
{
	note_counts
	each willneed 1 40
	repeats=$(awk '/^MemTotal/ { print int($2 / 16 / 100) + 40 }' /proc/meminfo)
	again "$dir/f41" "$repeats"
	bytes=$(grown bytes_whole)
	each whole 1 40
	bytes=$(($(grown bytes_whole) - bytes))
	transient=$(grown cache_transient)
	comment "$prog: $transient of 41 files are transient, $repeats hints for one," \
		"$bytes bytes read again"
	[ "$transient" -ge 36 ] && [ "$bytes" -eq 0 ]
}

# reclaimed_by POLICY FILE COMMAND...: how many pages reclaim takes from a control group which is full
# with what it had admitted, and then reads a file in order; and what that asks of the device
reclaimed_by()
{
	mount -t dsfs -o "cache=$1" "$disk" "$dir"
	file=$2
	shift 2
	in_group cat "$dir"/b[3-9]? >/dev/null
	full=$(reclaimed)
	asks in_group "$@" "$dir/$file" >/dev/null
	pages=$(($(reclaimed) - full))
	umount "$dir"
}

# A file that is larger than the control group may have is dropped behind its reader, so that less
# is reclaimed, and not in front of one who is slower than the device, so that nothing is read again.
# streamed FILE COMMAND...
streamed()
{
	reclaimed_by lru "$@"
	lru=$pages once=$kib
	reclaimed_by epoch "$@"
	comment "$prog: $1 in order has $pages pages reclaimed, $kib KiB read, with cache=lru $lru, $once"
	[ $((pages * 4)) -le $((lru * 3)) ] && [ $((kib * 100)) -le $((once * 102)) ]
}

# Where transient pages of a file are dropped, admitted ones of the same file stay.
mixed()
{
	access seq "$dir/streamed" >/dev/null
	left=$(access resident "$dir/streamed" 64) more=$(access resident "$dir/streamed" 5000)
	comment "$prog: $left of the 64 pages that were admitted, $more of 64 that were not"
	[ "$left" -eq 64 ] && [ "$more" -eq 0 ]
}

# opens N FILE...: each N times
opens()
{
	n=$1
	shift
	while [ "$n" -gt 0 ]; do
		for file; do
			: <"$file"
		done
		n=$((n - 1))
	done
}

# What `cat FILE...` asks of the device: $kib
asked()
{
	asks cat "$@" >/dev/null
}

# As long as there is room, nobody has the files of others dropped, by whatever he opens: those of
# b1 to b60 that are read again then.
opened_by_another()
{
	mount -t dsfs -o cache=epoch "$disk" "$dir"
	cat "$dir"/b? "$dir"/b[1-5]? >/dev/null
	opens 3000 "$dir/f1"
	opens 400 "$dir/f2" "$dir/f3"
	cat "$dir"/f* "$dir"/b9? >/dev/null
	asked "$dir"/b? "$dir"/b[1-5]?
	umount "$dir"
	comment "$prog: $kib of 60416 KiB are read again"
	[ "$kib" -eq 0 ]
}

# reclaimed: how many pages reclaim has taken from the control group
reclaimed()
{
	awk '/^pgsteal / { print $2 }' "$group"/memory.stat
}

# By who has room, of a memory cgroup, not by who has none
beside_a_small_group()
{
	mount -t dsfs -o cache=epoch "$disk" "$dir"
	for i in 1 2 3; do
		in_group cat "$dir"/b6? "$dir"/b7? "$dir"/b8? >/dev/null
		cat "$dir"/b? "$dir"/b[1-3]? >/dev/null
		opens 30 "$dir"/f?
	done
	asked "$dir"/b? "$dir"/b[1-3]?
	held=$(cat "$sys/cache_held")
	mount -o remount,cache=lru "$dir"
	lru=$(cat "$sys/cache_held")
	umount "$dir"
	comment "$prog: $kib of 39936 KiB are read again, held $held, with cache=lru $lru"
	[ "$kib" -le 1997 ] && [ "$held" -ge 40894464 ] && [ "$lru" -eq 0 ]
}

# Read 30 MiB again and again, until it is said that this is enough
looping()
{
	while [ -e /tmp/looping ]; do
		cat "$dir"/b6? "$dir"/b7? "$dir"/b8? >/dev/null
	done
}

# kept_beside N: the pages that a job keeps beside N readers of a memory cgroup that has no room for
# what they read, while they read; each epoch of the job lasts until reclaim has taken 4,000 pages of it
kept_beside()
{
	mount -t dsfs -o cache=epoch "$disk" "$dir"
	: >/tmp/looping
	i=0
	while [ "$i" -lt "$1" ]; do
		in_group looping &
		i=$((i + 1))
	done
	for i in 1 2 3; do
		enough=$(($(reclaimed) + ($1 ? 4000 : 0)))
		cat "$dir"/b? "$dir"/b[1-3]? >/dev/null
		while [ "$(reclaimed)" -lt "$enough" ]; do
			cat "$dir"/b? "$dir"/b[1-3]? >/dev/null
		done
	done
	rm /tmp/looping
	wait
	asked "$dir"/b? "$dir"/b[1-3]?
	umount "$dir"
	kept=$((9984 - kib / 4))
}

beside_looping()
{
	kept_beside 0
	alone=$kept
	kept_beside 1
	one=$kept
	kept_beside 3
	comment "$prog: $alone pages are kept alone, $one beside a reader of the group, $kept beside three"
	[ "$alone" -ge 9000 ] && [ $((one * 100)) -ge $((alone * 95)) ] &&
		[ $((kept * 100)) -ge $((alone * 95)) ]
}

# A file that a job has open is not dropped while there is room, whatever is opened meanwhile:
# by descriptors from before, as to open it again is a use.
open_all_the_time()
{
	mount -t dsfs -o cache=epoch "$disk" "$dir"
	exec 3<"$dir/streamed" 4<"$dir/streamed" 5<"$dir/streamed"
	cat <&3 >/dev/null
	opens 250 "$dir"/f[1-4]
	cat "$dir"/b? "$dir"/f2? >/dev/null
	asked <&4
	first=$kib
	opens 250 "$dir"/f[5-8]
	cat "$dir"/b1? "$dir"/f3? >/dev/null
	asked <&5
	exec 3<&- 4<&- 5<&-
	umount "$dir"
	comment "$prog: $first and $kib of 73728 KiB of the open file are read again"
	[ "$first" -eq 0 ] && [ "$kib" -eq 0 ]
}

# Who has no room drops what is stale, a piece in each read; not what is open.
stale()
{
	mount -t dsfs -o cache=epoch "$disk" "$dir"
	access pages "$dir/streamed" 18432 >/dev/null
	exec 3<"$dir/b9"
	no_room "$dir"/b*
	opens 4 "$dir"/f* "$dir"/b[1-8] "$dir"/b??*
	first=$(cat "$sys/cache_held") most=0 all=0 i=1
	while [ "$i" -le 60 ]; do
		access whole "$dir/f$i" >/dev/null
		held=$(cat "$sys/cache_held")
		dropped=$((first - held)) first=$held i=$((i + 1))
		[ "$dropped" -le 0 ] || all=$((all + dropped))
		[ "$dropped" -le "$most" ] || most=$dropped
	done
	left=$(access resident "$dir/b9" 256)
	exec 3<&-
	umount "$dir"
	comment "$prog: $all bytes are dropped, by a read at most $most; $left of 64 pages of the open file are left"
	[ "$all" -gt 0 ] && [ "$most" -le $((8 << 20)) ] && [ "$left" -eq 64 ]
}

# Hints for what is cached take nothing of what a user may have in flight.
uncharged()
{
	mount -t dsfs "$disk" "$dir"
	cat "$dir/streamed" >/dev/null
	note_counts
	again "$dir/streamed" 40
	access willneed "$dir/b1" >/dev/null
	issued=$(grown prefetch_issued)
	umount "$dir"
	comment "$prog: $issued hint was not for what is cached"
	[ "$issued" -eq 1 ]
}

# beside COMMAND: on a mount whose target is met, not lost with a few pages, and which has admitted pages of a file
beside()
{
	mount -t dsfs -o cache=epoch "$disk" "$dir"
	access pages "$dir/streamed" 64 >/dev/null
	no_room "$dir"/b*
	held=$(cat "$sys/cache_held") target=$(cat "$sys/cache_target") rc=0
	comment "$prog: held $held, target $target"
	[ "$target" -gt $((held / 2)) ] || rc=1
	"$@" || rc=$?
	umount "$dir"
	return "$rc"
}

sys=/sys/fs/dsfs/${disk##*/}
check "who opens few files has none of others dropped" opened_by_another
own_group memory
echo 8M >"$group"/memory.max
check "a memory cgroup without room has no file of others read again" beside_a_small_group
check "nor while it reads: a job keeps .95 of the pages that it keeps alone" beside_looping
check "a file that is open all the time is not read again" open_all_the_time
check "hints for what is cached leave room for others" uncharged
check "what is stale goes in pieces, what is open stays" stale
echo 48M >"$group"/memory.max
check "a file that is open again keeps its pages" beside reopened
check "hinted files stay beside repeated hints for one file" beside repeated
check "a large file is dropped behind its reader" streamed streamed access seq
check "what was admitted of a file stays when the rest is dropped" beside mixed
# Windows of 256 KiB that are stored, of up to a MiB in memory
queue=/sys/block/${disk##*/}/queue
echo 64 >"$queue/max_sectors_kb"
echo 4 >"$queue/nr_requests"
check "and a compressed one, whose windows are longer" streamed told sha512sum
rmdir "$group" "$dir"
exit $failed
