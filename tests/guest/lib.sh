# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# shellcheck disable=SC3043,SC2154 # local, see cases.sh; disk, dm and dir are the script's
#
# What the guest's shell scripts share: the harness, and things to ask the kernel.  To be
# sourced by scripts for busybox' sh.  `here` is their folder, `prog` names the script; `disk`
# is the device under test, `dir` where it is mounted, /tmp/said what trymount said last.
# Nothing is tidied up: the guest goes away.

here=$(dirname "$0")
prog=${prog:-$(basename "$0" .sh)}
# In a guest the harness lies beside the scripts, in a checkout in a folder of its own.
harness=$here/cases.sh
[ -e "$harness" ] || harness=$here/../harness/cases.sh
# shellcheck source=tests/harness/cases.sh
. "$harness"

# fails CMD...
fails()
{
	! "$@" 2>/dev/null
}

# --- devices ------------------------------------------------------------------

# Nothing here waits for udev, which guests have not.
export DM_DISABLE_UDEV=1

# Tables for dmsetup: all of $disk by one TARGET, or as it is.
whole()
{
	echo "0 $(blockdev --getsz "$disk") $1"
}

linear()
{
	whole "linear $disk 0"
}

# table FROM TO TARGET...: $disk, but bytes [FROM, TO) by another TARGET, in whole sectors; an @
# in it is the sector that they begin at.
table()
{
	local from=$(($1 / 512)) to=$((($2 + 511) / 512)) sectors

	sectors=$(blockdev --getsz "$disk")
	shift 2
	[ "$from" -eq 0 ] || echo "0 $from linear $disk 0"
	echo "$from $((to - from)) $*" | sed "s/@/$from/"
	[ "$to" -ge "$sectors" ] || echo "$to $((sectors - to)) linear $disk $to"
}

# The device $dm is as the table on stdin says, from now on.
become()
{
	dmsetup load --readonly "${dm##*/}"
	dmsetup suspend --nolockfs "${dm##*/}"
	dmsetup resume "${dm##*/}"
}

# The device does not answer; nothing that waits for it is sent again.
silence()
{
	dmsetup suspend --noflush --nolockfs "$1"
}

# The kernel's own name of a device of dmsetup: sysfs and messages know no other.
name_of()
{
	basename "$(readlink -f "/sys/dev/block/$(dmsetup info -c --noheadings --separator : \
		-o major,minor "${1##*/}")")"
}

# The way to the host's servers, of guests whose QEMU has a network for it (10.78.0.0/24)
net_up()
{
	ip link set lo up
	ip link set eth0 up
	ip addr add 10.78.0.15/24 dev eth0
	ip route add default via 10.78.0.2
}

# --- what a device is asked for ---------------------------------------------------

drop_caches()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# Field N of the statistics of the block device $1: 1 requests, 3 sectors read.
disk_count()
{
	awk -v n="$2" '{ print $n }' "/sys/class/block/${1##*/}/stat"
}

# asks CMD...: sets requests and kib, what $disk, or $counted, was asked for meanwhile.
asks()
{
	local before_requests before_sectors

	before_requests=$(disk_count "${counted:-$disk}" 1)
	before_sectors=$(disk_count "${counted:-$disk}" 3)
	"$@" || return 1
	requests=$(($(disk_count "${counted:-$disk}" 1) - before_requests))
	kib=$((($(disk_count "${counted:-$disk}" 3) - before_sectors) / 2))
}

# came: the bytes that access read, or -1 for an errno
access_came()
{
	came=$(access "$1" "$dir/$2" ${3:+"$3"})
	case $came in
	*[!0-9]*)	comment "$prog: $1: $came"
		came=-1 ;;
	esac
}

# costs_as_is CONDITION WAY FILE [COUNT]: access reads FILE of $dir by that WAY; CONDITION, of
# arithmetic, is about requests, kib and came.
costs_as_is()
{
	local condition="$1"

	shift
	asks access_came "$@"
	comment "$prog: $1 $2: $came, $requests requests, $kib KiB"
	[ $((condition)) -ne 0 ]
}

# The same with a cold cache
costs()
{
	drop_caches
	costs_as_is "$@"
}

