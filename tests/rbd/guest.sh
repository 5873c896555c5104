#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh ROLE NUMBER KEY [ARG...] - the guests' part of tests/rbd/run.
#
#   write IMAGE		map the volume, pack /src onto it
#   update IMAGE	the same, as an update of what is there
#   hold SPEC		map, mount, compare every byte over and over for two barriers
#   switch IMAGE	from snapshot v1 to v2 under a job that runs
#   read SPEC SEED	map, mount, read an epoch, compare every byte
#   peers SPEC...	one epoch of each, one after the other
#   endure SPEC		the same, whatever the cluster does meanwhile
#   timeout IMAGE SNAP	the mapping gives up after 5 seconds: errors, then right bytes
#
# SPEC: FS=IMAGE@SNAPSHOT for a mapping by krbd, FS=disk for /dev/drive/rbd.  KEY is
# the secret of the client "node", which may only read, or "admin" for write.  It waits
# for the others before and after an epoch (tests/rbd/barrier).
set -eu
prog=rbd
# shellcheck source=tests/guest/lib.sh
. /bin/lib.sh
# shellcheck source=tests/rbd/node.sh
. /bin/node.sh

role=$1 number=$2 key=$3
shift 3

# mount_spec FS=WHERE: sets dev and fs.
mount_spec()
{
	fs=${1%%=*}
	case $1 in
	*=disk)	dev=/dev/drive/rbd ;;
	*)	where=${1#*=}
		map node ,read_only "${where%@*}" "${where#*@}" ;;
	esac
	options=ro
	[ "$fs" != ext4 ] || options=ro,noload
	mount -t "$fs" -o "$options" "$dev" $mnt
}

