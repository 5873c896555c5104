#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# cache-guest.sh SCENARIO... - what tests/bench/native/epochs and tests/cache run in a guest.
#
# A SCENARIO is NAME:SUBJECT:SHARE:PROCS:PATTERN:EPOCHS, see native/epochs.  Memory that is not
# to be had is taken by a process that locks it, so that MemAvailable is SHARE percent of
# the set when the first epoch begins.
#
# Environment: BENCH_LIB, BENCH_LIST, BENCH_DRIVES, BENCH_NFS: where guest.sh, the list, the
# drives and nfs-serve.sh are, if not at the root or in /bin.
set -eu
# shellcheck source=tests/bench/guest.sh
. "${BENCH_LIB:-/guest.sh}"
list=${BENCH_LIST:-/list}
drives=${BENCH_DRIVES:-$drives}

say_stats()
{
	for file in /sys/fs/dsfs/*/stats/cache_*; do
		[ ! -e "$file" ] || echo "# $1 ${file##*/} $(cat "$file")"
	done
}

# options_of SUBJECT
options_of()
{
	case $1 in
	dsfs-epoch)	echo ro,cache=epoch ;;
	dsfs-lru)	echo ro,cache=lru ;;
	*)		echo ro ;;
	esac
}

start()
{
	fs=${1%-epoch}
	fs=${fs%-lru}
	mkdir -p /mnt/set
	mount -t "$fs" -o "$(options_of "$1")" "$drives/$fs" /mnt/set
	set_bytes=$(epochs --list="$list" --size /mnt/set)
	echo "# set_bytes $set_bytes"
	# Its metadata and inodes are there before memory is shared out
	echo 1 >/proc/sys/vm/drop_caches
}

stop()
{
	say_stats "$1"
	umount /mnt/set
}

# eat PERCENT: of the set is what is left
eat()
{
	rm -f /tmp/eat
	mkfifo /tmp/eat
	epochs --eat=$((set_bytes * $1 / 100)) >/tmp/eat &
	eater=$!
	read -r said </tmp/eat
	echo "# $said"
	share=$(awk -v a="${said#available=}" -v s="$set_bytes" 'BEGIN { printf "%.4f", a / s }')
}

uneat()
{
	kill "$eater"
	wait "$eater" 2>/dev/null || true
}

# run SUBJECT ARG...: epochs, each line with what it is of
run()
{
	subject=$1
	shift
	epochs --list="$list" "$@" /mnt/set | sed "/^epoch/s/^/$shown $subject share=$share /"
}

# begin_group CONTROLLER: make the control group $group
begin_group()
{
	group=/sys/fs/cgroup/job
	[ -e /sys/fs/cgroup/cgroup.controllers ] || mount -t cgroup2 none /sys/fs/cgroup
	echo "+$1" >/sys/fs/cgroup/cgroup.subtree_control
	mkdir -p $group
}

in_group()
(
	read -r pid _ </proc/self/stat
	echo "$pid" >$group/cgroup.procs
	"$@"
)

# run_memcg SUBJECT ARG...: the same in a cgroup that may use as much as the share; its
# own memory, of processes and inodes, is no room.
run_memcg()
{
	begin_group memory
	echo $((set_bytes * percent / 100)) >$group/memory.max
	[ "$name" != full ] || in_group fill
	subject=$1
	shift
	in_group epochs --list="$list" "$@" /mnt/set >/tmp/memcg
	# What is left of it, and what it says that it had
	own=$(awk '/^kernel / { n = $2 } /^# own / { o = $3 } END { print n + o }' \
		$group/memory.stat /tmp/memcg)
	share=$(awk -v p="$percent" -v o="$own" -v s="$set_bytes" \
		'BEGIN { c = p / 100 - o / s; printf "%.4f", c < 1 ? c : 1 }')
	sed "/^epoch/s/^/$name $subject share=$share /" /tmp/memcg
	awk '/^max / { print "# memcg_max", $2 } /^oom / { print "# memcg_oom", $2 }' $group/memory.events
	echo "# memcg_left $(($(cat $group/memory.max) - $(cat $group/memory.peak)))"
	rmdir $group 2>/dev/null || true
}

