#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage.sh - all commands refuse an option in the same words, with a hint to --help, exit as
# wrong usage does, and print no control character of what they were given.  What an option
# refuses, and what it does not go with, is in the tables of the tools, and in those here.
set -euo pipefail
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
	exits "$name --help" 0 "${command[@]}" --help
	check "$name --help is of it" grep -qi "^usage: " "$out"
	exits "$name -V" 0 "${command[@]}" -V
	check "$name -V is of it" grep -qE "^$name [0-9.]+" "$out"
	refuses '--nonsense: unknown option' --nonsense
	refuses '--nonsense=3: unknown option' --nonsense=3
	refuses '-Z: unknown option' -Z
	# Others of these are libfuse's, the shell's and those of the command
	case $name in
	dsfs?switch)	refuses '-o: needs a value' -o
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
2 dsfs cat
2 dsfs diff
2 dsfs digest
2 dsfs extract
2 dsfs info
2 dsfs ls
2 dsfs manifest
2 dsfs oci
2 dsfs pieces
2 dsfs shards
2 dsfs tar
2 dsfs view
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
2 dsfs switch
T

usage=2 name=mkfs.dsfs command=("$mkfs")
refuses '-L: needs a value' -qL
refuses '-Z: unknown option' -qZn
refuses '--label: needs a value' --label
refuses '--lab: needs a value' --lab
refuses '--al: begins more than one option' --al
refuses '--json=3: takes no value' --json=3

# together A B: the last run said that they do not go together
together()
{
	[[ $(<"$err") == *"$1 and $2 do not go together"* ||
	   $(<"$err") == *"$2 and $1 do not go together"* ]]
}

# An option, and each of those that it does not go with
mkdir y
while IFS='|' read -r tool option others; do
	[ "$tool" = fsck.dsfs ] && usage=16 || usage=2
	for other in $others; do
		# shellcheck disable=SC2086 # a command of two words
		exits "$tool $option $other" "$usage" $tool "$option" "$other" x y
		check "$tool $option $other: why" together "${option%%=*}" "${other%%=*}"
	done
