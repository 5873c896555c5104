#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# hints.sh DISK LIST - what POSIX_FADV_WILLNEED, readahead(2) and MADV_WILLNEED have read.
#
# DISK holds an image with the files of LIST, of more bytes than hints may have in flight,
# which is a part of memory.  What is read is told by the counters of the mount, and by
# those of a device that does not answer until it is told to.
#
# Needs dmsetup and the modules dm_mod and dm_delay.
set -eu
here=$(dirname "$0")
prog=hints
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

disk=$1 list=$2
dir=$(mktemp -d)
dm=/dev/mapper/hints
sectors=$(blockdev --getsz "$disk")
linear="0 $sectors linear $disk 0"
echo "$linear" | dmsetup create hints --readonly
name=$(dmsetup info -c --noheadings -o blkdevname hints)

count()
{
	cat "/sys/fs/dsfs/$name/stats/$1"
}

# Of the device, but for those that metadata takes
data_requests()
{
	echo $(($(disk_count "/dev/$name" 1) - $(count requests_metadata)))
}

# files FROM N
files()
{
	tail -n +"$1" "$list" | head -n "$2" | sed "s|^|$dir/|"
}

# One request each, one use each, nothing else.
hinted_by()
{
	drop_caches
	issued=$(count prefetch_issued) used=$(count prefetch_used)
	whole=$(count requests_whole) ahead=$(count requests_ahead)
	requests=$(data_requests)
	for file in $(files 1 8); do
		access "$1" "$file" >/dev/null
	done
	[ $(($(count prefetch_issued) - issued)) -eq 8 ] &&
		[ $(($(count prefetch_used) - used)) -eq "$2" ] || return 1
	for file in $(files 1 8); do
		access whole "$file" >/dev/null
	done
	[ $(($(count prefetch_used) - used)) -eq 8 ] &&
		[ $(($(count requests_whole) - whole + $(count requests_ahead) - ahead)) -eq 8 ] &&
		[ $(($(data_requests) - requests)) -eq 8 ]
}

# What is there is not read again, and what is to be read at random not at all.
hinted_twice()
{
	issued=$(count prefetch_issued) requests=$(disk_count "/dev/$name" 1)
	for file in $(files 1 8); do
		access willneed "$file" >/dev/null
	done
	[ "$(count prefetch_issued)" -eq "$issued" ] &&
		[ "$(disk_count "/dev/$name" 1)" -eq "$requests" ]
}

# A hint for a file that somebody is about to read: he may not have asked for all of it yet.
joined()
{
	drop_caches
	file=$(files 1 1)
	: <"$file"
	requests=$(data_requests)
	echo "0 $sectors delay $disk 0 600000" | become
	access pages "$file" 1 >/dev/null &
	pid=$!
	until [ "$(state "$pid")" = D ] || ! kill -0 "$pid"; do :; done
	access willneed "$file" >/dev/null
	echo "$linear" | become
	wait
	[ $(($(data_requests) - requests)) -eq 1 ]
}

# Of a device that does not answer: hints do not wait, and end where the limit is.
bounded()
{
	drop_caches
	for file in $(files 1 1000); do
		: <"$file"
	done
	dropped=$(count prefetch_dropped)
	# Ten minutes, or until it becomes another one; a suspended one fails readahead.
	echo "0 $sectors delay $disk 0 600000" | become
	for file in $(files 1 1000); do
		access willneed "$file" >/dev/null
	done
	dropped=$(($(count prefetch_dropped) - dropped))
	echo "$linear" | become
	echo "# $prog: 1000 files, $dropped dropped"
	[ "$dropped" -gt 0 ] && [ "$dropped" -lt 990 ]
}

# When these have come there is room for others.
again()
{
	files 1 1000 | xargs cat >/dev/null
	issued=$(count prefetch_issued)
	for file in $(files 1001 8); do
		access willneed "$file" >/dev/null
	done
	[ $(($(count prefetch_issued) - issued)) -eq 8 ]
}