# run_node SUBJECT ARG...: the same on the last node of several; what is free there, but for
# what its zones keep free, is what the job may have.
run_node()
{
	begin_group cpuset
	node=$(sed 's/.*-//' /sys/fs/cgroup/cpuset.mems.effective)
	echo "$node" >$group/cpuset.mems
	share=$(awk -v node="$node" -v s="$set_bytes" '
		/^Node/ { mine = $2 == node "," }
		mine && $1 == "high" { n -= $2 }
		mine && $1 == "pages" && $2 == "free" { n += $3 }
		END { printf "%.4f", n * 4096 / s }' /proc/zoneinfo)
	subject=$1
	shift
	in_group epochs --list="$list" "$@" /mnt/set | sed "/^epoch/s/^/$name $subject share=$share /"
	rmdir $group
}

# A server, and a client that keeps nothing of what its server reads
begin_nfs()
{
	# shellcheck source=tests/guest/nfs-serve.sh
	. "${BENCH_NFS:-/bin/nfs-serve.sh}"
	nfs_serve /mnt/set
	mkdir -p /mnt/client
	trymount -l -t nfs4 -o "$nfs_options" 127.0.0.1:/ /mnt/client >/dev/null
	# The client's inodes are here, too, and would be another machine's.
	epochs --list="$list" --size /mnt/client >/dev/null
}

end_nfs()
{
	umount /mnt/client
	nfs_end /mnt/set
	mount -t "$fs" -o "$(options_of "$1")" "$drives/$fs" /mnt/set
}

# run_nfs SUBJECT ARG...
run_nfs()
{
	subject=$1
	shift
	epochs --list="$list" --pattern=direct --counted=/mnt/set "$@" /mnt/client |
		sed "/^epoch/s/^/$name $subject share=$share /"
}

# lists YES: reclaim by generations where the kernel can, n: by its two lists
lists()
{
	[ ! -e /sys/kernel/mm/lru_gen/enabled ] || echo "$1" >/sys/kernel/mm/lru_gen/enabled
}

# What others have read and do not want any more: all memory full of it
fill()
{
	i=0
	while [ $i -lt "${1:-1}" ]; do
		dd if="$drives/other" of=/dev/null bs=1M 2>/dev/null
		i=$((i + 1))
	done
}

for scenario in "$@"; do
	IFS=: read -r shown subject percent procs pattern count <<EOF
$scenario
EOF
	name=${shown#lists-}
	lists "$([ "$name" = "$shown" ] && echo y || echo n)"
	start "$subject"
	# Not the metadata, which is no cache, but what is made of it
	[ "$name" != inodes ] || {
		mkdir -p /mnt/names
		mount -t dsfs -o ro "$drives/names" /mnt/names
	}
	# What the server's threads have, and the client, is not there for files.
	[ "$name" != nfs ] || begin_nfs
	# Its memory is limited by other means
	case $name in
	memcg)	eat 110 ;;
	full)	eat $((percent + 10)) ;;
	node)	;;
	*)	eat "$percent" ;;
	esac
	case $name in
	cold)	fill 1 ;;
	warm)	fill 2 ;;
	inodes)	find /mnt/names -size +0 >/dev/null
		awk '/^SReclaimable/ { print "# inodes and dentries: " $2 " KiB" }' /proc/meminfo ;;
	stream)	: >/tmp/streaming
		(while [ -e /tmp/streaming ]; do fill 1; done) & streamer=$! ;;
	pageout)
		mkdir -p /mnt/one
		mount -t dsfs -o ro,cache=epoch "$drives/rings" /mnt/one
		access pageouts /mnt/one/b1 & pager=$! ;;
	esac
	case $name in
	move)
		run "$subject" --procs="$procs" --pattern="$pattern" --epochs=3 --part=0 --parts=2
		run "$subject" --procs="$procs" --pattern="$pattern" --epochs="$count" --part=1 \
			--parts=2 --first=11 ;;
	hog)
		run "$subject" --procs="$procs" --pattern="$pattern" --epochs=3
		# 40 % of the set, beside what is there
		epochs --eat=$((set_bytes * (percent - 40) / 100)) >/tmp/eat &
		hog=$!
		read -r said </tmp/eat
		run "$subject" --procs="$procs" --pattern="$pattern" --epochs=2 --first=11
		kill "$hog"
		wait "$hog" 2>/dev/null || true
		run "$subject" --procs="$procs" --pattern="$pattern" --epochs=3 --first=21 ;;
	two)
		run "$subject" --procs="$procs" --pattern="$pattern" --epochs="$count" &
		run "$subject" --procs="$procs" --pattern="$pattern" --epochs="$count" --seed=7
		wait $! ;;
	nfs)	run_nfs "$subject" --procs="$procs" --epochs="$count" ;;
	node)	run_node "$subject" --procs="$procs" --pattern="$pattern" --epochs="$count" ;;
	memcg|full)
		run_memcg "$subject" --procs="$procs" --pattern="$pattern" --epochs="$count" ;;
	*)	run "$subject" --procs="$procs" --pattern="$pattern" --epochs="$count" ;;
	esac
	[ "$name" != stream ] || { rm /tmp/streaming; wait "$streamer"; }
	[ "$name" != pageout ] || { kill "$pager"; wait "$pager" 2>/dev/null || true; umount /mnt/one; }
	[ "$name" != inodes ] || umount /mnt/names
	[ "$name" != nfs ] || end_nfs "$subject"
	grep -E '^(oom_kill|pgscan_kswapd|pgscan_direct|pgsteal_kswapd) ' /proc/vmstat | tr '\n' ' ' | sed 's/^/# /'
	echo
	awk '/^(MemFree|MemAvailable|Inactive.file|Active.file|SReclaimable)/ { printf "# %s %d MiB", $1, $2 / 1024 }' \
		/proc/meminfo
	for file in /sys/fs/dsfs/*/cache_held /sys/fs/dsfs/*/cache_target; do
		[ ! -e "$file" ] || echo "# ${file##*/}: $(($(cat "$file") >> 20)) MiB"
	done
	[ "$name" = node ] || uneat
	stop "$subject"
done
