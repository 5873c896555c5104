#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# small.sh DISK FILE START SIZE OTHER - a small file is one chunk: what a part of it asks of the
# device, and what one bad place of it does.
#
# DISK holds an image of --chunk-size=small= with FILE, of SIZE bytes in one chunk that is larger than
# others, which begins at the byte that the file START tells, and OTHER.
#
# Needs dmsetup and the module dm_mod.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1 file=$2 size=$4 other=$5
read -r start <"$3"
dir=$(mktemp -d)
# The first pages: all of the file comes with the first one.
once="requests == 1 && kib == $((((size + 4095) >> 12) << 2))"

page()
{
	dd if="$dir/$1" bs=4096 skip="$2" count=1 2>/dev/null | wc -c
}

# One bad sector, not in the pages that are read: none comes, whole or in part.
bad_whole()
{
	drop_caches
	[ "$(page "$file" 0)" -eq 0 ] && [ "$(page "$file" 20)" -eq 0 ] &&
		[ "$(page "$file" $((size / 4096 - 1)))" -eq 0 ] && [ "$(page "$other" 0)" -ne 0 ]
}

for options in wholefile=0 ro; do
	mount -t dsfs -o "$options" "$disk" "$dir"
	check "a page after MADV_RANDOM reads the small file, $options" costs "$once" pagefaults "$file" 1
	check "pages after MADV_RANDOM read it once, $options" costs "$once" pagefaults "$file" 20
	check "pages after POSIX_FADV_RANDOM read it once, $options" costs "$once" pages "$file" 20
	check "a mapping in order reads it once, $options" costs "$once" map "$file"
	umount "$dir"
done
bad=$((start + 30 * 4096))
table $bad $((bad + 4096)) error | dmsetup create bad --readonly
for options in wholefile=0 ro; do
	mount -t dsfs -o "$options" /dev/mapper/bad "$dir"
	check "a bad sector is one of the whole small file, $options" bad_whole
	umount "$dir"
done
mount -t dsfs -o verify=off,wholefile=0 /dev/mapper/bad "$dir"
check "without verification it is one of its page" [ "$(page "$file" 2)" -eq 4096 ]
umount "$dir"
dmsetup remove bad
exit $failed
