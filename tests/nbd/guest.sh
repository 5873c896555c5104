#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh ADDRESS FILES - the guest's part of tests/nbd/run.
#
# The unit dsfs-http@.service lies in /unit: its commands are run as systemd would, for
# the instance 0.
set -eu
prog=nbd
# shellcheck source=tests/guest/lib.sh
. /bin/lib.sh
address=$1
files=$2
mnt=/mnt/image
# shellcheck disable=SC2034 # what the unit's commands refer to
URL=$address/image.dsfs CONNECTIONS=8 OPTIONS=''
mkdir -p "$mnt" /run/dsfs-http-0

# unit KEY: run what the unit has for it, as systemd expands it.
unit()
{
	sed -n "s/^$1=//p" /unit | sed 's/%i/0/g; s,%t,/run,g' | while read -r command; do
		case $command in
		/sbin/modprobe*)	continue ;;
		esac
		eval "$command" </dev/null
	done
}

phase()
{
	wget -q -O /dev/null "$address/phase/$1"
}

same_bytes()
{
	drop_caches
	listing "$mnt"/ >/tmp/list
	cmp /ref/list /tmp/list && (cd "$mnt" && sha256sum -c /ref/list.sums) >/tmp/sums && return
	grep -v ': OK$' /tmp/sums | as_comments
	return 1
}

attach()
{
	unit ExecStart
	unit ExecStartPost
}

# The device is there when its size is; nbd-client does not wait for it.
has_size()
{
	until [ "$(cat /sys/class/block/nbd0/size)" -gt 0 ]; do
		nbd-client -c /dev/nbd0 >/dev/null || return 1
	done
}

# Eight processes read a part each.
read_together()
{
	pids=''
	i=0
	while [ "$i" -lt 8 ]; do
		awk -v i="$i" 'NR % 8 == i { print substr($0, 67) }' /ref/list.sums |
			(cd "$mnt" && xargs cat) >/dev/null & pids="$pids $!"
		i=$((i + 1))
	done
	for pid in $pids; do
		wait "$pid" || return 1
	done
}

detached()
{
	unit ExecStop
	while nbd-client -c /dev/nbd0 >/dev/null; do
		:
	done
	! mount -t dsfs /dev/nbd0 "$mnt" 2>/dev/null
}

net_up
phase mounting
check "the unit's commands attach the image" attach
check "the device has a size" has_size
echo "# Linux $(uname -r): max_sectors_kb $(cat /sys/class/block/nbd0/queue/max_sectors_kb), read_ahead_kb $(cat /sys/class/block/nbd0/queue/read_ahead_kb)"
check "the module mounts it" mount -t dsfs -o ro /dev/nbd0 "$mnt"
phase names
check "all names" [ "$(find "$mnt/set" -type f -size +0 | wc -l)" -eq "$files" ]
phase cold
requests --pattern=pil --seed=1 "$mnt/set" | sed 's/^/# /'
phase mapped
mapped order 1 none "$mnt/weights" | sed 's/^/# /'
phase together
drop_caches
check "eight readers at once" read_together
phase bytes
check "right bytes" same_bytes
until [ "$(wget -q -O - "$address/phase/gone")" = gone ]; do
	:
done
check "right bytes, though the server is away when they are asked for" same_bytes
umount "$mnt"
phase view-names
check "EROFS mounts a view, whose data is the device" mount -t erofs \
	-o ro,nosuid,nodev,device=/dev/nbd0 "$(losetup8 -rf --show /ref/image.view)" "$mnt"
check "all names of a view" [ "$(find "$mnt/set" -type f -size +0 | wc -l)" -eq "$files" ]
phase view-bytes
check "right bytes by a view" same_bytes
phase end
umount "$mnt"
check "the same in one step" mount.dsfs /dev/nbd0 "$mnt" -o nosuid,nodev,driver=erofs
check "is EROFS, with right bytes" eval 'grep -q " $mnt erofs " /proc/mounts && same_bytes'
umount "$mnt"
check "the unit's command detaches it" detached
exit $failed
