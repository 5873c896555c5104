#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tar-index-guest.sh SAMPLES PATTERNS - the part of tar-index that runs in the guest: a shuffled
# pass over the samples, each PATTERN by a mount of its own, then pages all over the archives, by
# the size of chunks.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

show_kernel
show_device "$(readlink -f "$drives/dsfs")" virtio-blk
for pattern in $2; do
	drop_caches
	# What the guest has cached of the device itself goes, too.
	blockdev --flushbufs "$drives/dsfs"
	mount_at dsfs "$drives/dsfs"
	requests --list=/list --first="$1" --keep-caches --pattern="$pattern" /mnt/dsfs |
		sed 's/^/dsfs /'
	umount /mnt/dsfs
done
mkdir -p /mnt/parts
for image in dsfs dsfs-32K; do
	mount -t dsfs -o ro "$drives/$image" /mnt/parts
	requests --list=/archives --pattern=part /mnt/parts | sed "s/^/$image /"
	umount /mnt/parts
done
