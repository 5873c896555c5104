#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh ROLE NUMBER KEY [ARG...] - the guests' part of tests/rbd/run.
#
#   write IMAGE		map the volume, pack /src onto it
#   update IMAGE	the same, as an update of what is there
#   rewrite IMAGE	pack /src again and again, until it is killed
#   late SPEC		wait, then map, mount and compare every byte
#   switch IMAGE	from snapshot v1 to v2 under a job that runs
#   read SPEC SEED	map, mount, read an epoch, compare every byte
#   peers SPEC...	one epoch of each, one after the other
#   endure SPEC		map, mount, compare every byte whatever the cluster does
#   staging IMAGE SNAP	see tests/rbd/staging.sh
#   timeout IMAGE SNAP	the mapping gives up after 5 seconds: errors, then right bytes
#
# SPEC: FS=IMAGE@SNAPSHOT for a mapping by krbd, FS=disk for /dev/drive/rbd.  KEY is
# the secret of the client "node", which may only read, or "admin" for write.  The
# guest has the address 10.77.0.NUMBER.  It waits for the others before and after an
# epoch (tests/rbd/barrier).
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

write_image()
{
	map admin "" "$1"
	queue=/sys/class/block/${dev#/dev/}/queue
	echo "# max_hw_sectors_kb $(cat "$queue/max_hw_sectors_kb"), optimal_io_size $(cat "$queue/optimal_io_size")"
	check "mkfs.dsfs onto a mapped volume" mkfs.dsfs -q --all-root --threads=2 "$dev" /src
	check "fsck.dsfs of it" fsck.dsfs -q "$dev"
	unmap "$dev"
}

update_image()
{
	map admin "" "$1"
	check "mkfs.dsfs --update of a mapped volume" mkfs.dsfs --all-root --update "$dev" /src
	check "fsck.dsfs of it" fsck.dsfs -q "$dev"
	unmap "$dev"
}

rewrite()
{
	map admin "" "$1"
	while :; do
		mkfs.dsfs -q -f --all-root "$dev" /src
	done
}

late()
{
	barrier
	check "guest $number mounts $1 while its head is written to" mount_spec "$1"
	check "and reads what the snapshot holds" same_bytes
	umount "$mnt"
}

# same_as LINK LIST
same_as()
{
	listing "$1/" >/tmp/list && cmp "$2" /tmp/list
}

switch()
{
	link=/tmp/data
	map node ,read_only "$1" v1
	old=$dev
	map node ,read_only "$1" v2
	check "dsfs-switch makes the link" dsfs-switch "$old" $link
	check "which shows the first tree" same_as $link /ref/list
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
	before=$(readlink $link)
	! dsfs-switch /dev/zero $link 2>/dev/null && [ "$(readlink $link)" = "$before" ] &&
		same_as $link /ref/list2
}

read_image()
{
	check "guest $number mounts $1" mount_spec "$1"
	barrier
	epoch "$2"
	barrier
	check "guest $number reads the right bytes of $1" same_bytes
	umount $mnt
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

endure()
{
	check "guest $number mounts $1" mount_spec "$1"
	barrier
	check "guest $number reads the right bytes of $1, whatever happens" same_bytes
	umount $mnt
}

# Reads fail, and give nothing.
gives_eio()
{
	awk -F '\t' '$2 == "f" && n++ < 3 { print $1 }' /ref/list >/tmp/names
	while read -r name; do
		! cat "$mnt$name" >/tmp/got 2>/tmp/errors || return 1
		[ ! -s /tmp/got ] && grep -q 'Input/output error' /tmp/errors || return 1
	done </tmp/names
	[ -s /tmp/names ]
}

give_up()
{
	map node ,read_only,osd_request_timeout=5 "$1" "$2"
	mount -t dsfs "$dev" $mnt
	barrier
	check "an OSD that does not answer: EIO, and not a byte" gives_eio
	barrier
	drop_caches
	check "right bytes once it answers" same_bytes
	umount $mnt
	unmap "$dev"
}

net_up
case $role in
endure)	endure "$@" ;;
staging) . /bin/staging.sh
	staging "$@" ;;
timeout) give_up "$@" ;;
write)	write_image "$@" ;;
update)	update_image "$@" ;;
rewrite) rewrite "$@" ;;
late)	late "$@" ;;
switch)	switch "$@" ;;
read)	read_image "$@" ;;
peers)	read_peers "$@" ;;
esac
exit $failed
