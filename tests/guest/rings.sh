#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# rings.sh DISK - which pages of files without room cache=epoch drops, and when.
#
# DISK holds an image with files f1 to f60 of 100 KiB, the file streamed of 72 MiB, and the
# file large of 256 MiB, nearly all of it a hole.  Files have no room because they are read in a memory cgroup that has
# none.
#
# Needs control groups of version 2.
set -eu
here=$(dirname "$0")
prog=rings
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

disk=$1
dir=$(mktemp -d)
name=${disk##*/}
group=/sys/fs/cgroup/rings

count()
{
	cat "/sys/fs/dsfs/$name/stats/$1"
}

# crowded COMMAND [ARG...]: in the cgroup
crowded()
(
	read -r pid _ </proc/self/stat
	echo "$pid" >"$group"/cgroup.procs
	"$@"
)

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
	drop_caches
	transient=$(count cache_transient)
	crowded each whole 1 20
	crowded each whole 21 21
	exec 3<"$dir/f21"
	crowded each whole 22 50
	left=$(access resident "$dir/f21") gone=$(access resident "$dir/f22")
	exec 3<&-
	transient=$(($(count cache_transient) - transient))
	echo "# $prog: $transient of 50 files without room, $left pages of the open one, $gone of a closed one"
	[ "$transient" -eq 50 ] && [ "$left" -gt 0 ] && [ "$gone" -eq 0 ]
}

# A file that is read range by range waits for its reader without the pages of a whole file.
beside_large()
{
	drop_caches
	transient=$(count cache_transient) used=$(count prefetch_used) issued=$(count prefetch_issued)
	crowded each willneed 1 40
	access willneedpages "$dir/large" 4 >/dev/null
	bytes=$(count bytes_whole)
	each whole 1 40
	bytes=$(($(count bytes_whole) - bytes))
	transient=$(($(count cache_transient) - transient))
	used=$(($(count prefetch_used) - used)) issued=$(($(count prefetch_issued) - issued))
	echo "# $prog: $transient of 40 files without room, $issued hinted, $used used, $bytes bytes read again"
	[ "$transient" -eq 40 ] && [ "$used" -eq 40 ] && [ "$bytes" -eq 0 ]
}

met()
{
	awk '/^max / { print $2 }' "$group"/memory.events
}

# A large file is dropped behind its reader, before the limit has pages reclaimed.
streamed()
{
	drop_caches
	echo 48M >"$group"/memory.max
	met=$(met)
	crowded access seq "$dir/streamed" >/dev/null
	met=$(($(met) - met))
	echo "# $prog: 72 MiB in order in 48 MiB met the limit $met times"
	[ "$met" -eq 0 ]
}

[ -e /sys/fs/cgroup/cgroup.controllers ] || mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p "$group"
echo 8M >"$group"/memory.max
mount -t dsfs -o cache=epoch "$disk" "$dir"
check "a file that is open again keeps its pages" reopened
check "hinted files stay beside a hint of a part of a large file" beside_large
check "a large file is dropped behind its reader" streamed
umount "$dir"
rmdir "$group" "$dir"
exit $failed
