#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# hpc.sh - jobs.rst: the scripts for Slurm, with dsfs-fuse, in a mount namespace of their own; and
# that the template of the package has the map for autofs that the document has.
#
set -euo pipefail
if [ -z "${HPC_INSIDE:-}" ] && [ "$(id -u)" -eq 0 ]; then
	HPC_INSIDE=1 exec unshare --mount --propagation private "$0"
fi
. "$(dirname "$0")/cases"
jobs=$top/packaging/slurm

[ "$(id -u)" -eq 0 ] || { skip 'slurm and autofs' 'not root'; finish; exit 0; }
[ -x "$bin/dsfs-fuse" ] && (: <>/dev/fuse) 2>/dev/null ||
	{ skip 'slurm and autofs' 'no dsfs-fuse, or no /dev/fuse'; finish; exit 0; }

# mount(8) has a search path of its own.
mkdir bin tree
cp "$bin/dsfs-fuse" bin
mount --bind bin /usr/local/bin
seq 1 100 >tree/file
mkfs.dsfs -q one.dsfs tree
mkfs.dsfs -q two.dsfs tree
export DSFS_DATASETS=$PWD/datasets DSFS_JOBS=$PWD/jobs
cat >datasets <<-LIST
	# comment

	$PWD/one.dsfs  $PWD/data/one  fuse.dsfs-fuse  ro,allow_other
	$PWD/two.dsfs  $PWD/data/two  fuse.dsfs-fuse
LIST

# mounted NAME...: these and no other
mounted()
{
	[ "$(findmnt -n -r -o TARGET -t fuse.dsfs-fuse | sed "s,^$PWD/data/,," | sort | paste -sd ' ')" = "$*" ]
}

exits 'prolog' 0 env SLURM_JOB_ID=1 "$jobs/prolog"
check 'all data sets are mounted' mounted one two
check 'and readable' cmp tree/file data/one/file
exits 'prolog of a second job' 0 env SLURM_JOB_ID=2 "$jobs/prolog"
check 'once each' mounted one two
exits 'epilog of the first job' 0 env SLURM_JOB_ID=1 "$jobs/epilog"
check 'the second keeps them' mounted one two
exec 8<data/two/file
exits 'epilog of the second job' 0 env SLURM_JOB_ID=2 "$jobs/epilog"
check 'what is in use stays' mounted two
exec 8<&-
exits 'the next job' 0 env SLURM_JOB_ID=3 "$jobs/prolog"
check 'has both' mounted one two
exits 'and its end' 0 env SLURM_JOB_ID=3 "$jobs/epilog"
check 'leaves none' mounted
echo "$PWD/none.dsfs $PWD/data/none fuse.dsfs-fuse ro" >datasets
run env SLURM_JOB_ID=4 "$jobs/prolog"
check 'an image that is not there fails the prolog' test "$rc" -ne 0

# autofs: the template of the package says the same as the document.
template=$top/packaging/autofs/auto.dsfs
check 'the template has the map' grep -qxF "$(sed -n '/^ *\*  -fstype=dsfs,/s/^ *//p' \
	"$top/Documentation/jobs.rst")" "$template"
check 'the template has the line of the master map' grep -qxF "#	$(sed -n \
	's,^ *\(/datasets  /etc/.*\),\1,p' "$top/Documentation/jobs.rst")" "$template"
finish
