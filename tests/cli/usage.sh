#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage.sh - all commands refuse an option in the same words, with a hint to --help, exit as
# wrong usage does, and print no control character of what they were given.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"

# refused TEXT: by the command of the last run; its name is in front, the hint follows
refused()
{
	printf "%s: %s\nTry '%s --help' for more information.\n" "$name" "$1" "$name" |
		same_file - "$err"
}

# refuses TEXT ARGUMENT...: by the command of the loop
refuses()
{
	exits "$name ${*:2}: exit" "$usage" "${command[@]}" "${@:2}"
	check "$name ${*:2}: $1" refused "$1"
}

# Name, exit status of wrong usage
while read -r usage name; do
	read -ra command <<<"$bin/$name"
	refuses '--nonsense: unknown option' --nonsense
	refuses '--nonsense=3: unknown option' --nonsense=3
	refuses '-Z: unknown option' -Z
	# Others of these are libfuse's, the shell's and those of the command
	case $name in
	dsfs-switch)	refuses '-o: needs a value' -o
			refuses '-?: unknown option' $'-\e'
			continue ;;
	dsfs-fuse|dsfs)	refuses '-\033: unknown option' $'-\e'
			continue ;;
	esac
	refuses '-\033: unknown option' $'-\e'
	refuses '--a\033[1m\377: unknown option' $'--a\e[1m\xff'
	refuses '--help=3: takes no value' --help=3
done <<'T'
2 mkfs.dsfs
16 fsck.dsfs
2 dump.dsfs
1 mount.dsfs
1 dsfs-fuse
2 dsfs
2 dsfs order
2 dsfs readahead
2 dsfs stat
2 dsfs top
2 dsfs trace
2 dsfs warmup
2 dsfs_id
2 dsfs-switch
T

usage=2 name=mkfs.dsfs command=("$bin/mkfs.dsfs")
refuses '-L: needs a value' -qL
refuses '-Z: unknown option' -qZn
refuses '--label: needs a value' --label
refuses '--lab: needs a value' --lab
refuses '--no: begins more than one option' --no
refuses '--json=3: takes no value' --json=3
finish
