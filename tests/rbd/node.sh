# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034 # set and read by its callers
#
# What the scripts of the guests on the cluster share: mapping of images, the barrier, an epoch.
#
# To be sourced; the caller sets number, of the guest, and key, and fs for messages.

mnt=/mnt/image
mkdir -p $mnt /mnt/container

# map USER OPTIONS IMAGE [SNAPSHOT]: sets dev.
map()
{
	echo "10.77.0.1:6789 name=$1,secret=$key$2 datasets $3 ${4:--}" \
		>/sys/bus/rbd/add_single_major
	for device in /sys/bus/rbd/devices/*; do
		[ "$(cat "$device/name") $(cat "$device/current_snap")" != "$3 ${4:--}" ] ||
			dev=/dev/rbd${device##*/}
	done
}

unmap()
{
	echo "${1#/dev/rbd}" >/sys/bus/rbd/remove_single_major
}

barrier()
{
	nc 10.77.0.1 7000 </dev/null
}

# A loader's way to read; the counts are the device's.
epoch()
{
	requests --pattern=pil --seed="$1" $mnt | sed "s/^/# guest $number: $fs: /"
}

# same_as DIR LIST: the whole tree, and once more what is in its files.
same_as()
{
	listing "$1/" >/tmp/list || return 1
	cmp "$2" /tmp/list || return 1
	(cd "$1" && sha256sum -c "$2.sums") >/tmp/sums && return
	grep -v ': OK$' /tmp/sums
	return 1
}

same_bytes()
{
	same_as "$mnt" /ref/list
}

# A reader that does not end by itself: cold passes, and a last one when it is told to.
begin_passes()
{
	rm -f /tmp/enough
	while :; do
		[ ! -e /tmp/enough ] || last=1
		drop_caches
		same_bytes || exit 1
		[ -z "${last:-}" ] || exit 0
	done &
	passes=$!
}

end_passes()
{
	touch /tmp/enough
	wait "$passes"
}
