#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# xfstests.sh - what scripts/upstream/xfstests/dsfs gives xfstests: that mkfs packs the tree,
# and that the check finds what is broken.  The functions of xfstests that it calls
# are made up here.
set -euo pipefail
. "$(dirname "$0")/cases"

_notrun()
{
	echo "notrun: $*"
	exit 77
}

_log_err()
{
	echo "error: $*"
}

DSFS_MKFS_PROG=$bin/mkfs.dsfs
DSFS_FSCK_PROG=$bin/fsck.dsfs
. "$top/scripts/upstream/xfstests/dsfs"

mkdir tree
echo contents >tree/file
truncate -s 1M device

# In a subshell, since _notrun ends it.
apart()
{
	("$@")
}

export DSFS_SCRATCH_TREE=$PWD/tree
exits 'xfstests: a scratch tree is packed' 0 apart _dsfs_mkfs device
check 'xfstests: and is what the image holds' \
	test "$(dsfs cat device /file)" = contents
MKFS_OPTIONS='-L scratch' exits 'xfstests: MKFS_OPTIONS' 0 apart _dsfs_mkfs device --align=512
check 'xfstests: are followed' grep -q scratch device
exits 'xfstests: a clean one' 0 apart _dsfs_check device
flip device "$(data_of device /file)"
exits 'xfstests: a damaged one' 1 apart _dsfs_check device
check 'xfstests: and says so' \
	grep -q 'error: _dsfs_check: filesystem on device is inconsistent' "$out"
DSFS_SCRATCH_TREE=
exits 'xfstests: without a tree: an empty image' 0 apart _dsfs_mkfs device
exits 'xfstests: which is clean' 0 apart _dsfs_check device
exits 'xfstests: tests that need a tree do not run' 77 apart _require_dsfs_tree
DSFS_MKFS_PROG=
exits 'xfstests: nor does anything without mkfs.dsfs' 77 apart _dsfs_mkfs device
finish
