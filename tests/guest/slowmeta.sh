#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# slowmeta.sh MANY FLAT NAMES BYTES - metadata that comes slowly, or cannot be
# read: what is asked of the device, and whether who waits can be killed.
#
# MANY and FLAT hold mktree's trees of these names; FLAT's names lie at NAMES, BYTES of
# them.  Nothing here depends on time but how far a program that is killed had come,
# which is told by requests: a slow device takes one only after the other.
#
# Needs dmsetup and the modules dm_mod, dm_delay and overlay.
set -eu
. "$(dirname "$0")/lib.sh"

many=$1 flat=$2 names=$3 bytes=$4
dir=$(mktemp -d)
dm=/dev/mapper/slowmeta

begin()
{
	disk=$1
	linear | dmsetup create slowmeta --readonly
	# Requests that failed count, too.
	counted=/dev/$(name_of slowmeta)
}

end()
{
	dmsetup remove slowmeta
}

# --- handles -----------------------------------------------------------------------------

# A directory at the end of a large one: its handle leads to its name.
reconnects()
{
	handles save "$dir/dirs/9999" /tmp/handles
	umount "$dir"
	mount -t dsfs -o "$1" "$dm" "$dir"
	asks handles open "$dir" /tmp/handles >/tmp/opened
	comment "$prog: $requests requests"
	grep -q '^same=1 other=0 stale=0 failed=0' /tmp/opened
}

file_pages()
{
	sed -n 's/^nr_file_pages //p' /proc/vmstat
}

# Names far from each other: nothing is in the page cache that was not read.
keeps_what_it_reads()
{
	drop_caches
	note_counts
	pages=$(file_pages)
	for i in $(seq 100 331 9999); do
		[ -e "$dir/dirs/$i" ] || return 1
	done
	pages=$(($(file_pages) - pages)) read=$(($(grown bytes_metadata) / 4096))
	comment "$prog: $pages pages for $read that were read"
	[ $((pages * 10)) -le $((read * 11)) ] && [ "$read" -gt 50 ]
}

begin "$many"
mount -t dsfs -o meta=lazy $dm "$dir"
check "metadata that is in the page cache was read" keeps_what_it_reads
umount "$dir"
for opts in meta=lazy meta=resident; do
	mount -t dsfs -o $opts $dm "$dir"
	check "a directory among many by its handle, $opts" reconnects $opts
	umount "$dir"
done

# --- a slow device: who waits can be killed --------------------------------------------

# killed MOST CMD...: CMD is killed when it has come some way; it ends before it has
# made MOST requests, which it would have made.
killed()
{
	most=$1
	shift
	before=$(disk_count "$counted" 1)
	"$@" >/dev/null 2>&1 &
	pid=$!
	# Early enough that what is in flight then is not all of it
	some=$((most / 6))
	[ "$some" -le 8 ] || some=8
	until [ $(($(disk_count "$counted" 1) - before)) -ge "$some" ]; do
		[ -d /proc/"$pid" ] || { echo "# $prog: $* ended by itself"; return 1; }
	done
	is_killed "$pid" || return 1
	made=$(($(disk_count "$counted" 1) - before))
	comment "$prog: $made requests of $most"
	[ "$made" -lt $((most / 2)) ]
}

mount -t dsfs -o meta=lazy $dm "$dir"
# Two layers: names are read for overlayfs, which does not look at signals itself.
empty=$(mktemp -d)
both=$(mktemp -d)
names_by_overlay()
{
	drop_caches
	mount -t overlay -o "lowerdir=$dir/dirs:$empty" none "$both"
}

names_by_overlay
asks yields readdir "$both" >/dev/null
blocks=$requests
umount "$both"
names_by_overlay
# The extent records of the file take 64 pages.
ls -l "$dir/sparse" >/dev/null
whole "delay $disk 0 40" | become
check "FIEMAP of a file in many pieces is killed" killed 64 \
	yields fiemap "$dir/sparse"
check "a large directory below overlayfs is killed" killed $((blocks * 3 / 2)) \
	yields readdir "$both"
umount "$both"
umount "$dir"
end

# --- metadata that cannot be read at mount ---------------------------------------------

# Behind the first names
some=$((names + 65536)) end=$((names + bytes))
blocks=$((bytes / 4096))
begin "$flat"
asks mount -t dsfs $dm "$dir"
good=$requests
all=$(yields readdir "$dir")
umount "$dir"
table $some $end error | become
check "a mount goes on without blocks that cannot be read" asks mount -t dsfs $dm "$dir"
tries=$((requests - good))
echo "# $prog: $tries requests more, for $blocks blocks"
check "none of them is tried again" [ $tries -le 8 -a $blocks -gt 2000 ]
bad=$(cat "/sys/fs/dsfs/${counted##*/}/metadata_bad_blocks")
check "all are counted" [ "$bad" -ge $((blocks - 16)) -a "$bad" -le $((blocks + 64)) ]
said=" $bad blocks of metadata are unreadable or damaged"
check "and said at once" [ "$(dmesg | grep -c "$said")" -eq 1 ]
linear | become
check "and read when they are needed" [ "$(yields readdir "$dir")" = "$all" ]
umount "$dir"
end
exit $failed
