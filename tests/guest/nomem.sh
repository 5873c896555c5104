#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# nomem.sh DEVICE - metadata larger than the memory that is free: the mount is refused
# and says what would help, before anything else on the machine suffers.
#
# DEVICE holds an image with some 10 MiB of metadata or more.  A tmpfs takes the rest of
# the memory, since nothing can be reclaimed of it.
set -eu
here=$(dirname "$0")
prog=nomem
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

dev=$1
dir=$(mktemp -d)
hog=$(mktemp -d)
log=$(mktemp)

metadata_kib()
{
	mount -t dsfs -o meta=lazy "$dev" "$dir"
	echo $(($(cat "/sys/fs/dsfs/${dev##*/}/metadata_bytes") / 1024))
	umount "$dir"
}

# All but so many KiB.
take_memory()
{
	drop_caches
	free=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
	mount -t tmpfs -o size=100% none "$hog"
	dd if=/dev/zero of="$hog/fill" bs=1024k count=$(((free - $1) / 1024)) 2>/dev/null
}

refused()
{
	! "$here/trymount" "$dev" "$dir" >"$log" &&
		grep -q '^ENOMEM: .*needs .* KiB of memory.*: mount with meta=lazy' "$log" && return
	sed 's/^/# /' "$log"
	return 1
}

accepted()
{
	"$here/trymount" -o "$1" "$dev" "$dir" >"$log" || { cat "$log"; return 1; }
	umount "$dir"
}

need=$(metadata_kib)
take_memory $((need * 3 / 4))
check "more metadata than memory is refused" refused
check "and can be mounted with meta=lazy" accepted meta=lazy
umount "$hog"
check "and with meta=resident when there is memory" accepted meta=resident
rm -f "$log"
rmdir "$dir" "$hog"
exit $failed
