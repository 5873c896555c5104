#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# windows.sh DISK FILE START SMALL - what a read, a fault and an advice ask of the device,
# and what they leave in the cache.
#
# DISK holds an image with FILE, of 8 MiB or more and without holes, which begins at the
# byte that the file START tells, and SMALL, which is brought in whole.  Counts are of the
# disk's statistics.
#
# Needs dmsetup and the module dm_mod.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1 big=$2 small=$4
read -r start <"$3"
dir=$(mktemp -d)
pages=2048
read_ahead=/sys/class/block/${disk##*/}/queue/read_ahead_kb
# Of the bytes that came, no more was read than these
alone='came > 0 && kib * 102400 <= came * 102'
# A chunk is read and checked once, whoever asks for its pages.
once="requests <= $((pages / 8)) && kib * 100 <= $((pages * 4 * 105))"

# A request ends, too, where its pages lie in more pieces than the disk takes: how many
# there are differs a little from time to time.
advice_of_sequence()
{
	costs 1 seq "$big" && costs "requests <= $((requests * 3 / 2))" seqadvised "$big"
}

# As many requests as without the read, and the one of the read.
window_of_faults()
{
	costs 1 faults "$big" 20 &&
		costs "requests <= $((requests + 1)) && kib <= $((kib * 5 / 4 + 128))" readfaults "$big" 20
}

# A window that the administrator has set is kept.
window_is_kept()
{
	echo 64 >"$read_ahead"
	costs 'requests >= kib / 64' mapseq "$big" && rc=0 || rc=1
	echo 128 >"$read_ahead"
	return "$rc"
}

# What a hint has charged is given back: all of them are more than may be in flight.
hints_are_given_back()
{
	for _ in $(seq 32); do
		costs 1 mapwilled "$big" >/dev/null
	done
	dropped=$(cat "/sys/fs/dsfs/${disk##*/}/stats/prefetch_dropped")
	comment "$prog: $dropped hints were dropped"
	[ "$dropped" -eq 0 ]
}

# What is in memory comes, whatever metadata is not.
cached_comes()
{
	access whole "$dir/$small" >/dev/null
	costs_as_is 'came == 4096 && requests == 0' nowait "$small"
}

# What a bad place broke a folio into leaves the cache as others do.
leaves_nothing()
{
	bad=$((start + 480 * 4096))
	table "$bad" $((bad + 4096)) error | dmsetup create bad --readonly
	mount -t dsfs /dev/mapper/bad "$dir"
	costs 'came <= 0' dontcache "$big" 512 && rc=0 || rc=1
	umount "$dir"
	dmsetup remove bad
	return "$rc"
}

check "RWF_DONTCACHE leaves nothing, where data is bad either" leaves_nothing
# The VFS' own, which newer kernels derive from the disk
echo 128 >"$read_ahead"
mount -t dsfs "$disk" "$dir"
check "POSIX_FADV_SEQUENTIAL makes no more requests" advice_of_sequence
# Chunks do not make them larger.
check "faults at random: no more than the window of the VFS" \
	costs 'kib <= requests * 128' faults "$big" 20
check "a read leaves faults their window" window_of_faults
# Requests are of that size, but for a few at the ends, and each byte is read once.
check "a mapping in order: windows grow" costs "requests <= kib / 192 + 3 && $alone" map "$big"
check "MADV_SEQUENTIAL: windows are large" costs "requests <= kib / 512 + 3 && $alone" mapseq "$big"
check "MADV_WILLNEED of a large file: all of it, by large requests" \
	costs "requests <= kib / 512 + 3 && $alone" mapwilled "$big"
check "MADV_WILLNEED of a part: that part" \
	costs "requests <= kib / 512 + 3 && $alone" mapbehind "$big"
# Where the faults go on, and not farther than a quarter of that.
check "a mapping in strides: little more than these" \
	costs 'came > 0 && kib * 102400 <= came * 125' mapstride "$big"
# As long as the window of faults, by which MADV_SEQUENTIAL is known, and are read alone.
check "random reads of a mapped file: nothing more" \
	costs 'came > 0 && kib * 102400 <= came * 150' mapreads "$big" 24
check "read_ahead_kb that was set: mappings keep it" window_is_kept
check "hints for large files are given back" hints_are_given_back
check "POSIX_FADV_RANDOM: a chunk is read once" costs "$once" pages "$big" $pages
check "MADV_RANDOM: a chunk is read once" costs "$once" pagefaults "$big" $pages
check "a mapped small file is one request" costs 'requests == 1' map "$small"
check "RWF_NOWAIT of a mapped file is one request at most" costs 'requests <= 1' mapnowait "$small"
check "a read at the end of a file asks for nothing" costs 'requests == 0' ateof "$small"
umount "$dir"
mount -t dsfs -o wholefile=0 "$disk" "$dir"
check "a small file at random: a chunk is read once" costs 'requests == 1' pagefaults "$small"
umount "$dir"
mount -t dsfs -o meta=lazy,verify=off "$disk" "$dir"
# Neither metadata nor data is asked for on the way.
waits='came < 0 && requests == 0'
# Their names and inodes stay, their metadata does not.
exec 8<"$dir/$small" 9<"$dir/$big"
check "RWF_NOWAIT does not wait for metadata" costs "$waits" nowait "$small"
check "RWF_NOWAIT with O_DIRECT does not either" costs "$waits" directnowait "$small"
check "RWF_NOWAIT gives what is cached" cached_comes
# Who asked for O_DIRECT gets it, too.
check "RWF_NOWAIT with O_DIRECT gives what is cached" costs 'came == 4096' mapdirectnowait "$small"
exec 8<&- 9<&-
umount "$dir"
mount -t dsfs -o verify=off "$disk" "$dir"
check "RWF_NOWAIT with O_DIRECT reads when metadata is resident" \
	costs 'came == 4096 && requests == 1' directnowait "$small"
umount "$dir"
mount -t dsfs -o meta=lazy "$disk" "$dir"
exec 8<"$dir/$small"
check "RWF_NOWAIT with O_DIRECT gives what is cached, verified" \
	costs 'came == 4096' mapdirectnowait "$small"
exec 8<&-
umount "$dir"
exit $failed
