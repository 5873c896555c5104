#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh - the part of tests/compress/run in a guest.
#
# /ref: sums of the tree, the number of its files that are read whole, the page of /large that
# begins at 1463 * 4096.
set -eu
here=$(dirname "$0")
prog='compress'
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

dir=$(mktemp -d)

# with IMAGE OPTIONS: mount it, its caches empty; device says where.
with()
{
	device=$(readlink -f "/dev/drive/$1")
	sys=/sys/fs/dsfs/${device##*/}
	mount -t dsfs -o "$2" "$device" "$dir"
}

contents()
(
	cd "$dir" && md5sum -c /ref/sums >/tmp/sums 2>&1 || { grep -v ': OK' /tmp/sums; exit 1; }
)

one_request()
{
	echo "# $prog: $(cat "$sys/stats/requests_whole") requests of $(cat /ref/whole) files"
	[ "$(cat "$sys/stats/requests_whole")" -eq "$(cat /ref/whole)" ] &&
		[ "$(cat "$sys/stats/requests_page")" -eq 0 ]
}

# 6 MB in one read: windows and their parts count what is stored.
few_requests()
{
	drop_caches
	before=$(cat "$sys/stats/requests_ahead")
	dd if="$dir/large" bs=6000001 count=1 of=/dev/null 2>/dev/null
	echo "# $prog: $(($(cat "$sys/stats/requests_ahead") - before)) requests of 6 MB"
	[ $(($(cat "$sys/stats/requests_ahead") - before)) -le 3 ]
}

# A page in the middle, alone
late_page()
{
	drop_caches
	dd if="$dir/large" bs=4096 skip=1463 count=1 2>/dev/null | cmp - /ref/late
}

# It is no byte of the device.  busybox' dd has a buffer that no direct read takes.
direct_read()
{
	drop_caches
	aligned-dd if="$dir/large" bs=4096 skip=1463 count=1 iflag=direct 2>/dev/null | cmp - /ref/late &&
		[ "$(cat "$sys/stats/requests_direct")" -eq 0 ]
}

# The last extent, and the only one
encoded()
{
	filefrag -v "$dir/large" >/tmp/extents
	grep -q 'last.*encoded' /tmp/extents && grep -q ': 1 extent found' /tmp/extents
}

smaller_blocks()
{
	[ $(($(stat -c %b "$dir/large") * 512)) -lt 4000000 ] &&
		[ "$(stat -c %b "$dir/noise")" -eq 586 ]
}

for codec in zstd lz4; do
	with $codec ro
	check "$codec: contents" contents
	check "$codec: one request a file" one_request
	check "$codec: few requests of a large file" few_requests
	check "$codec: a page from the middle" late_page
	check "$codec: FIEMAP" encoded
	check "$codec: blocks" smaller_blocks
	umount "$dir"
	for options in meta=lazy wholefile=0 verify=off; do
		with $codec ro,$options
		check "$codec, $options: contents" contents
		check "$codec, $options: direct read" direct_read
		umount "$dir"
	done
	with un$codec ro
	check "$codec, no checksums: contents" contents
	umount "$dir"
done

# Of a broken frame: an error that is counted, and the other units and files
broken()
{
	! cat "$dir/large" >/tmp/large 2>/tmp/error && grep -q "$2" /tmp/error &&
		[ "$(cat "$sys/$1")" -gt 0 ] && late_page &&
		! (cd "$dir" && md5sum -c /ref/sums 2>/dev/null | grep -v ': OK' | grep -v '^large:')
}

for image in bad-head bad-token bad-end; do
	with $image ro
	check "$image" broken structure_errors 'needs cleaning'
	umount "$dir"
done
with bad-chunk ro
check bad-chunk broken checksum_errors 'Bad message'
umount "$dir"
finish