done <<'T'
mkfs.dsfs|--manifest=x|--tar=x --tar-index --one-file-system --exclude=x
mkfs.dsfs|--tar=x|--order=x --dry-run --exclude=x --one-file-system
mkfs.dsfs|--tar-index|--order=x --dry-run --no-dedup --exclude=x --compress=lz4
mkfs.dsfs|--tar-index|--one-file-system
dsfs update|--tar-index|--order=x --dry-run --no-dedup --exclude=x --compress=lz4 --checksum
dsfs update|--manifest=x|--tar-index --one-file-system --exclude=x
dsfs digest|--tar=x|--manifest=x --exclude=x --one-file-system
fsck.dsfs|--digest|--no-data
dump.dsfs|--regions|--inode=1 --dir=x --extents=x --generations
dump.dsfs|--generation=1|--generations
dsfs ls|--null|--json
dsfs stat|--json|--prometheus
dsfs order|--sorted|--ahead
dsfs order|--plot=x|--null
T
# An option by itself, or with a value that is wrong, or several: what is said of it
while IFS='|' read -r tool option text values; do
	[ "$tool" = fsck.dsfs ] && usage=16 || usage=2
	eval "values=(${values:-})"
	for value in "${values[@]}"; do
		# shellcheck disable=SC2086 # a command of two words
		says "$tool $option=$value" "$usage" "$option: $value: $text" \
			$tool "$option=$value" x y
	done
	# shellcheck disable=SC2086 # a command of two words, an option with its value
	[ ${#values[@]} -gt 0 ] ||
		says "$tool $option" "$usage" "$text" $tool $option x
done <<'T'
mkfs.dsfs|--align|not a power of two|256 4M 5000 4k4 -1 ''
mkfs.dsfs|--chunk-size|not a power of two|2K 2M 33K
mkfs.dsfs|--chunk-size=large|not a power of two from 4096 to|2K 2M 33K
mkfs.dsfs|--chunk-size=small|not a power of two from 8192 to|4K 2M 33K
mkfs.dsfs|--chunk-size=small=32K y|--chunk-size=small: 32768: chunks have 32768 bytes, it must be more
mkfs.dsfs|--align=object|not a power of two|32K 2G 100000 4k4 ''
mkfs.dsfs|--threads|not a number from 1 to 256|0 257 two
mkfs.dsfs|--memory|not a size of at least 1 byte|0
mkfs.dsfs|--uuid|not a UUID|1234
mkfs.dsfs|--time|not seconds from 1677 to 2262|soon 99999999999
mkfs.dsfs|--exclude|not a pattern|/
mkfs.dsfs|--chunk-size=none,4K y|none and a size do not go together
mkfs.dsfs|--allow|none of unreadable, changing, joined, absolute|x unreadable=1
mkfs.dsfs|--allow=joined y|--allow=joined: only with --tar
mkfs.dsfs|--digest|neither data nor full|all
mkfs.dsfs|--wds|neither shard nor prefix|x
mkfs.dsfs|--tar-index|not a multiple of 512|1000 0
dsfs compact|--keep|not a number from 1 to 68719476736|0 x -1 1.5 68719476737
mkfs.dsfs|--compress|not zstd, zstd:LEVEL|gzip zstd:0 zstd:20 zstd: lz4:3
mkfs.dsfs|--compress=none:+0 y|--compress: +0: not + and a size
mkfs.dsfs|--compress=none:/ y|--compress: /: not a pattern
mkfs.dsfs|--compress=none:x y|a codec is needed, too
mkfs.dsfs|--wds|--wds: only with --tar
mkfs.dsfs|--tar-index --align=4K|--align=SIZE and --tar-index do not go together
mkfs.dsfs|--tar-index --allow=unreadable|--allow=unreadable and --tar-index do not go together
mkfs.dsfs|--tar=x --allow=unreadable|--allow=unreadable and --tar do not go together
mkfs.dsfs|--tar-index=512 --tar=x|--tar-index=SIZE and --tar do not go together
dsfs update|--tar=x|--tar: only with --tar-index
dsfs compact|--align=4K|--align: 4K: none of object=
dsfs compact|y z|x: one argument too many
dsfs digest|y|too many arguments
dsfs digest|--tar=x|too many arguments
mkfs.dsfs|--tar-index --wds=prefix --tar=x|--wds=prefix and --tar-index do not go together
mkfs.dsfs|--tar-index --tar=-|--tar-index: standard input is not a file
mkfs.dsfs|--tar-index source|too many arguments
mkfs.dsfs|--wds --tar=-|--wds: standard input has no name
mkfs.dsfs|--tar=- --tar=-|--tar and --tar: standard input is but one list
mkfs.dsfs|--manifest=- --order=-|--manifest and --order: standard input
mkfs.dsfs|--order=- --exclude=@- y|--order and --exclude: standard input
mkfs.dsfs|--tar=x y|too many arguments
mkfs.dsfs||IMAGE and SOURCE are needed
mkfs.dsfs|y z|too many arguments
fsck.dsfs|--threads|not a number from 1 to 64|0 65 x
fsck.dsfs|-C x|-C: x: not a file descriptor
fsck.dsfs|y|x: one argument too many
dump.dsfs|y|x: one argument too many
dump.dsfs|--dir=/ --dir=/|--dir: given twice
dsfs digest|--threads|not a number from 1 to 256|0
dsfs label|--uuid|not a UUID|1234
dsfs ls|--generation=1 --generation=2|--generation: given twice
dsfs shards|--size|not a size of at least 1 byte|0
dsfs shards|--samples|not a number|0
dsfs shards|-0|--null: only with --order
dsfs order|--buffer|not a size|0
dsfs order|--range|not a size|x
dsfs order|--seed|not a number|x
dsfs order|--ahead --buffer=all|--ahead is for buffers
dsfs order|--filelist=x|filelist
dsfs readahead|--filelist=x|filelist
dsfs readahead|--limit|not a size|x
dsfs readahead|--jobs|not a number from 1 to 1024|0 1025 x -1
dsfs warmup|--jobs|not a number from 1 to 1024|0 1025 x -1
T
rows <<'T'
mkfs.dsfs --label|2|65 bytes: the limit is 64|mkfs.dsfs -L "$(printf %065d 0)" x y
mkfs.dsfs --message|2|1025 bytes: the limit is 1024|mkfs.dsfs -m "$(printf %01025d 0)" x y
mkfs.dsfs: no value|2|--label: needs a value|mkfs.dsfs x y --label
mkfs.dsfs: no IMAGE|2|IMAGE is needed|mkfs.dsfs --tar=x
mkfs.dsfs: no IMAGE|2|IMAGE is needed|mkfs.dsfs --manifest=x
dsfs compact: no IMAGE|2|IMAGE is needed|dsfs compact
SOURCE_DATE_EPOCH|2|SOURCE_DATE_EPOCH: today|SOURCE_DATE_EPOCH=today mkfs.dsfs x y
fsck.dsfs: no image|16||fsck.dsfs
dump.dsfs: no image|2||dump.dsfs
mount.dsfs: nothing|1||mount.dsfs
mount.dsfs: no directory|1||mount.dsfs x
dsfs switch: nothing|2||dsfs switch
dsfs switch: no link|2||dsfs switch x
dsfs cat: no path|2|IMAGE and PATH are needed|dsfs cat x
dsfs cat: two paths|2|z: one argument too many|dsfs cat x y z
dsfs extract: no image|2|IMAGE and DIR are needed|dsfs extract x
dsfs ls: no image|2|IMAGE is needed|dsfs ls
dsfs digest: a text as JSON|2|--text and --json do not go together|dsfs digest --text --json x
dsfs: no command|2|no command given|dsfs
dsfs: no such command|2|nonsense: unknown command|dsfs nonsense
dsfs: a command that is misspelt|2|swtich: unknown command, did you mean switch?|dsfs swtich
dsfs help: a command that is misspelt|2|did you mean warmup?|dsfs help wramup
an option that is misspelt|2|--digset: unknown option, did you mean --digest?|mkfs.dsfs --digset x y
dsfs label: no image|2|IMAGE is needed|dsfs label
dsfs label: too long|2|label: 65 bytes: the limit is 64|dsfs label y "$(printf %065d 0)"
dsfs label: its message, too|2|--message: 1025 bytes: the limit is 1024|dsfs label -m "$(printf %01025d 0)" y
dsfs revert: a number|2|0: not the number of a generation|dsfs revert y 0
dsfs revert: too many|2|2: one argument too many|dsfs revert y 1 2
dsfs order: nothing to do|2|dsfs order: no |dsfs order
dsfs readahead: nothing to do|2|dsfs readahead: no |dsfs readahead
dsfs trace: nothing to do|2|MOUNTPOINT is needed|dsfs trace
dsfs warmup: nothing to do|2|dsfs warmup: no |dsfs warmup
dsfs top: no terminal|2|use --batch|dsfs top
dsfs top --delay|2|--delay: |dsfs top -b -d 0
dsfs top --iterations|2|--iterations: |dsfs top -b -n 0
T
for range in 1.2 ..2 1.. a..b 0..1 1..0 1..2..3 1..x ''; do
	says "dsfs diff x $range" 2 "$range: not one generation or two" dsfs diff x "$range"
done
check 'no image is left' test ! -e x
finish
