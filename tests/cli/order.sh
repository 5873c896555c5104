#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# order.sh - dsfs order --plot: its figures, counted again from the order that it prints, and those
# of the picture.
set -euo pipefail
. "$(dirname "$0")/cases"

# 12 directories of 110 files, which have five batches and some files more
mkdir set
for ((n = 0; n < 1320; n++)); do
	[ $((n % 110)) -ne 0 ] || mkdir -p "set/$((n / 110))"
	head -c 1000 /dev/zero >"set/$((n / 110))/$n"
done
how=(--buffer=100K --range=16K --seed=3)

# figures [fair|one]: what is printed is true of the order, and the picture has it; a batch is as mixed
# as that of a true shuffle
figures()
{
	python3 - "$out" plot.svg "$@" <<'PY'
import os, re, sys
import xml.etree.ElementTree as xml

text = open(sys.argv[1]).read()
order = open("given").read().split()
turn = {path: i for i, path in enumerate(order)}
near = [turn[path] for path in open("sorted").read().split()]
apart = sum(abs(a - b) for a, b in zip(near, near[1:])) / (len(near) - 1) / len(near)
size = min(256, len(order))
kinds = [len({os.path.dirname(path) for path in order[i:i + size]})
         for i in range(0, len(order) - size + 1, size)]
dirs = len({os.path.dirname(path) for path in order})

drawn = {}
for node in xml.parse(sys.argv[2]).iter("{http://www.w3.org/2000/svg}text"):
    drawn.setdefault(node.get("class"), []).append(re.findall(r"\d+\.\d+|\d+", node.text))
numbers = lambda line: re.findall(r"\d+\.\d+|\d+", line)
head, rows = text.splitlines()[:3], text.splitlines()[3:]
assert numbers(head[0]) == [str(len(order)), str(dirs)], head
assert numbers(head[1])[0] == f"{apart:.3f}", (head, apart)
assert numbers(head[2])[0] == f"{sum(kinds) / len(kinds):.1f}", (head, kinds)
assert [numbers(row)[1] for row in rows] == [f"{n:.1f}" for n in kinds], (rows, kinds)
assert drawn["part"] == [[numbers(row)[1]] for row in rows], drawn
assert drawn["from"] == [[numbers(row)[0]] for row in rows], drawn
assert drawn["fair"] == [numbers(head[2])[1:]] and drawn["apart"] == [numbers(head[1])[:1]], drawn
assert drawn["title"] == [[str(size)]], drawn
assert sys.argv[3:] != ["fair"] or len(set(numbers(head[2]))) == 1, head
assert len(rows) == 1 or sys.argv[3:] or len(set(kinds)) > 1, kinds
assert max(map(len, text.splitlines())) <= 80, text
PY
}

# of DIR OPTION...: plot.svg, and the orders beside it
of()
{
	"$dsfs" order "$1" --sorted >sorted && "$dsfs" order "$@" >given &&
		run "$dsfs" order --plot=plot.svg "$@" && [ "$rc" -eq 0 ]
}

check 'an order' of set "${how[@]}"
check 'its figures, in the picture' figures
check 'a true shuffle' of set --buffer=all --seed=3
check 'has those of one' figures fair
check 'less than a batch' of set/3 --sorted
check 'is one' figures one
mkdir empty
exits 'no file' 0 "$dsfs" order --plot=plot.svg empty
check 'no bar' test "$(grep -c 'class="part"' plot.svg)" = 0
says 'a picture that cannot be' 1 'no/where: No such file' "$dsfs" order --plot=no/where set
says 'a full disk' 1 '/dev/full: No space left' "$dsfs" order --plot=/dev/full set
finish
