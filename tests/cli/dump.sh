#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dump.sh - dump.dsfs: what it shows agrees with the tree that was packed, and how it tells what
# is wrong.
set -euo pipefail
. "$(dirname "$0")/cases"

zoo tree
mkfs.dsfs -q -L 'a label' good.dsfs tree

# --- superblocks and regions
exits 'superblocks' 0 "$dump" good.dsfs
check 'the label' grep -q '^label: *a\\040label$' "$out"
check 'the other slot' grep -q '^slot 1: *the same$' "$out"
run "$dump" --json good.dsfs
check '--json' holds 'd["slots"][1]["label"] == "a label" and d["used"] == 0'
check 'no feature that a reader must know' test -z "$(grep '^needs' "$out")"
mkdir packs
seq 30000 >packs/file
mkfs.dsfs -q --compress=lz4 packed.dsfs packs
run "$dump" packed.dsfs
check 'but of compressed files' grep -q '^needs: *incompat 0x1 (compressed files)$' "$out"
exits '--regions' 0 "$dump" --regions good.dsfs
check '--regions: all' test "$(grep -c '^ *[0-9]' "$out")" = 14
run "$dump" --regions --json good.dsfs
check '--regions --json' holds '[r["name"] for r in d["regions"]][1] == "dirs"'

# --- one object
exits '--inode' 0 "$dump" --inode=1 good.dsfs
check '--inode: the root' grep -q '^type: *d$' "$out"
exits '--inode=PATH' 0 "$dump" --inode=/types/symlink-59 good.dsfs
check '--inode=PATH: a target' grep -q "^target: *$(readlink tree/types/symlink-59)\$" "$out"
run "$dump" --json --inode=/types/regular good.dsfs
check '--inode=PATH --json' holds 'd["type"] == "f" and d["size"] == 1000'
run "$dump" --dir=/types good.dsfs
check '--dir: entries in order' diff \
	<(find tree/types -mindepth 1 -printf '%f\n' | LC_ALL=C sort) <(awk 'NR > 5 { print $6 }' "$out")
check '--dir: all are in the index' test "$(grep -c missing "$out")" = 0
run "$dump" --json --dir=1 good.dsfs
check '--dir=N --json' holds 'd["inode"] == 1 and len(d["entries"]) == d["count"]'
exits '--extents' 0 "$dump" --extents=/sparse/holes-between good.dsfs
check '--extents: holes' grep -q ' hole$' "$out"
run "$dump" --json --extents=/sparse/holes-between good.dsfs
check '--extents --json' holds 'sum(e["length"] for e in d["extents"]) == d["size"]'

# --- what is wrong
rows <<'T'
no such path|1|/nothing: No such file|dump.dsfs --inode=/nothing good.dsfs
below a file|1|/x: a part of the path is not a directory|dump.dsfs --inode=/types/regular/x good.dsfs
--dir of a file|1|Not a directory|dump.dsfs --dir=/types/regular good.dsfs
--extents of a directory|1|not a regular file|dump.dsfs --extents=/types good.dsfs
--inode out of range|1|inode number|dump.dsfs --inode=4000000 good.dsfs
--inode=0|1|inode number|dump.dsfs --inode=0 good.dsfs
no image|1|No such file|dump.dsfs missing
T
head -c 100000 /dev/zero >zeros
: >empty
for f in zeros empty; do
	says "no image: $f" 1 "$f: not a DSFS image" "$dump" --regions "$f"
	check "no image: $f: one message" test "$(wc -l <"$err")" = 1
done
ln -s circle circle
rows <<'T'
a slot without the magic number|1|superblock: magic 0, expected 0x53465344|dump.dsfs zeros >&2
symlinks in a circle|1|open: symbolic links that lead in a circle|dump.dsfs circle
T
cp good.dsfs bad.dsfs
flip bad.dsfs 1100
says 'a bad slot is named, the rest is shown' 1 'slot 0: superblock checksum' "$dump" bad.dsfs
check 'a checksum has no limit, but an expected value' \
	grep -Eq 'slot 0: superblock checksum: 0x[0-9a-f]+, expected 0x[0-9a-f]+: wrong checksum$' "$err"
check 'and it is all there' grep -q '^label: *a\\040label$' "$out"
finish
