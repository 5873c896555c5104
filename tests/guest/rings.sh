#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# rings.sh DISK - which transient pages cache=epoch drops, and when.
#
# DISK holds an image with files f1 to f60 of 100 KiB, b1 to b128 of 1 MiB, and the file streamed
# of 72 MiB.  Files are transient because reclaim has taken pages of others.
#
# Needs control groups of version 2.
set -eu
# shellcheck source=tests/guest/lib.sh
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

# A file that is larger than the control group may have is dropped behind its reader, before the
# limit has pages reclaimed.
streamed()
{
	in_group access seq "$dir/streamed" >/dev/null
	met=$(awk '/^max / { print $2 }' "$group"/memory.events)
	echo "# $prog: 72 MiB in order in 48 MiB met the limit $met times"
	[ "$met" -eq 0 ]
}

# Where transient pages of a file are dropped, admitted ones of the same file stay.
mixed()
{
	access seq "$dir/streamed" >/dev/null
	left=$(access resident "$dir/streamed" 64) end=$(access resident "$dir/streamed" 18432)
	echo "# $prog: $left of the 64 pages that were admitted, $end of the last 64 pages"
	[ "$left" -eq 64 ] && [ "$end" -eq 0 ]
}

# beside COMMAND: on a mount whose target is met, and which has admitted pages of a file
beside()
{
	mount -t dsfs -o cache=epoch "$disk" "$dir"
	access pages "$dir/streamed" 64 >/dev/null
	no_room "$dir"/b*
	sys=/sys/fs/dsfs/${disk##*/}
	comment "$prog: held $(cat "$sys/cache_held"), target $(cat "$sys/cache_target")"
	rc=0
	"$@" || rc=$?
	umount "$dir"
	return "$rc"
}

own_group memory
echo 48M >"$group"/memory.max
check "a file that is open again keeps its pages" beside reopened
check "hinted files stay beside repeated hints for one file" beside repeated
check "a large file is dropped behind its reader" beside streamed
check "what was admitted of a file stays when the rest is dropped" beside mixed
rmdir "$group" "$dir"
exit $failed
