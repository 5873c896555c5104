# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # set by lib.sh, and read by its callers
#
# What the benchmarks of tools on the host share, on top of lib.sh.
#
# To be sourced after lib.sh.

# The smallest files that there are: 200,000, with names of 18 bytes and 6 to 9 bytes each.  It is
# made once; prints its path.
tiny_tree()
{
	local sum home

	sum=$(short_sum <tests/tools/mkset)
	home=$bench_dir/tiny-${sum:0:8}
	if [ ! -e "$home/tree" ]; then
		note "making the tree of tiny files"
		mkdir -p "$home"
		rm -rf "$home/tree.tmp"
		tests/tools/mkset --files=200000 --classes=200 --sizes=6-9 "$home/tree.tmp"
		mv "$home/tree.tmp" "$home/tree"
	fi
	echo "$home/tree"
}

# mkset OPTION...: $files files of 8 bytes, no two alike, in directories of 1,000
mkset()
{
	build/tests/mkset --files="$files" --classes=$(((files + 999) / 1000)) --sizes=8 "$@"
}

# peak NAME: a figure of the last run of peak.py
peak()
{
	awk -v name="$1" '$1 == name { print $2 }' "$work/peak"
}

# json FILE NAME: a number of a report.
json()
{
	tests/harness/json "d['$2']" "$1"
}

# timed NAME CMD...: appends seconds, KiB of memory, and seconds of user and system to $work/NAME.
# What is dirty is written before, so that nobody pays for others; $work/out is removed.
timed()
{
	local name=$1

	shift
	rm -f "$work/out"
	sync
	command time -a -o "$work/$name" -f '%e %M %U %S' "$@" >"$work/log" 2>&1 ||
		{ cat "$work/log" >&2; die "${1##*/}: failed"; }
}

# median_of NAME EXPRESSION: of awk, over the columns of all rounds of $work/NAME
median_of()
{
	# shellcheck disable=SC2046
	median $(awk "{ print $2 }" "$work/$1")
}

# median_over A B [OPERATOR]: of the rounds' quotients of the first columns
median_over()
{
	# shellcheck disable=SC2046
	median $(paste "$work/$1" "$work/$2" | awk -v n="$(awk 'NR == 1 { print NF + 1 }' "$work/$1")" \
		"{ printf \"%.3f\\n\", \$1 ${3:-/} \$n }")
}

# timed_rows WHAT CMD...: rows of seconds, of processors, too, and memory; what CMD prints goes to
# $work/json, and the memory to the variable kib
timed_rows()
{
	local what=$1 wall user system

	shift
	command time -o "$work/time" -f '%e %U %S %M' "$@" >"$work/json" || die "$what: failed"
	read -r wall user system kib < <(tail -n 1 "$work/time")
	row - "$what" dsfs "$wall" s
	row - "$what: CPU" dsfs "$(awk -v u="$user" -v s="$system" 'BEGIN { print u + s }')" s
	row - "$what: memory" dsfs "$(mib "$kib")" MiB
}

# mib KIB
mib()
{
	quotient "$1" 1024 %.1f
}
