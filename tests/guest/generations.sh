#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# generations.sh DEVICE FIRST OTHER - an image that was updated: which tree a mount shows.
#
# DEVICE holds generations 1 and 2, whose listings are gen1.list and gen2.list in $REF
# (default: /ref).  FIRST is what it was before the update, OTHER an
# image of the same tree and length with another UUID.
set -eu
. "$(dirname "$0")/lib.sh"

dev=$1
first=$2
other=$3
ref=${REF:-/ref}
dir=/mnt/generation dir2=/mnt/generation2
mkdir -p $dir $dir2

# shows DIR N: the tree of generation N, all of it.
shows()
{
	listing "$1" >/tmp/list && cmp -s /tmp/list "$ref/gen$2.list"
}

# another ERRNO TEXT OPTIONS [DEVICE]: a mount that is refused
another()
{
	refused "$1" "$2" -o "$3" "${4:-$dev}" "$dir2"
}

mounted()
{
	mount -t dsfs -o "$1" "$dev" "$2"
}

# device IS: = or !=
device()
{
	test "$(stat -c %d "$dir")" "$1" "$(stat -c %d "$dir2")"
}

newest()
{
	check "the newest generation is the default" mounted ro $dir
	check "and its tree is right" shows $dir 2
	check "a mount of the same one by number" mounted generation=2 $dir2
	check "shares the super block" device =
	umount $dir2
	check "another generation of a mounted device" another EBUSY \
		"generation 2 is mounted, generation 1 was asked for" generation=1
	handles save $dir /tmp/handles2
	check "handles of the generation itself open what they named" \
		opens $dir /tmp/handles2 "$named"
	umount $dir
}

# opens DIR FILE RESULT: all handles are of one kind.
opens()
{
	handles open "$1" "$2" >/tmp/opened
	grep -qx "$3" /tmp/opened || { sed 's/^/# /' /tmp/opened; return 1; }
}

named='same=[1-9][0-9]* other=0 stale=0 failed=0' stale='same=0 other=0 stale=[1-9][0-9]* failed=0'

older()
{
	check "an older generation" mounted generation=1 $dir
	check "its tree is what it was" shows $dir 1
	check "sysfs tells it" [ "$(cat /sys/fs/dsfs/*/generation)" = 1 ]
	check "/proc/mounts tells it" grep -q " $dir dsfs .*generation=1" /proc/mounts
	check "handles of the newer one are stale there" opens $dir /tmp/handles2 "$stale"
	handles save $dir /tmp/handles1
	check "the newest of a device of which an older one is mounted" another EBUSY \
		"generation 1 is mounted, generation 2 was asked for" ro
	check "a remount to another one" refused EINVAL '' -r -o ro,generation=2 $dir
	check "and it shows the same tree" shows $dir 1
	check "a remount that names the same one" trymount -r -o ro,generation=1 $dir
	umount $dir
	mounted ro $dir
	check "handles of an older generation are stale" opens $dir /tmp/handles1 "$stale"
	umount $dir
	mount -t dsfs "$other" $dir
	check "and of another image, of the same generation" opens $dir /tmp/handles1 "$stale"
	umount $dir
}

wrong()
{
	check "a generation that is not kept" another ENOENT \
		"generation 3 is not kept in this image: the newest is 2" generation=3
	check "generation 0" another EINVAL "0 is none" generation=0
	check "no number" another EINVAL "" generation=one
	check "a number that is too large" another "E[A-Z]*" "" generation=18446744073709551616
}

# Each on a device of its own.
beside()
{
	mounted ro $dir
	loop=$(losetup -f)
	losetup -r "$loop" "$dev"
	check "an older one on a loop device, beside the newest" \
		mount -t dsfs -o generation=1 "$loop" $dir2
	check "has a super block of its own" device !=
	check "the newest is right" shows $dir 2
	check "the older one is right" shows $dir2 1
	umount $dir2
	umount $dir
	losetup -d "$loop"
}

# The image moves on under a mount, as on shared storage, behind the page cache of
# the device, which still holds the old superblock.
moves_on()
{
	mkdir -p /tmp/moves
	mount -t tmpfs none /tmp/moves
	image=/tmp/moves/image
	# As long as it will be: a loop device does not grow by itself.
	dd if="$dev" of=$image bs=1M 2>/dev/null
	dd if="$first" of=$image conv=notrunc bs=1M 2>/dev/null
	loop=$(losetup -f)
	losetup "$loop" $image
	exec 8<"$loop"
	cat <&8 >/dev/null
	check "generation 1 alone" mount -t dsfs "$loop" $dir
	check "is what it was" shows $dir 1
	dd if="$dev" of=$image conv=notrunc bs=1M 2>/dev/null
	check "another mount is not given the old tree" another EBUSY \
		"generation 1 is mounted, generation 2 was asked for" ro "$loop"
	dd if="$other" of=$image conv=notrunc bs=1M 2>/dev/null
	check "nor where another image of the same generation is" another EBUSY \
		"the device holds another image" ro "$loop"
	dd if="$dev" of=$image conv=notrunc bs=1M 2>/dev/null
	check "the first mount goes on" shows $dir 1
	umount $dir
	check "the next mount does not believe the page cache" mount -t dsfs "$loop" $dir
	check "and shows what is there now" shows $dir 2
	umount $dir
	exec 8<&-
	losetup -d "$loop"
	umount /tmp/moves
}

