#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# packs-guest.sh PROGRAM LIST SAMPLES SUBJECTS - the guest's side of tests/bench/packs: prints its
# rows.  Python is that of the host, below /host.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh

program=$1 list=$2 samples=$3 subjects=$4

show_kernel
for dir in proc sys dev; do
	mount -o bind "/$dir" "/host/$dir"
done
cp "/host$list" /list
mount -t tmpfs none /host/tmp
for fs in $subjects; do
	type=ext4 form=${fs#ext4-} options=ro
	case $fs in
	dsfs|erofs|ext4)	type=$fs form=tree ;;
	squashfs-zstd)		type=squashfs form=tree ;;
	dsfs-verify-off)	type=dsfs form=tree options=ro,verify=off ;;
	esac
	add_device "$fs" 1000000
	at=/host/tmp/$fs
	mkdir "$at"
	mount -t "$type" -o "$options" "/dev/b-$fs" "$at"
	if [ "$fs" = ext4-loop ]; then
		mount -t ext4 -o ro,loop "$at/image" "$at"
		form=tree
	fi
	show_device "/dev/b-$fs" "1 ms a request"
	chroot /host /usr/bin/python3 -B "$program" read "$form" "/tmp/$fs" "$fs" "$samples" </list
	while umount "$at" 2>/dev/null; do :; done
	remove_device "$fs"
done