# issued_by UID FROM N: how many of these hints were not dropped
issued_by()
{
	issued=$(count prefetch_issued)
	for file in $(files "$2" "$3"); do
		access willneedby "$file" "$1" >/dev/null
	done
	issued=$(($(count prefetch_issued) - issued))
}

# A user who sent more hints than the device answers leaves room for another's, and gets
# none of it.
fair()
{
	drop_caches
	for file in $(files 1 1020); do
		: <"$file"
	done
	echo "0 $sectors delay $disk 0 600000" | become
	issued_by 0 1 1000
	first=$issued
	issued_by 1000 1001 10
	second=$issued
	issued_by 0 1011 10
	echo "$linear" | become
	echo "# $prog: $first of 1000 files of one user, then $second of 10 of another, $issued of 10 of the first"
	[ "$first" -gt 0 ] && [ "$first" -lt 1000 ] && [ "$second" -eq 10 ] && [ "$issued" -eq 0 ]
}

# By eight processes at once: together no more than an eighth of memory, and a sector a file
bounded_together()
{
	drop_caches
	for file in $(files 1 1000); do
		: <"$file"
	done
	issued=$(count prefetch_issued) bytes=$(count bytes_whole)
	echo "0 $sectors delay $disk 0 600000" | become
	for from in 1 126 251 376 501 626 751 876; do
		for file in $(files "$from" 125); do
			access willneed "$file" >/dev/null
		done &
	done
	wait
	issued=$(($(count prefetch_issued) - issued)) bytes=$(($(count bytes_whole) - bytes))
	echo "$linear" | become
	limit=$(awk '$1 == "MemTotal:" { print $2 * 1024 / 8 }' /proc/meminfo)
	echo "# $prog: eight processes: $issued files, $bytes bytes, limit $limit"
	[ "$issued" -gt 0 ] && [ "$issued" -lt 1000 ] && [ "$bytes" -le $((limit + issued * 512)) ]
}

hint_all()
{
	for file in $(files 1 40); do
		access willneed "$file" >/dev/null
	done
}

# What was read for somebody who has not come yet is there when he comes, and not for ever.
stays()
{
	# shellcheck disable=SC2046 # no blanks
	no_room $(files 100 400)
	transient=$(count cache_transient) used=$(count prefetch_used)
	hint_all
	# By another open, which reads nothing
	hint_all
	requests=$(data_requests)
	for file in $(files 1 40); do
		access whole "$file" >/dev/null
	done
	transient=$(($(count cache_transient) - transient))
	again=$(($(data_requests) - requests))
	used=$(($(count prefetch_used) - used))
	left=0
	for file in $(files 1 40); do
		[ "$(access resident "$file")" -eq 0 ] || left=$((left + 1))
	done
	echo "# $prog: $transient of 40 files are transient, $used used, $again requests, $left cached"
	[ "$transient" -gt 30 ] && [ "$again" -eq 0 ] && [ "$used" -eq 40 ] && [ "$left" -lt 30 ]
}

for opts in wholefile=1M wholefile=0; do
	mount -t dsfs -o cache=epoch,$opts $dm "$dir"
	check "what was read ahead stays until it is read, $opts" stays
	umount "$dir"
done
for opts in cache=lru cache=epoch meta=lazy; do
	mount -t dsfs -o $opts $dm "$dir"
	check "POSIX_FADV_WILLNEED reads a file with one request, $opts" hinted_by willneed 0
	check "readahead(2) does, $opts" hinted_by readahead 0
	# A mapping is a use.
	check "MADV_WILLNEED does, $opts" hinted_by madvise 8
	check "what is cached is not read again, $opts" hinted_twice
	# Metadata that is not in memory is waited for, whoever wants it.
	[ $opts = meta=lazy ] || {
		check "a hint does not add a request to one in flight, $opts" joined
		check "hints do not wait for the device, nor go beyond a limit, $opts" bounded
		check "hints go on when the device does, $opts" again
		check "a user's hints leave room for another's, $opts" fair
		check "hints of many processes do not go beyond the limit, $opts" bounded_together
	}
	umount "$dir"
done
dmsetup remove hints
rmdir "$dir"
exit $failed