# An older superblock lies in a region of its own: behind meta_start, where the record of
# region 11 says, both in the superblock at 1024.
damaged()
{
	mkdir -p /tmp/damaged
	mount -t tmpfs none /tmp/damaged
	image=/tmp/damaged/image
	dd if="$dev" of=$image bs=1M 2>/dev/null
	start=$(od -An -v -t u8 -j 1176 -N 8 $image)
	region=$(od -An -v -t u8 -j 1456 -N 8 $image)
	printf '\377' | dd of=$image bs=1 seek=$((start + region + 40)) conv=notrunc 2>/dev/null
	loop=$(losetup -f)
	losetup -r "$loop" $image
	check "the history of a generation is damaged" another EBADMSG \
		"generation 1: the history of generation 2: superblock checksum" \
		generation=1 "$loop"
	check "the newest generation needs none" mount -t dsfs "$loop" $dir
	umount $dir
	losetup -d "$loop"
	umount /tmp/damaged
}

# --- an overlay, whose upper layer keeps handles of what it was copied from ---

scratch=/tmp/overlay merged=/mnt/merged

# overlay OPTIONS CMD...: CMD is try, or refused with what is expected
overlay()
{
	options=$1
	shift
	"$@" -l -t overlay -o \
		"lowerdir=$dir,upperdir=$scratch/upper,workdir=$scratch/work,$options" \
		overlay "$merged"
}

# A file that is the same in both trees, behind some that are not and before others: its
# number is another file's in the second.
pick_moved()
{
	awk -F '\t' '$2 == "f" && NR == FNR { seen[$0] = 1 }
		NR != FNR && $2 == "f" && seen[$0] { names[n++] = $1 }
		END { print names[int(n / 2)] }' "$ref/gen1.list" "$ref/gen2.list"
}

# Generation 1 below an empty upper layer, into which one file is copied up.
copy_up()
{
	mkdir -p $scratch $merged
	mount -t tmpfs none $scratch
	mkdir $scratch/upper $scratch/work
	mounted generation=1 $dir
	number=$(stat -c %i "$dir$moved")
	{ cat "$dir$moved"; echo more; } >$scratch/want
	check "an overlay over an older generation, $1" overlay "$1" try
	echo more >>"$merged$moved"
	umount $merged
	umount $dir
}

# others LIST: its files but the one that was copied up.
others()
{
	awk -F '\t' -v name="$moved" '$2 == "f" && $1 != name' "$1"
}

shows_second()
{
	listing "$merged" >/tmp/list || return 1
	others /tmp/list >/tmp/others
	others "$ref/gen2.list" | cmp -s - /tmp/others
}

# No two files are told to be one.
all_numbers_differ()
{
	find "$merged" -type f -exec stat -c %d:%i {} + | sort | uniq -d >/tmp/twice
	[ ! -s /tmp/twice ] || { sed 's/^/# /' /tmp/twice; return 1; }
}

origins()
{
	moved=$(pick_moved)
	copy_up index=on,nfs_export=on
	mounted generation=2 $dir
	check "a file that stays has another number in the next generation" \
		[ "$(stat -c %i "$dir$moved")" != "$number" ]
	check "its old number is another file's" [ -n "$(find $dir -type f -inum "$number")" ]
	check "with an index the overlay does not mount over the next generation: ESTALE" \
		overlay index=on,nfs_export=on refused ESTALE ''
	umount $dir
	mounted generation=1 $dir
	check "over the one of before it does" overlay index=on,nfs_export=on try
	check "and shows what was written" cmp $scratch/want "$merged$moved"
	umount $merged
	umount $dir
	umount $scratch

	copy_up index=off
	mounted generation=2 $dir
	check "without an index it does" overlay index=off try
	check "what was copied up is as it was written" cmp $scratch/want "$merged$moved"
	check "what was not is the next generation's" shows_second
	check "no file has the number of another" all_numbers_differ
	umount $merged
	umount $dir
	umount $scratch
}

newest
older
wrong
damaged
beside
moves_on
origins
exit $failed
