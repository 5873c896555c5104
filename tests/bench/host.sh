# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # set by lib.sh, and read by its callers
#
# What the benchmarks of tools on the host share, on top of lib.sh.
#
# To be sourced after lib.sh.

# own_tree NAME CMD...: a tree that CMD NAME makes, kept; prints its path.
own_tree()
{
	local name=$1 sum home

	shift
	sum=$({ echo "$*"; cat tests/bench/mkset.c tests/tools/mktiny; } | short_sum)
	home=$bench_dir/$name-${sum:0:8}
	if [ ! -e "$home/tree" ]; then
		note "$name: making the tree: $*"
		mkdir -p "$home"
		rm -rf "$home/tree.tmp"
		"$@" "$home/tree.tmp"
		mv "$home/tree.tmp" "$home/tree"
	fi
	echo "$home/tree"
}

# The smallest files that there are: 200,000, of 20.1-byte names and 7.3 bytes.
tiny_tree()
{
	own_tree tiny tests/tools/mktiny
}

# json FILE NAME: a number of a report.
json()
{
	tests/harness/json "d['$2']" "$1"
}

# The fast setting of EROFS, as make_erofs has it.
erofs_tuned()
{
	local text

	erofs_args=(-Enoinline_data)
	# Whole, as grep -q would end the pipe, and pipefail take that for a no.
	text=$("${erofs[@]}" --help 2>&1) || true
	[[ $text != *--MZ* ]] || erofs_args=("-E^inline_data" --MZ)
}
