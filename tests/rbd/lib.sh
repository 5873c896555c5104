# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests on a real cluster share: the cluster, images on it, guests, and what
# the OSD counted.
#
# To be sourced by tests/rbd/NAME, with the top of the checkout as the working
# directory from here on.  begin() starts all, and the EXIT trap ends it.

# shellcheck source=tests/lab/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lab/lib.sh"
cd "$lab_top" || exit 1
# shellcheck source=tests/harness/cases.sh
. tests/harness/cases.sh
prog=$tool
PATH=$PATH:/usr/sbin:/sbin
files=${RBD_FILES:-300}
out=build/tests/$tool

# phase FUNCTION [ARG...]: how long a part of the test takes is worth knowing.
phase()
{
	local start=$SECONDS

	"$@"
	echo "# $1: $((SECONDS - start)) s"
}

cluster()
{
	tests/rbd/cluster "$1" "$dir" "${@:2}"
}

in_ns()
{
	cluster exec "$@"
}

rbd()
{
	in_ns rbd "$@"
}

end_cluster()
{
	cluster stop
	wait
	rm -rf "$dir"
}

# --- images ---------------------------------------------------------------

# describe TREE LIST: what an image of the tree has to hold, found out without one.  The
# listing has all attributes, the sums say once more what is in the files, by a program
# that has no code of ours.
describe()
{
	build/tests/listing --as-packed "$out/$1" >"$out/$2"
	tests/tools/digest.py full "$out/$1" >"$out/$2.digest"
	(cd "$out/$1" && find . -type f -exec sha256sum {} +) >"$out/$2.sums"
}

make_images()
{
	rm -rf "$out"
	mkdir -p "$out"
	build/tests/mkset --files="$files" --classes=20 "$out/tree"
	build/mkfs.dsfs -q --all-root --align=object=4M "$out/dsfs.img" "$out/tree"
	describe tree list
	mke2fs -q -q -F -t ext4 -O ^has_journal -m 0 -d "$out/tree" "$out/ext4.img" \
		$(($(stat -c %s "$out/dsfs.img") * 5 / 4096))k
	mkfs.erofs --quiet -E noinline_data "$out/erofs.img" "$out/tree"
}

snapshot()
{
	rbd snap create --no-progress "datasets/$1"
	rbd snap protect "datasets/$1"
}

import_images()
{
	local fs

	for fs; do
		rbd import --no-progress --image-feature layering "$out/$fs.img" "datasets/$fs"
		snapshot "$fs@v1"
	done
}

# --- guests ---------------------------------------------------------------

key_of()
{
	in_ns ceph auth get-key "client.$1"
}

# guest KERNEL NUMBER ROLE [OPTION...] -- [ARG...]
guest()
{
	local kernel=$1 number=$2 role=$3 options=() user=node

	shift 3
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	case $role in
	write|update) user="admin" ;;
	esac
	in_ns tests/vm/run --kernel "$kernel" --module-ko "build/modules/$kernel/dsfs.ko" \
		--mod virtio_net --mod rbd --mod-if crc32c-intel --timeout 600 \
		--qemu -name --qemu "$(<"$dir/netns")-$number" \
		--qemu -netdev --qemu user,id=n,net=10.78.0.0/24 \
		--qemu -device --qemu virtio-net-pci,netdev=n \
		--exe build/tests/requests --exe build/tests/listing \
		--file "$out/list:/ref/list" --file "$out/list.sums:/ref/list.sums" \
		--file tests/guest/lib.sh:/bin/lib.sh --file tests/harness/cases.sh:/bin/cases.sh --file tests/rbd/node.sh:/bin/node.sh \
		--file tests/rbd/guest.sh:/bin/guest.sh \
		"${options[@]}" -- /bin/guest.sh "$role" "$number" "$(key_of $user)" "$@"
}

# guest_result NAME GUEST...: its cases, and whether it ended well.
guest_result()
{
	local name=$1 rc=0

	shift
	guest "$@" || rc=$?
	prog="$tool: $name" verdict $rc
	return $rc
}

# QEMU's own driver: a disk of the host's librbd.
librbd_disk()
{
	printf '%s\n' --qemu -drive --qemu \
		"if=none,id=rbd,format=raw,readonly=on,file=rbd:datasets/$1:id=qemu:conf=$dir/ceph.conf" \
		--qemu -device --qemu virtio-blk-pci,drive=rbd,serial=rbd --mod virtio_blk
}

# --- what the cluster counted ---------------------------------------------

# Reads, bytes written, bytes read.  Not the writes: librbd's watch on a header, which
# it renews every few seconds, counts as one of no bytes.
osd_counts()
{
	in_ns ceph daemon "$dir/run/osd.0.asok" perf dump osd |
		tests/harness/json '" ".join(str(d["osd"][x] + d["osd"].get(y, 0)) for x, y in (
			("op_r", 0), ("op_w_in_bytes", "op_rw_in_bytes"), ("op_r_out_bytes", 0)))'
}

start_barrier()
{
	coproc barrier { exec ip netns exec "$(<"$dir/netns")" tests/rbd/barrier "$1"; }
}

stop_barrier()
{
	# shellcheck disable=SC2154 # coproc sets it
	kill "$barrier_PID"
	wait "$barrier_PID" 2>/dev/null || true
}

# Until all guests wait.
all_wait()
{
	read -r -t 500 _ <&"${barrier[0]}" || die "the guests do not come"
}

go_on()
{
	echo >&"${barrier[1]}"
}

# go_on_then COUNT: the same; as many meet the next time.
go_on_then()
{
	echo "$1" >&"${barrier[1]}"
}

# counted NAME READERS: the phase between two barriers; sets reads, writes, bytes.
counted()
{
	local before after

	all_wait
	before=$(osd_counts)
	go_on
	all_wait
	after=$(osd_counts)
	go_on
	read -r reads writes bytes < <(awk '{ print $4 - $1, $5 - $2, $6 - $3 }' \
		<<<"$before $after")
	per_file=$(awk -v r="$reads" -v n=$(($2 * files)) 'BEGIN { printf "%.3f", r / n }')
	echo "# $1: $reads reads of $bytes bytes by $2 x $files files: $per_file a file; $writes bytes written"
}

at_most()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'
}

# begin KERNEL...: programs, modules, a tree, the cluster.
begin()
{
	local kernel

	make -s tools build/tests/{requests,listing,mkset,handles}
	for kernel; do
		tests/lab/dsfs-module "$kernel" >/dev/null
	done
	make_images
	dir=$(mktemp -d /tmp/dsfs-rbd.XXXXXX)
	at_exit end_cluster
	cluster start 4
}
