# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Cases of the guest's shell scripts, told in the form of tests/guest/lib.h.
# To be sourced by scripts for busybox' sh; `prog` names the script.

prog=${prog:-${0##*/}}
failed=0

ok()
{
	echo "ok - $prog: $*"
}

not_ok()
{
	echo "not ok - $prog: $*"
	# shellcheck disable=SC2034 # the scripts exit with it
	failed=1
}

# check CASE CMD...: CMD has to succeed.
check()
{
	case_name=$1
	shift
	if "$@"; then
		ok "$case_name"
	else
		echo "# $prog: $case_name: failed: $*"
		not_ok "$case_name"
	fi
}

# Field N of the statistics of the block device $1: 1 requests, 3 sectors read.
disk_count()
{
	awk -v n="$2" '{ print $n }' "/sys/class/block/${1##*/}/stat"
}

drop_caches()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
}
