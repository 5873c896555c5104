#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deep.sh - a tree of 8,000 levels, a file and a second name of it in each: what the tools take of
# memory grows with its depth, and not with the length of all its paths, which is 190 MB, and
# files that are open do not grow with it.
set -euo pipefail
. "$(dirname "$0")/cases"
limit=60000	# KiB of addresses
files=		# that may be open, if that is limited

# limited COMMAND...: in so much memory, with so many files, and what it prints is counted
limited()
(
	exec 3>&- 4>&- 5>&-
	ulimit -v "$limit"
	[ -z "$files" ] || ulimit -n "$files"
	exec "$@" | wc -c
)

# bounded NAME COMMAND...: it succeeds with little
bounded()
{
	exits "$1: little memory${files:+, $files files}" 0 limited "${@:2}"
}

# make_deep DIR LEVELS: paths of shells are too short for it
make_deep()
{
	python3 - "$@" <<'PY'
import os, sys
os.mkdir(sys.argv[1])
os.chdir(sys.argv[1])
for level in range(int(sys.argv[2])):
    os.mkdir("d")
    with open("f", "w", encoding="ascii") as f:
        f.write(f"{level}\n")
    os.link("f", "d/l")
    os.chdir("d")
os.symlink("l", "s")
PY
}

make_deep deep 8000
"$mkfs" -q image.dsfs deep
bounded 'dsfs digest' "$dsfs" digest --threads=1 --full image.dsfs
bounded 'dsfs digest --text' "$dsfs" digest --full --text image.dsfs
check 'dsfs digest --text: more text than memory' test "$(<"$out")" -gt $((limit * 1024))
bounded 'dsfs manifest' "$dsfs" manifest image.dsfs
bounded 'dsfs tar' "$dsfs" tar image.dsfs
bounded 'dsfs shards' "$dsfs" shards image.dsfs shard
rm shard-*
bounded 'dsfs tar: a pattern' "$dsfs" tar image.dsfs "$(printf '*/%.0s' {1..1500})d"
bounded 'fsck.dsfs' "$fsck" --threads=1 image.dsfs
echo x >deep/more
"$dsfs" update -q image.dsfs deep
bounded 'dsfs diff' "$dsfs" diff image.dsfs 1..2
rm -r deep/d
"$dsfs" update -q -f image.dsfs deep
bounded 'dsfs diff of all that is gone' "$dsfs" diff image.dsfs 2..3

# --- by a few files; extractions of more levels take long
files=20
make_deep few 1500
"$mkfs" -q -f -T 1 image.dsfs few
for n in 1 8; do
	exits "mkfs.dsfs, $n threads: few files" 0 bash -c \
		"ulimit -n 64; exec '$mkfs' -q -f -T 1 --threads=$n few.dsfs few"
	check "mkfs.dsfs, $n threads: the same bytes" cmp image.dsfs few.dsfs
done
exits 'mkfs.dsfs: few files, most of them taken' 0 bash -c "
	ulimit -n 64
	for ((i = 0; i < 30; i++)); do exec {fd}</dev/null; done
	exec '$mkfs' -q -f -T 1 few.dsfs few"
check 'most of them taken: the same bytes' cmp image.dsfs few.dsfs
bounded 'dsfs extract' "$dsfs" extract image.dsfs new
bounded 'dsfs extract --resume' "$dsfs" extract --resume image.dsfs new
"$mkfs" -q again.dsfs new
check 'dsfs extract: the tree' cmp <("$dsfs" digest --full image.dsfs) <("$dsfs" digest --full again.dsfs)
for verb in 'ls -lR' tar 'digest --full'; do
	# shellcheck disable=SC2086
	bounded "dsfs $verb" "$dsfs" $verb image.dsfs
done
bounded 'dsfs cat' "$dsfs" cat image.dsfs "$(printf '/d%.0s' {1..1400})/l"
bounded 'fsck.dsfs' "$fsck" image.dsfs
finish
