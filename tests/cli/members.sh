#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# members.sh - archives whose files take many pieces of memory, in mkfs.dsfs with all of it and
# with next to none: the same bytes, and the tree that GNU tar makes.
set -euo pipefail
# shellcheck source=tests/cli/cases
. "$(dirname "$0")/cases"

# archive NAME: members in no order; "names": with hard links, and names that come again
archive()
{
	python3 - "$1" <<'EOF'
import io, sys, tarfile
n = 60000
with tarfile.open(f"{sys.argv[1]}.tar", "w", format=tarfile.USTAR_FORMAT) as out:
    def name(i):
        return f"d{i % 7}/e{i % 50}/file{i:06d}"
    def file(i, data):
        info = tarfile.TarInfo(name(i))
        info.size = len(data)
        out.addfile(info, io.BytesIO(data))
    for i in range(n):
        file(i * 7919 % n, b"%d" % (i % 40000))
        if sys.argv[1] == "names" and i % 10 == 0:
            link = tarfile.TarInfo(f"links/{i:06d}")
            link.type, link.linkname = tarfile.LNKTYPE, name(i * 7919 % n)
            out.addfile(link)
    for i in range(0, n, 100) if sys.argv[1] == "names" else ():
        file(i, b"again %d" % i)
EOF
}

links()
{
	(cd "$1" && find . -type f -printf '%n %P\n' | LC_ALL=C sort)
}

for kind in plain names; do
	archive $kind
	options=(-q -U clear -T 1 -f "--tar=$kind.tar")
	exits "$kind: an archive of 60,000 members" 0 "$bin/mkfs.dsfs" "${options[@]}" tar.dsfs
	exits "$kind: with --memory=1M" 0 "$bin/mkfs.dsfs" "${options[@]}" --memory=1M less.dsfs
	check "$kind: the same bytes" cmp tar.dsfs less.dsfs
	exits "$kind: fsck.dsfs of it" 0 "$bin/fsck.dsfs" -q tar.dsfs
	mkdir $kind
	tar -xf $kind.tar -C $kind
	exits "$kind: extract" 0 "$bin/dump.dsfs" --extract=packed-$kind tar.dsfs
	check "$kind: what GNU tar makes of it" diff -r $kind packed-$kind
	check "$kind: and its links" diff <(links $kind) <(links packed-$kind)
done
finish
