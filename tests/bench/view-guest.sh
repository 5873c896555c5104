#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# view-guest.sh SAMPLES - the guest's part of tests/bench/view: prints its rows.
#
# The image of the view and of dsfs-fuse is the drive dsfs, which is mounted for one subject at a time.
set -eu
# shellcheck source=tests/bench/guest.sh
. /guest.sh
samples=$1

# all FIELD: of the devices of $fs
all()
{
	case $fs in
	view)	echo $(($(requests_of "$drives/view" "$1") + $(requests_of "$drives/dsfs" "$1"))) ;;
	fuse)	requests_of "$drives/dsfs" "$1" ;;
	*)	requests_of "$drives/$fs" "$1" ;;
	esac
}

begin()
{
	mkdir -p "/mnt/$fs"
	case $fs in
	view)	mount -t erofs -o "ro,device=$(readlink -f "$drives/dsfs")" \
			"$(readlink -f "$drives/view")" /mnt/view ;;
	fuse)	dsfs-fuse "$drives/dsfs" /mnt/fuse ;;
	*)	mount_at "$fs" "$drives/$fs" ;;
	esac
}

show_kernel
for fs in dsfs view erofs fuse; do
	for form in whole pil; do
		drop_caches
		requests=$(all 1) sectors=$(all 3)
		begin
		figures=$(reader --samples="$samples" $form /files "/mnt/$fs")
		requests=$(($(all 1) - requests)) sectors=$(($(all 3) - sectors))
		echo "# $fs, $form: $figures requests=$requests sectors=$sectors"
		row "$form" "$fs" "$(awk "BEGIN { printf \"%.3f\", $requests / $samples }")" \
			"requests a file"
		row "$form" "$fs" "$(awk "BEGIN { printf \"%.1f\", $sectors / 2 / $samples }")" \
			"KiB a file"
		umount "/mnt/$fs"
	done
	before=$(free_kib)
	begin
	requests --pattern=stat --list=/files "/mnt/$fs" >/dev/null
	row "names" "$fs" "$((before - $(awk '/^MemFree/ { print $2 }' /proc/meminfo)))" "KiB, all known"
	for form in whole pil imread mmap; do
		figures=$(requests --pattern=$form --list=/files --first=200 --warm "/mnt/$fs")
		echo "# $fs, $form: $figures"
		row "$form, in memory" "$fs" "$(echo "$figures" | sed -n 's/.*cache=warm files=\([0-9]*\).* seconds=\([0-9.]*\).*/\1 \2/p' |
			awk '{ printf "%.0f", $2 * 1e9 / $1 }')" "instructions a file"
	done
	umount "/mnt/$fs"
done