# note_counts: of the mount of $disk, or $counted, and of that device; grown NAME: how much a
# counter of the mount has grown since then, or `disk`, the requests of the device.
note_counts()
{
	local of="${counted:-$disk}"

	(cd "/sys/fs/dsfs/${of##*/}/stats" && awk '{ print FILENAME, $1 }' ./*) >/tmp/noted
	echo "./disk $(disk_count "$of" 1)" >>/tmp/noted
}

grown()
{
	local of="${counted:-$disk}" now

	if [ "$1" = disk ]; then
		now=$(disk_count "$of" 1)
	else
		now=$(cat "/sys/fs/dsfs/${of##*/}/stats/$1")
	fi
	echo $((now - $(sed -n "s,^./$1 ,,p" /tmp/noted)))
}

# --- processes -----------------------------------------------------------------

# state PID: D if it waits for a device; nothing if it is gone
state()
{
	sed -n 's/^State:.\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null || true
}

# is_killed PID: without an end if it cannot be
is_killed()
{
	kill -KILL "$1"
	rc=0
	wait "$1" || rc=$?
	[ "$rc" -eq 137 ]
}

# goes_on_waiting PID: what $disk was asked for is answered, if it is, before these reads are
goes_on_waiting()
{
	slept=$(grep '^voluntary' "/proc/$1/status")
	dd if="$disk" of=/dev/null bs=4096 count=8 iflag=direct 2>/dev/null
	[ "$(grep '^voluntary' "/proc/$1/status")" = "$slept" ]
}

# waits_in_dsfs CMD...: as $waits, until it waits in the file system for what does not answer;
# false if it ends by itself
waits_in_dsfs()
{
	"$@" >/dev/null &
	waits=$!
	until [ "$(state "$waits")" = D ] && grep -q '\<dsfs_' "/proc/$waits/stack" &&
	      goes_on_waiting "$waits"; do
		[ -d /proc/"$waits" ] || { echo "# $prog: $1 ended by itself"; return 1; }
	done
}

# killed_mount OPTIONS: of $dm on $dir, while it waits.  Without an end if it cannot be killed
killed_mount()
{
	waits_in_dsfs mount -t dsfs -o "$1" "$dm" "$dir" && is_killed "$waits" &&
		! grep -q " $dir dsfs " /proc/mounts
}

# --- mounts --------------------------------------------------------------------

# try ARG...: trymount; what it says is shown if it fails.
try()
{
	trymount "$@" >/tmp/said && return
	sed 's/^/# /' /tmp/said
	return 1
}

# refused ERRNO REGEX ARG...: trymount is, with a message like that.
refused()
{
	local errno="$1" regex="$2" at

	shift 2
	if trymount "$@" >/tmp/said; then
		for at; do :; done
		[ "$1" = -r ] || umount "$at"
		comment "$prog: trymount $*: is not refused"
		return 1
	fi
	grep -qE "^$errno: .*($regex)" /tmp/said && return
	sed 's/^/# /' /tmp/said
	return 1
}

# own_group CONTROLLER: sets group, to a new control group
own_group()
{
	mkdir -p /sys/fs/cgroup
	[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup
	echo "+$1" >/sys/fs/cgroup/cgroup.subtree_control
	group=/sys/fs/cgroup/$prog
	mkdir -p "$group"
}

# in_group CMD...: CMD, by a process of it
in_group()
(
	read -r pid _ </proc/self/stat
	echo "$pid" >"$group"/cgroup.procs
	"$@"
)

# no_room FILE...: read them, on a mount with cache=epoch that has read nothing.  Then reclaim
# takes an eighth, and what is read next replaces that until the target is met.  Files that
# are read afterwards, a few MiB, are transient: the target grows slowly after a loss.
no_room()
{
	local eighth=$(($# / 8)) i=0 file

	cat "$@" >/dev/null
	for file; do
		i=$((i + 1))
		[ $i -gt $eighth ] || access pageout "$file" >/dev/null
	done
	i=0
	for file; do
		i=$((i + 1))
		[ $i -gt $eighth ] || cat "$file" >/dev/null
	done
}
