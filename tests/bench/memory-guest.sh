#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# memory-guest.sh KERNEL FILES READ FS... - the guest's side of tests/bench/memory:
# prints its rows, what slab memory FILES files in stat take that were looked at,
# and READ files in read that were read.
#
# What has grown is slabs times their pages, so that what does not divide well
# is counted.  Caches are emptied ahead of each step.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

kernel=$1
files=$2
read=$3
shift 3

row()
{
	printf 'row\tmemory\t%s\t%s\t%s\t%s\tbytes\n' "$kernel" "$1" "$2" "$3"
}

empty()
{
	sync
	for i in 1 2 3; do
		echo 3 >/proc/sys/vm/drop_caches
		sleep 2
	done
	for i in /sys/kernel/slab/*/shrink; do
		echo 1 >"$i"
	done
}

# name, bytes of all its slabs, bytes of an object
slabs()
{
	awk 'NR > 2 { print $1, $15 * $6 * 4096, $4 }' /proc/slabinfo
}

# grown SUBJECT WHAT COUNT: rows for the caches that grew by an object for each
# second file at least; others do for other reasons
grown()
{
	slabs | awk -v subject="$1" -v what="$2" -v count="$3" -v kernel="$kernel" '
		NR == FNR { before[$1] = $2; next }
		{
			per = ($2 - before[$1]) / count
			if (per < $3 / 2)
				next
			all += per
			printf "row\tmemory\t%s\t%s: %s\t%s\t%.1f\tbytes\n", kernel, what, $1, subject, per
		}
		END { printf "row\tmemory\t%s\t%s: together\t%s\t%.1f\tbytes\n", kernel, what, subject, all }
		' /tmp/before -
}

# sizes FS CACHE: an inode and a dentry, alone and with their share of a slab
sizes()
{
	awk -v cache="$2" -v fs="$1" '
		$1 != cache && $1 != "dentry" { next }
		{
			printf "# %s: %s: objects of %d bytes, %d in a slab of %d pages\n", fs, $1, $4, $5, $6
			objects += $4
			shares += $6 * 4096 / $5
		}
		END { printf "objects=%d shares=%.1f\n", objects, shares }' /proc/slabinfo
}

show_kernel
for fs; do
	case $fs in
	ext4)	cache=ext4_inode_cache ;;
	dsfs)	cache=dsfs_inode ;;
	*)	cache=${fs}_inode ;;
	esac
	mount_at "$fs" "$drives/$fs"
	top=/mnt/$fs
	ls -l "$top/stat" "$top/read" >/dev/null
	figures=$(sizes "$fs" "$cache")
	echo "$figures" | grep '^#'
	eval "$(echo "$figures" | grep -v '^#')"
	# shellcheck disable=SC2154 # set by eval
	row "a cached file" "$fs" "$objects"
	# shellcheck disable=SC2154
	row "a cached file, with the slabs' waste" "$fs" "$shares"
	empty
	slabs >/tmp/before
	ls -l "$top/stat" >/dev/null
	grown "$fs" "grown for a file that was looked at" "$files"
	empty
	slabs >/tmp/before
	cat "$top"/read/* >/dev/null
	grown "$fs" "grown for a file of 100 KiB that was read" "$read"
	umount "$top"
done
