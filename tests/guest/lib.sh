# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What the guest's shell scripts share: the harness, and things to ask the kernel.  To be
# sourced by scripts for busybox' sh; `here` is their folder, `prog` names the script.

prog=${prog:-${0##*/}}
# In a guest the harness lies beside the scripts, in a checkout in a folder of its own.
harness=$(dirname "$0")/cases.sh
[ -e "$harness" ] || harness=$(dirname "$0")/../harness/cases.sh
# shellcheck source=tests/harness/cases.sh
. "$harness"

# Field N of the statistics of the block device $1: 1 requests, 3 sectors read.
disk_count()
{
	awk -v n="$2" '{ print $n }' "/sys/class/block/${1##*/}/stat"
}

# Nothing here waits for udev, which guests have not.
export DM_DISABLE_UDEV=1

# The device $dm is as the table on stdin says, from now on.
# shellcheck disable=SC2154 # the script's
become()
{
	dmsetup load --readonly "${dm##*/}"
	dmsetup suspend --nolockfs "${dm##*/}"
	dmsetup resume "${dm##*/}"
}

drop_caches()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# state PID: D if it waits for a device; nothing if it is gone
state()
{
	sed -n 's/^State:.\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null || true
}

# no_room FILE...: read them, on a mount with cache=epoch that has read nothing.  Then reclaim
# takes an eighth, and what is read next replaces that until the target is met.  Files that
# are read afterwards, a few MiB, are transient: the target grows slowly after a loss.
no_room()
{
	eighth=$(($# / 8))
	cat "$@" >/dev/null
	i=0
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
