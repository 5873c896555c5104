#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# shards.sh DISK SHARD SHARD MORE - mkfs.dsfs --tar-index where files can share blocks.
#
# DISK holds an XFS, which may be written to; the others are archives.  The image of two of
# them has their blocks and no copy of them: the map of its blocks says so, and the space
# that is free; it goes on to when they are removed, and more come.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1
dir=$(mktemp -d) image=$(mktemp -d) tmp=$(mktemp -d)
one=$tmp/one.tar two=$tmp/two.tar more=$tmp/more.tar
loop=

# member NAME: of the report
member()
{
	sed -n "s/^\"$1\":\([0-9a-z]*\),*$/\1/p" "$tmp/json"
}

bytes_of()
{
	cat "$@" | wc -c
}

used()
{
	sync
	df -k "$dir" | awk 'NR == 2 { print $3 * 1024 }'
}

# make OPTION...: mkfs.dsfs --tar-index; $took: what that has taken of the disk
make()
{
	took=$(used)
	${tool:-mkfs.dsfs} --json --tar-index "$@" "$dir/set.dsfs" >"$tmp/json" || return 1
	took=$(($(used) - took))
	echo "# $prog: archives $(member archive_bytes), shared $(member cloned_bytes), of the disk $took"
}

all_shared()
{
	[ "$(member cloned_bytes)" -eq "$(bytes_of "$@")" ]
}

# Metadata of the set and of the file system, and no quarter of the archives
little()
{
	[ "$took" -lt $(($(bytes_of "$@") / 4)) ]
}

# shared_blocks FILE: in extents that others have, too; filefrag -v: length, in column 6
shared_blocks()
{
	filefrag -v -b4096 "$1" | tr -d : | awk '/shared/ { n += $6 } END { print n + 0 }'
}

# But for the part of a block at the end of each
blocks_are_shared()
{
	[ "$(shared_blocks "$dir/set.dsfs")" -gt $(($(bytes_of "$@") / 4096 - $#)) ]
}

mount_image()
{
	loop=$(losetup -f)
	losetup -r "$loop" "$dir/set.dsfs" && mount -t dsfs -o ro "$loop" "$image"
}

umount_image()
{
	umount "$image"
	losetup -d "$loop"
}

# The samples are what tar makes of the archives, and the archives are there.
same()
{
	for tar; do
		name=$(basename "$tar" .tar)
		cmp "$tar" "$image/shards/$name.tar" || return 1
		rm -rf "$tmp/want"
		mkdir "$tmp/want"
		tar -xf "$tar" -C "$tmp/want" && diff -r "$tmp/want" "$image/$name" || return 1
	done
}

mount -t xfs "$disk" "$dir"
cp "$2" "$one"
cp "$3" "$two"
cp "$4" "$more"
cp "$one" "$two" "$more" "$dir"
check "an image of two archives" make --tar="$dir/one.tar" --tar="$dir/two.tar"
check "all of their blocks are shared, it says" all_shared "$one" "$two"
check "they are, the file system says" blocks_are_shared "$one" "$two"
check "so are those of an archive" test "$(shared_blocks "$dir/one.tar")" -gt 0
check "it takes little of the disk" little "$one" "$two"
rm "$dir/one.tar" "$dir/two.tar"
mount_image
check "without the archives it is mounted and whole" same "$one" "$two"
umount_image
tool="dsfs update" check "one more" make --tar="$dir/more.tar"
check "all of its blocks are shared, it says" all_shared "$more"
check "they are, the file system says" blocks_are_shared "$more"
check "it takes little of the disk" little "$more"
mount_image
check "all three are there" same "$one" "$two" "$more"
umount_image
umount "$dir"
finish
