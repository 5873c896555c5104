# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# shellcheck disable=SC2154 # set by its caller
#
# What a kubelet and ceph-csi do with a snapshot of a volume on a node that nobody
# patched: util-linux's blkid, which does not know DSFS, and its mount with mount.dsfs.
#
# The calls and their order are those of kubernetes/mount-utils 1.36, mount_linux.go
# (getDiskFormat, formatAndMountSensitive, bindMountSensitive), for options as
# mountVolumeToStagePath and mountVolume of ceph-csi of October 2024, internal/rbd/nodeserver.go,
# give them.  A kubelet that systemd started runs the same mount in a scope of its own.
#
# To be sourced; programs of util-linux are in /kubelet.

# disk_format DEVICE: nothing if it would be formatted; fails if nobody knows.
disk_format()
{
	said=$(/kubelet/blkid -p -s TYPE -s PTTYPE -o export "$1" 2>&1) || {
		[ $? -eq 2 ] && return
		echo "# blkid: $said" >&2
		return 1
	}
	case $said in
	*PTTYPE=?*)	echo 'unknown data, probably partitions' ;;
	*TYPE=?*)	echo "$said" | sed -n 's/^TYPE=//p' ;;
	esac
}

# format_and_mount DEVICE DIR OPTIONS: read-only, as those of all snapshots are
format_and_mount()
{
	found=$(disk_format "$1") || return 1
	[ -n "$found" ] || { echo "cannot mount unformatted disk $1"; return 1; }
	/kubelet/mount -t dsfs -o "$3,defaults" "$1" "$2"
}

# bind_mount DIR DIR: for a container, with the flags that the first one has
bind_mount()
{
	/kubelet/mount -t dsfs -o bind,_netdev "$1" "$2" || return 1
	flags=$(awk -v dir="$1" '$2 == dir {
		n = split($4, all, ",")
		for (i = 1; i <= n; i++)
			if (all[i] ~ /^(ro|nodev|noexec|nosuid|noatime|relatime|nodiratime)$/)
				printf ",%s", all[i] }' /proc/mounts)
	/kubelet/mount -t dsfs -o "bind,remount,_netdev,ro$flags" "$1" "$2"
}

is_read_only()
{
	awk -v dir="$1" '$2 == dir && $3 == "dsfs" && $4 ~ /^ro/ { n++ } END { exit n != 1 }' \
		/proc/mounts && ! touch "$1/new" 2>/dev/null
}

refused()
{
	! format_and_mount "$1" /staging _netdev,ro >/tmp/said 2>&1 &&
		grep -q 'cannot mount unformatted disk' /tmp/said
}

# The kernel has scanned the mapped device for partitions.
no_partitions()
{
	[ "$(cat "/sys/block/${1#/dev/}/ext_range")" -gt 1 ] &&
		! grep -q "${1#/dev/}p" /proc/partitions
}

# pods IMAGE SNAPSHOT: two of them, on one mount
pods()
{
	mkdir -p /staging /pods/1 /pods/2 /run/mount
	map node ,read_only "$1" "$2"
	check "kubelet: a mapped snapshot has no partitions" no_partitions "$dev"
	check "kubelet: a boot signature keeps it from formatting" \
		[ "$(disk_format "$dev")" = 'unknown data, probably partitions' ]
	check "kubelet: stages it" format_and_mount "$dev" /staging _netdev,cache=epoch,ro
	check "kubelet: with the options of the volume" grep -q '/staging dsfs ro.*cache=epoch' /proc/mounts
	for pod in 1 2; do
		check "kubelet: publishes it to pod $pod" bind_mount /staging /pods/$pod
	done
	check "kubelet: pods may only read" is_read_only /pods/1
	check "kubelet: and read what was packed" same_as /pods/1 /ref/list
	check "kubelet: a pod goes" /kubelet/umount /pods/1
	check "kubelet: the other one reads on" same_as /pods/2 /ref/list
	check "kubelet: it goes, too" /kubelet/umount /pods/2
	check "kubelet: nothing holds the volume" /kubelet/umount /staging
	# ceph-csi mounts from its own container.
	rm /sbin/mount.dsfs
	check "kubelet: stages it without mount.dsfs" \
		format_and_mount "$dev" /staging _netdev,cache=epoch,ro
	check "kubelet: and reads it" same_as /staging /ref/list
	/kubelet/umount /staging
	check "kubelet: which is unmapped" unmap "$dev"
}

# kubelet SIGNED PLAIN: images, each with a snapshot v1
kubelet()
{
	pods "$1" v1
	map node ,read_only "$2" v1
	if [ -z "$(disk_format "$dev")" ]; then
		check "kubelet: without a signature, and a blkid that does not know DSFS: refused" \
			refused "$dev"
	else
		echo "# this blkid knows DSFS"
	fi
	unmap "$dev"
}
