# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# counts.sh - what a guest of tests/coverage/run leaves of gcov's counts; to be sourced.

# leave_counts: to $OUT/gcda.  Files of the kernel's debugfs say that they are empty.
leave_counts()
{
	local file to

	cd /sys/kernel/debug/gcov || return 1
	find . -path '*/fs/dsfs/*.gcda' | while read -r file; do
		to=$OUT/gcda/fs/dsfs/${file##*/fs/dsfs/}
		mkdir -p "${to%/*}"
		cat "$file" >"$to"
	done
	[ -e "$OUT/gcda" ]
}
