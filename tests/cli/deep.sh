#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deep.sh - a tree of 8,000 levels: what the tools take of memory grows with its depth, and
# not with the length of all its paths, which is 190 MB.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"
dump=$bin/dump.dsfs
mkfs=$bin/mkfs.dsfs
limit=60000	# KiB of addresses

# limited COMMAND...: in so much memory, and what it prints is counted
# shellcheck disable=SC2317 # bounded calls it
limited()
(
	ulimit -v "$limit"
	exec "$@" | wc -c
)

# bounded NAME COMMAND...: it succeeds in little memory
bounded()
{
	exits "$1: little memory" 0 limited "${@:2}"
}

mkdir deep
python3 - <<'PY'
import os
os.chdir("deep")
for _ in range(8000):
    os.mkdir("d")
    os.chdir("d")
    with open("f", "w", encoding="ascii") as f:
        f.write("x")
    os.link("f", "l")
PY
"$mkfs" -q image.dsfs deep
bounded '--digest=full' "$dump" --threads=1 --digest=full image.dsfs
bounded '--list' "$dump" --list image.dsfs
check '--list: more text than memory' test "$(<"$out")" -gt $((limit * 1024))
bounded '--manifest' "$dump" --manifest image.dsfs
bounded '--tar' "$dump" --tar image.dsfs
bounded '--wds' "$dump" --wds=shard image.dsfs
rm shard-*
bounded '--extract' "$dump" --extract=new image.dsfs
bounded '--extract --resume' "$dump" --extract=new --resume image.dsfs
rm -r new
bounded '--path' "$dump" --tar "--path=$(printf '*/%.0s' {1..1500})d" image.dsfs
bounded 'fsck.dsfs' "$bin/fsck.dsfs" --threads=1 image.dsfs
echo x >deep/more
"$mkfs" -q --update image.dsfs deep
bounded '--diff' "$dump" --diff=1..2 image.dsfs
rm -r deep/d
"$mkfs" -q --update image.dsfs deep
bounded '--diff of all that is gone' "$dump" --diff=2..3 image.dsfs
finish
