# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# shellcheck disable=SC2154 # set by its caller
#
# What a kubelet and ceph-csi do with a snapshot of a volume on a node that nobody
# patched: util-linux's blkid, which does not know DSFS, and its mount with mount.dsfs.
#
# The calls are Kubernetes' own (tests/rbd/kubelet.go); their order and their options are
# those of mountVolumeToStagePath and mountVolume of ceph-csi of October 2024,
# internal/rbd/nodeserver.go.
#
# To be sourced; the program and what it calls of util-linux are in /kubelet.

# kube CALL...: see kubelet.go
kube()
{
	PATH=/kubelet:$PATH /kubelet/kubelet "$@"
}

is_read_only()
{
	awk -v dir="$1" '$2 == dir && $3 == "dsfs" && $4 ~ /^ro/ { n++ } END { exit n != 1 }' \
		/proc/mounts && ! touch "$1/new" 2>/dev/null
}

refused()
{
	! kube mount "$1" /staging _netdev,ro >/tmp/said 2>&1 &&
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
		[ "$(kube format "$dev")" = 'unknown data, probably partitions' ]
	check "kubelet: stages it" kube mount "$dev" /staging _netdev,cache=epoch,ro
	check "kubelet: with the options of the volume" grep -q '/staging dsfs ro.*cache=epoch' /proc/mounts
	for pod in 1 2; do
		check "kubelet: publishes it to pod $pod" kube bind /staging /pods/$pod _netdev,ro
	done
	check "kubelet: pods may only read" is_read_only /pods/1
	check "kubelet: and read what was packed" same_as /pods/1 /ref/list
	check "kubelet: a pod goes" kube unmount /pods/1
	check "kubelet: the other one reads on" same_as /pods/2 /ref/list
	check "kubelet: it goes, too" kube unmount /pods/2
	check "kubelet: nothing holds the volume" kube unmount /staging
	# ceph-csi mounts from its own container.
	rm /sbin/mount.dsfs
	check "kubelet: stages it without mount.dsfs" \
		kube mount "$dev" /staging _netdev,cache=epoch,ro
	check "kubelet: and reads it" same_as /staging /ref/list
	kube unmount /staging
	check "kubelet: which is unmapped" unmap "$dev"
}

# kubelet SIGNED PLAIN: images, each with a snapshot v1
kubelet()
{
	pods "$1" v1
	map node ,read_only "$2" v1
	if [ -z "$(kube format "$dev")" ]; then
		check "kubelet: without a signature, and a blkid that does not know DSFS: refused" \
			refused "$dev"
	else
		echo "# this blkid knows DSFS"
	fi
	unmap "$dev"
}