say_limits()
{
	queue=/sys/class/block/${dev#/dev/}/queue
	echo "# Linux $(uname -r): max_hw_sectors_kb $(cat "$queue/max_hw_sectors_kb"), optimal_io_size $(cat "$queue/optimal_io_size")"
}

write_image()
{
	map admin "" "$1"
	say_limits
	check "mkfs.dsfs onto a mapped volume" mkfs.dsfs -q --all-root --threads=2 "$dev" /src
	check "fsck.dsfs of it" fsck.dsfs -q "$dev"
	unmap "$dev"
}

# The volume is mounted: nobody may write to it here.
refuses_update()
{
	! dsfs update --all-root "$dev" /src 2>/tmp/errors &&
		grep -q 'is mounted or in use: an update needs it alone' /tmp/errors &&
		same_bytes
}

update_image()
{
	map admin "" "$1"
	mount -t dsfs -o ro "$dev" "$mnt"
	check "dsfs update of a volume that is mounted here is refused" refuses_update
	umount "$mnt"
	check "dsfs update of a mapped volume" dsfs update --all-root "$dev" /src
	check "fsck.dsfs of it" fsck.dsfs -q "$dev"
	unmap "$dev"
}

hold()
{
	check "guest $number mounts $1" mount_spec "$1"
	barrier
	begin_passes
	barrier
	check "guest $number reads the right bytes of $1, before, meanwhile and after" end_passes
	umount "$mnt"
	unmap "$dev"
}

switch()
{
	link=/tmp/data
	map node ,read_only "$1" v1
	old=$dev
	map node ,read_only "$1" v2
	check "dsfs-switch makes the link" dsfs-switch "$old" $link
	check "which shows the first tree" same_as $link /ref/list
	# As a boot does it: the directory that the link names is a mount point.
	umount "$(readlink $link)"
	mount -t dsfs -o ro "$old" "$(readlink $link)"
	check "the link names the mount point of the next boot" same_as $link /ref/list
	handles save $link/ /tmp/handles
	# A job: an open file, and a directory that it works in.
	name=$(awk -F '\t' '$2 == "f" { print $1; exit }' /ref/changed)
	sum=$(sha256sum <$link"$name")
	exec 7<$link"$name"
	mount --bind $link/ /mnt/container
	check "dsfs-switch to the next snapshot" dsfs-switch "$dev" $link
	check "the link shows the new tree" same_as $link /ref/list2
	check "an open file is what it was" [ "$(sha256sum <&7)" = "$sum" ]
	check "by its name it is another one" [ "$(sha256sum <$link"$name")" != "$sum" ]
	check "a container's bind mount shows the old tree" same_as /mnt/container /ref/list
	check "the old device is in use" cannot_unmap "$old"
	exec 7<&-
	umount /mnt/container
	check "until nobody reads it any more" unmap "$old"
	check "handles of the old generation are stale" only_stale $link/
	check "a device that is none: nothing changes" switch_fails
	umount "$(readlink -f $link)"
}

cannot_unmap()
{
	! unmap "$1" 2>/dev/null
}

only_stale()
{
	handles open "$1" /tmp/handles | tee /tmp/opened
	grep -q '^same=0 other=0 stale=[1-9][0-9]* failed=0$' /tmp/opened
}

switch_fails()
{
	before=$(readlink "$link")
	! dsfs-switch /dev/zero "$link" 2>/dev/null && [ "$(readlink "$link")" = "$before" ] &&
		same_as "$link" /ref/list2
}

read_image()
{
	check "guest $number mounts $1" mount_spec "$1"
	[ "$dev" = /dev/drive/rbd ] || say_limits
	barrier
	epoch "$2"
	barrier
	check "guest $number reads the right bytes of $1" same_bytes
	umount $mnt
	[ "$dev" = /dev/drive/rbd ] || unmap "$dev"
}

read_peers()
{
	for spec; do
		mount_spec "$spec"
		barrier
		epoch 1
		barrier
		umount $mnt
		[ "$dev" = /dev/drive/rbd ] || unmap "$dev"
	done
}

# The cluster's map says that the OSD is gone, so that nothing comes from it any more.
knows_osd_is_down()
{
	grep '^osd0' /sys/kernel/debug/ceph/*/osdmap >/tmp/osd && ! grep -qw up /tmp/osd
}

# Requests that nobody answers yet.
waiting()
{
	awk '{ exit !($1 > 0) }' "/sys/class/block/${dev#/dev/}/inflight"
}

# The reader neither gets on nor fails, and that for longer than a mapping waits that
# gives up (give_up).
blocked()
{
	sleep 10
	waiting && [ "$(disk_count "$dev" 1)" = "$1" ] && kill -0 "$passes"
}

# Between any two of the host's steps there is a barrier.
endure()
{
	mount -t debugfs none /sys/kernel/debug 2>/dev/null || true
	check "guest $number mounts $1" mount_spec "$1"
	barrier
	begin_passes
	barrier
	until knows_osd_is_down && waiting || ! kill -0 "$passes"; do
		:
	done
	before=$(disk_count "$dev" 1)
	barrier
	check "a reader waits as long as the OSD is gone" blocked "$before"
	barrier
	check "guest $number reads the right bytes of $1, whatever happens" end_passes
	umount $mnt
	unmap "$dev"
}

# A read fails, and gives nothing.  Of one file: each try takes its time.
gives_eio()
{
	name=$(awk -F '\t' '$2 == "f" { print $1; exit }' /ref/list)
	! cat "$mnt$name" >/tmp/got 2>/tmp/errors && [ ! -s /tmp/got ] &&
		grep -q 'Input/output error' /tmp/errors
}

give_up()
{
	map node ,read_only,osd_request_timeout=5 "$1" "$2"
	mount -t dsfs "$dev" $mnt
	barrier
	check "an OSD that does not answer: EIO, and not a byte" gives_eio
	barrier
	check "right bytes once it answers" same_bytes
	umount $mnt
	unmap "$dev"
}

net_up
case $role in
endure)	endure "$@" ;;
timeout) give_up "$@" ;;
write)	write_image "$@" ;;
update)	update_image "$@" ;;
hold)	hold "$@" ;;
switch)	switch "$@" ;;
read)	read_image "$@" ;;
peers)	read_peers "$@" ;;
esac
exit $failed
