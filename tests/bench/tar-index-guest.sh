#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tar-index-guest.sh SAMPLES PATTERNS - the part of tar-index that runs in the guest:
# the samples as first reads them, then pages all over the archives, by the size of chunks.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

sh /first-guest.sh "$1" "$2" dsfs
mkdir -p /mnt/parts
for image in dsfs dsfs-32K; do
	mount -t dsfs -o ro "$drives/$image" /mnt/parts
	requests --list=/archives --pattern=part /mnt/parts | sed "s/^/$image /"
	umount /mnt/parts
done
