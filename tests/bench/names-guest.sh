#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# names-guest.sh FILES FS... - the guest's side of tests/bench/names: prints its rows.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

files=$1
shift

# name, bytes of all its slabs, bytes of an object
slabs()
{
	awk 'NR > 2 { print $1, $15 * $6 * 4096, $4 }' /proc/slabinfo
}

# grown SUBJECT: what slabs have grown by since /tmp/before that have an object more for each
# second file at least
grown()
{
	slabs | awk -v subject="$1" -v files="$files" '
		NR == FNR { before[$1] = $2; next }
		{ per = ($2 - before[$1]) / files }
		per >= $3 / 2 {
			printf "# %s: %s: objects of %d bytes\n", subject, $1, $3
			printf "row\tkept of a file: %s\t%s\t%.1f\tbytes\n", $1, subject, per
		}' /tmp/before -
}

in_memory()
{
	mount_at "$1" "$drives/$1"
	show_mount "$1"
	for dir in plain first links; do
		figures="$(bench_stat --files="$files" --rounds=5 "/mnt/$1/$dir") $(
			bench_stat --list --files="$files" --rounds=5 "/mnt/$1/$dir")"
		echo "# $1, $dir: $figures"
		eval "$figures"
		# shellcheck disable=SC2154 # set by eval
		row "$dir: a stat" "$1" $((above + cached)) instructions
		# shellcheck disable=SC2154
		row "$dir: listed" "$1" "$listed" instructions
	done
	free_kib >/dev/null
	for i in /sys/kernel/slab/*/shrink; do
		echo 1 >"$i"
	done
	slabs >/tmp/before
	ls -l "/mnt/$1/plain" >/dev/null
	grown "$1"
	leave "$1"
}

from_disk()
{
	options=ro
	[ "$1" != dsfs ] || options=ro,meta=lazy
	mount -t "$1" -o "$options" "$drives/$1" "/mnt/$1"
	show_mount "$1"
	for dir in plain first links; do
		figures=$(bench_stat --cold --files="$files" --sample=60 "/mnt/$1/$dir")
		eval "$figures"
		# shellcheck disable=SC2154 # set by eval
		row "$dir: a stat, cold" "$1" "$stats" requests
		# shellcheck disable=SC2154
		row "$dir: by handle, cold" "$1" "$handles" requests
	done
	leave "$1"
}

show_kernel
for fs; do
	in_memory "$fs"
	from_disk "$fs"
done
