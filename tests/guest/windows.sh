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
here=$(dirname "$0")
prog=windows
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

disk=$1 big=$2 small=$4
read -r start <"$3"
dir=$(mktemp -d)
pages=2048

# cost WAY FILE [COUNT]: sets requests and kib, with a cold cache, and came.
cost()
{
	drop_caches
	cost_as_is "$@"
}

cost_as_is()
{
	way=$1 file=$2
	shift 2
	requests=$(disk_count "$disk" 1) kib=$(disk_count "$disk" 3)
	came=$("$here/access" "$way" "$dir/$file" "$@")
	requests=$(($(disk_count "$disk" 1) - requests))
	kib=$((($(disk_count "$disk" 3) - kib) / 2))
	echo "# $prog: $way $file: $came, $requests requests, $kib KiB"
}

# A request ends, too, where its pages lie in more pieces than the disk takes: how many
# there are differs a little from time to time.
advice_of_sequence()
{
	cost seq "$big"
	plain=$requests
	cost seqadvised "$big"
	[ "$requests" -le $((plain * 3 / 2)) ]
}

# As many requests as without the read, and the one of the read.
window_of_faults()
{
	cost faults "$big" 20
	plain=$requests plain_kib=$kib
	cost readfaults "$big" 20
	[ "$requests" -le $((plain + 1)) ] && [ "$kib" -le $((plain_kib * 5 / 4 + 128)) ]
}

# Chunks do not make them larger.
bytes_of_faults()
{
	cost faults "$big" 20
	[ "$kib" -le $((requests * 128)) ]
}

# nothing_more PERCENT: of the bytes that came
nothing_more()
{
	[ "$came" -gt 0 ] && [ $((kib * 102400)) -le $((came * $1)) ]
}

# in_order WAY KIB: requests are of that size, but for a few at the ends, and each byte is
# read once.
in_order()
{
	cost "$1" "$big"
	[ "$requests" -le $((kib / $2 + 3)) ] && nothing_more 102
}

# Where the faults go on, and not farther than a quarter of that.
in_strides()
{
	cost mapstride "$big"
	nothing_more 125
}

# As long as the window of faults, by which MADV_SEQUENTIAL is known, and are read alone.
reads_of_a_mapped_file()
{
	cost mapreads "$big" 24
	nothing_more 150
}

# A window that the administrator has set is kept.
window_is_kept()
{
	echo 64 >"/sys/class/block/${disk##*/}/queue/read_ahead_kb"
	cost mapseq "$big"
	echo 128 >"/sys/class/block/${disk##*/}/queue/read_ahead_kb"
	[ "$requests" -ge $((kib / 64)) ]
}

# What a hint has charged is given back: all of them are more than may be in flight.
hints_are_given_back()
{
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32; do
		cost mapwilled "$big" >/dev/null
	done
	dropped=$(cat "/sys/fs/dsfs/${disk##*/}/stats/prefetch_dropped")
	echo "# $prog: $dropped hints were dropped"
	[ "$dropped" -eq 0 ]
}

# A chunk is read and checked once, whoever asks for its pages.
each_chunk_once()
{
	cost "$1" "$big" "$pages"
	[ "$requests" -le $((pages / 8)) ] && [ $((kib * 100)) -le $((pages * 4 * 105)) ]
}

costs_nothing()
{
	cost "$1" "$2"
	[ "$requests" -eq 0 ]
}

one_request()
{
	cost "$1" "$2"
	[ "$requests" -eq 1 ]
}

# Nothing is waited for: neither metadata nor data is asked for on the way.
would_wait()
{
	cost "$1" "$small"
	[ "$came" = EAGAIN ] && [ "$requests" -eq 0 ]
}

# What is in memory comes, whatever metadata is not.
cached_comes()
{
	"$here/access" whole "$dir/$small" >/dev/null
	cost_as_is nowait "$small"
	[ "$came" = 4096 ] && [ "$requests" -eq 0 ]
}

# Who asked for O_DIRECT gets it, too.
cached_comes_direct()
{
	cost mapdirectnowait "$small"
	[ "$came" = 4096 ]
}

# With resident metadata a direct read needs nothing that it would wait for.
direct_comes()
{
	cost directnowait "$small"
	[ "$came" = 4096 ] && [ "$requests" -eq 1 ]
}

# What a bad place broke a folio into leaves the cache as others do.
leaves_nothing()
{
	sectors=$(blockdev --getsz "$disk")
	bad=$(((start + 480 * 4096) / 512))
	printf '0 %s linear %s 0\n%s 8 error\n%s %s linear %s %s\n' "$bad" "$disk" "$bad" \
		$((bad + 8)) $((sectors - bad - 8)) "$disk" $((bad + 8)) |
		dmsetup create bad --readonly
	mount -t dsfs /dev/mapper/bad "$dir"
	came=$("$here/access" dontcache "$dir/$big" 512)
	echo "# $prog: dontcache $big: $came pages left"
	umount "$dir"
	dmsetup remove bad
	[ "$came" = EOPNOTSUPP ] || [ "$came" -eq 0 ]
}

# There is no udev here.
check "RWF_DONTCACHE leaves nothing, where data is bad either" leaves_nothing
# The VFS' own, which newer kernels derive from the disk
echo 128 >"/sys/class/block/${disk##*/}/queue/read_ahead_kb"
mount -t dsfs "$disk" "$dir"
check "POSIX_FADV_SEQUENTIAL makes no more requests" advice_of_sequence
check "faults at random: no more than the window of the VFS" bytes_of_faults
check "a read leaves faults their window" window_of_faults
check "a mapping in order: windows grow" in_order map 192
check "MADV_SEQUENTIAL: windows are large" in_order mapseq 512
check "MADV_WILLNEED of a large file: all of it, by large requests" in_order mapwilled 512
check "MADV_WILLNEED of a part: that part" in_order mapbehind 512
check "a mapping in strides: little more than these" in_strides
check "random reads of a mapped file: nothing more" reads_of_a_mapped_file
check "read_ahead_kb that was set: mappings keep it" window_is_kept
check "hints for large files are given back" hints_are_given_back
check "POSIX_FADV_RANDOM: a chunk is read once" each_chunk_once pages
check "MADV_RANDOM: a chunk is read once" each_chunk_once pagefaults
check "a mapped small file is one request" one_request map "$small"
check "RWF_NOWAIT does not wait for a mapped file" would_wait mapnowait
check "a read at the end of a file asks for nothing" costs_nothing ateof "$small"
umount "$dir"
mount -t dsfs -o wholefile=0 "$disk" "$dir"
check "a small file at random: a chunk is read once" one_request pagefaults "$small"
umount "$dir"
mount -t dsfs -o meta=lazy,verify=off "$disk" "$dir"
# Their names and inodes stay, their metadata does not.
exec 8<"$dir/$small" 9<"$dir/$big"
check "RWF_NOWAIT does not wait for metadata" would_wait nowait
check "RWF_NOWAIT with O_DIRECT does not either" would_wait directnowait
check "RWF_NOWAIT gives what is cached" cached_comes
check "RWF_NOWAIT with O_DIRECT gives what is cached" cached_comes_direct
exec 8<&- 9<&-
umount "$dir"
mount -t dsfs -o verify=off "$disk" "$dir"
check "RWF_NOWAIT with O_DIRECT reads when metadata is resident" direct_comes
umount "$dir"
mount -t dsfs -o meta=lazy "$disk" "$dir"
exec 8<"$dir/$small"
check "RWF_NOWAIT with O_DIRECT gives what is cached, verified" cached_comes_direct
exec 8<&-
umount "$dir"
rmdir "$dir"
exit $failed
