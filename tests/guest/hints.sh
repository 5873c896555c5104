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
. "$(dirname "$0")/lib.sh"

disk=$1 list=$2
dir=$(mktemp -d)
dm=/dev/mapper/hints
linear | dmsetup create hints --readonly
counted=/dev/$(name_of hints)

# Requests that were not for metadata
data_requests()
{
	echo $(($(grown disk) - $(grown requests_metadata)))
}

# files FROM N
files()
{
	tail -n +"$1" "$list" | head -n "$2" | sed "s|^|$dir/|"
}

# each WAY FROM N [COUNT]: read that way
each()
{
	for file in $(files "$2" "$3"); do
		access "$1" "$file" ${4:+"$4"} >/dev/null
	done
}

# silent N: nothing is cached of the first files but their names, and the device does not answer:
# for ten minutes, or until it becomes another one; a suspended one fails readahead.
silent()
{
	drop_caches
	for file in $(files 1 "$1"); do
		: <"$file"
	done
	note_counts
	whole "delay $disk 0 600000" | become
}

# One request each, nothing else.
hinted_by()
{
	drop_caches
	note_counts
	each "$1" 1 8
	[ "$(grown prefetch_issued)" -eq 8 ] || return 1
	each whole 1 8
	[ $(($(grown requests_whole) + $(grown requests_ahead))) -eq 8 ] &&
		[ "$(data_requests)" -eq 8 ]
}

# What is there is not read again, and what is to be read at random not at all.
hinted_twice()
{
	note_counts
	each willneed 1 8
	[ "$(grown prefetch_issued)" -eq 0 ] && [ "$(grown disk)" -eq 0 ]
}

# A hint for a file that somebody is about to read: he may not have asked for all of it yet.
joined()
{
	silent 1
	access pages "$(files 1 1)" 1 >/dev/null &
	pid=$!
	until [ "$(state "$pid")" = D ] || ! kill -0 "$pid"; do :; done
	each willneed 1 1
	linear | become
	wait
	[ "$(data_requests)" -eq 1 ]
}

# Of a device that does not answer: hints do not wait, and end where the limit is.
bounded()
{
	silent 1000
	each willneed 1 1000
	dropped=$(grown prefetch_dropped)
	linear | become
	comment "$prog: 1000 files, $dropped dropped"
	[ "$dropped" -gt 0 ] && [ "$dropped" -lt 990 ]
}

# When these have come there is room for others.
again()
{
	files 1 1000 | xargs cat >/dev/null
	note_counts
	each willneed 1001 8
	[ "$(grown prefetch_issued)" -eq 8 ]
}

# A user who sent more hints than the device answers leaves room for another's, and gets
# none of it.
fair()
{
	silent 1020
	each willneedby 1 1000 0
	first=$(grown prefetch_issued)
	each willneedby 1001 10 1000
	second=$(grown prefetch_issued)
	each willneedby 1011 10 0
	issued=$(grown prefetch_issued)
	linear | become
	comment "$prog: $first of 1000 files of one user, with 10 of another $second, with 10 more $issued"
	[ "$first" -gt 0 ] && [ "$first" -lt 1000 ] && [ "$second" -eq $((first + 10)) ] &&
		[ "$issued" -eq "$second" ]
}

# By eight processes at once: together no more than an eighth of memory, and a sector a file
bounded_together()
{
	silent 1000
	for from in 1 126 251 376 501 626 751 876; do
		each willneed "$from" 125 &
	done
	wait
	issued=$(grown prefetch_issued) bytes=$(grown bytes_whole)
	linear | become
	limit=$(awk '$1 == "MemTotal:" { print $2 * 1024 / 8 }' /proc/meminfo)
	comment "$prog: eight processes: $issued files, $bytes bytes, limit $limit"
	[ "$issued" -gt 0 ] && [ "$issued" -lt 1000 ] && [ "$bytes" -le $((limit + issued * 512)) ]
}

# What was read for somebody who has not come yet is there when he comes, and not for ever.
stays()
{
	# shellcheck disable=SC2046 # no blanks
	no_room $(files 100 400)
	note_counts
	each willneed 1 40
	# By another open, which reads nothing
	each willneed 1 40
	read_ahead=$(data_requests)
	each whole 1 40
	again=$(($(data_requests) - read_ahead)) left=0
	for file in $(files 1 40); do
		[ "$(access resident "$file")" -eq 0 ] || left=$((left + 1))
	done
	comment "$prog: $(grown cache_transient) of 40 files are transient," \
		"$again requests, $left cached"
	[ "$(grown cache_transient)" -gt 30 ] && [ "$again" -eq 0 ] &&
		[ "$left" -lt 30 ]
}

for opts in wholefile=1M wholefile=0; do
	mount -t dsfs -o cache=epoch,$opts $dm "$dir"
	check "what was read ahead stays until it is read, $opts" stays
	umount "$dir"
done
for opts in cache=lru cache=epoch meta=lazy; do
	mount -t dsfs -o $opts $dm "$dir"
	check "POSIX_FADV_WILLNEED reads a file with one request, $opts" hinted_by willneed
	check "readahead(2) does, $opts" hinted_by readahead
	check "MADV_WILLNEED does, $opts" hinted_by madvise
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
exit $failed
