#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# many.sh - a million files: what fsck.dsfs, dump.dsfs and dsfs view hold in memory is a cache of
# metadata, 64 MiB at most, a share of the files, and little for each file.  In `make check-long`
# five million.
set -euo pipefail
. "$(dirname "$0")/cases"
files=1000000
[ "${DSFS_LONG:-0}" = 0 ] || files=5000000
a_file=4	# bytes
fixed=$(((64 + 16 + 4) << 20))

# little NAME COMMAND...: it succeeds, and its memory is bounded
little()
{
	local most

	exits "$1" 0 command time -o memory -f %M "${@:2}"
	most=$(((fixed + a_file * files) / 1024))
	check "$1: $(<memory) KiB of memory, at most $most" test "$(<memory)" -le "$most"
}

head -c $((8 * files)) </dev/urandom >data
awk -v n="$files" 'BEGIN {
	for (i = 0; i < n; i++)
		printf "{\"path\":\"/d/n%016d.JPEG\",\"source\":\"data\",\"offset\":%d,\"size\":8}\n", i, 8 * i
}' >manifest
mkfs.dsfs -q --manifest=manifest image.dsfs
little 'fsck.dsfs' fsck.dsfs --threads=1 image.dsfs
little 'dsfs ls' dsfs ls -lR image.dsfs
little 'dsfs manifest' dsfs manifest image.dsfs
little 'dsfs digest' dsfs digest --threads=1 image.dsfs
little 'dsfs view' dsfs view image.dsfs image.view
if command -v fsck.erofs >/dev/null; then
	check 'the view: fsck.erofs' fsck.erofs --device=image.dsfs image.view
else
	skip 'the view' 'no fsck.erofs'
fi
finish
