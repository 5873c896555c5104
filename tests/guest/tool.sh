#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tool.sh DISK LIST - what the commands of dsfs(8) do with a mount.
#
# DISK holds an image, LIST names its files by where they lie, which is not by name.  Counts are
# of the disk's statistics.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1 list=$2
dir=$(mktemp -d) bind=$(mktemp -d) tmp=$(mktemp -d) over=$(mktemp -d)
files=$(wc -l <"$list")
mkfifo "$tmp/said" "$tmp/pipe"

# member NAME: of the report in $tmp/json
member()
{
	sed -n "s/^\"$1\":\([0-9a-z]*\),*$/\1/p" "$tmp/json"
}

warmup()
{
	dsfs warmup --json "$@" >"$tmp/json"
}

read_all()
{
	find "$dir" -type f -exec cat {} + >/dev/null
}

warm_from_cold()
{
	drop_caches
	asks warmup "$dir" || return 1
	echo "# $prog: warmup of $files files: $requests requests"
	[ "$requests" -eq "$files" ] && [ "$(member files)" -eq "$files" ] &&
		[ "$(member placed_files)" -eq "$files" ] && [ "$(member read_bytes)" -eq "$(member bytes)" ] &&
		[ "$(member cached_bytes)" -eq 0 ] && [ "$(member left_bytes)" -eq 0 ]
}

all_there()
{
	asks read_all && [ "$requests" -eq 0 ]
}

warm_again()
{
	asks warmup "$dir" && [ "$requests" -eq 0 ] && [ "$(member read_bytes)" -eq 0 ] &&
		[ "$(member cached_bytes)" -eq "$(member bytes)" ]
}

# A part of it was there.
warm_rest()
{
	drop_caches
	head -n 7 "$list" | sed "s,^,$dir/," >"$tmp/seven"
	warmup --filelist="$tmp/seven" || return 1
	seven=$(member bytes)
	asks warmup "$dir" && [ "$requests" -eq $((files - 7)) ] &&
		[ "$(member cached_bytes)" -eq "$seven" ]
}

# record CMD...: what is opened meanwhile, in $tmp/trace
record()
{
	dsfs trace -o "$tmp/trace" "$dir" 2>"$tmp/said" &
	recorder=$!
	exec 3<"$tmp/said"
	good=1
	read -r said <&3 && "$@" || good=0
	kill -TERM "$recorder"
	wait "$recorder" || good=0
	exec 3<&-
	echo "# $prog: trace: $said"
	[ "$good" -eq 1 ]
}

open_by_name()
{
	while read -r file; do
		: <"$bind/$file" || return 1
	done <"$tmp/opened"
}

# Of all first opens, wherever else it is mounted, by their order
traced()
{
	sort "$list" >"$tmp/names"
	{ cat "$tmp/names"; head -n 3 "$list"; } >"$tmp/opened"
	record open_by_name && cmp "$tmp/names" "$tmp/trace"
}

# That is what warmup reads, from the first to the last.
in_physical_order()
{
	dsfs order --sorted "$dir" | sed "s,^$dir/,," | cmp - "$list"
}

# asked COUNT: so many requests since $before, or far more time than that takes
asked()
{
	until=$(($(cut -d . -f 1 /proc/uptime) + 60))
	while [ $(($(disk_count "$disk" 1) - before)) -lt "$1" ]; do
		[ "$(cut -d . -f 1 /proc/uptime)" -lt "$until" ] || return 1
		usleep 1000
	done
}

read_ahead()
{
	dsfs readahead --json --filelist="$tmp/all" >"$tmp/json" && asked "$files" && read_all
}

# Nobody waits for what was asked for: who reads it does, and asks for nothing more.
ahead()
{
	sed "s,^,$dir/," "$list" >"$tmp/all"
	drop_caches
	before=$(disk_count "$disk" 1)
	asks read_ahead || return 1
	echo "# $prog: readahead of $files files: $requests requests"
	[ "$requests" -eq "$files" ] && [ "$(member files)" -eq "$files" ]
}

# What is in the pipe is asked for while the other end is open.
ahead_of_pipe()
{
	drop_caches
	before=$(disk_count "$disk" 1)
	dsfs readahead --filelist=- <"$tmp/pipe" >/dev/null &
	asker=$!
	exec 4>"$tmp/pipe"
	head -n 1 "$tmp/all" >&4
	good=1
	asked 1 || good=0
	exec 4>&-
	wait "$asker" && [ "$good" -eq 1 ]
}

# As containers have it
warm_overlay()
{
	mkdir -p "$tmp/empty"
	mount -t overlay overlay -o "lowerdir=$dir:$tmp/empty" "$over" || return 1
	drop_caches
	warmup "$over"
	cold=$(member cached_bytes) left=$(member left_bytes)
	warmup "$over"
	echo "# $prog: warmup of an overlay: $cold bytes there, $left left, again $(member cached_bytes)"
	umount "$over"
	[ "$cold" -eq 0 ] && [ "$left" -eq 0 ] && [ "$(member cached_bytes)" -eq "$(member bytes)" ]
}

mount -t dsfs "$disk" "$dir"
mount --bind "$dir" "$bind"
check "warmup: a request a file, and all of it stays" warm_from_cold
check "warmup: nothing is left to read" all_there
check "warmup: what is there already is told, and not read" warm_again
check "warmup: the rest of what is there in part" warm_rest
check "warmup: what is there is seen through an overlay, too" warm_overlay
check "trace: first opens in their order" traced
check "order --sorted: files by where they lie" in_physical_order
check "readahead: a request a file, and readers make none" ahead
check "readahead: names from a pipe are asked for as they come" ahead_of_pipe
umount "$bind"
umount "$dir"
exit $failed
