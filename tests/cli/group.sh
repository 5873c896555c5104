#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# group.sh - mkfs.dsfs stays within half of the memory of its control group, all tables counted:
# 300,000 files of distinct contents, from each kind of source.  The group ends what
# needs more than all of it, a limit of the process what needs more than half in no file.
set -euo pipefail
. "$(dirname "$0")/cases"
. "$top/tests/harness/memgroup.sh"
make -s -C "$top" build/tests/mkset >&2
mib=96 files=300000

memory_group $mib
at_exit '[ -z "$group" ] || rmdir "$group"'
[ -n "$group" ] || echo "# no control group: --memory instead"
set_of()
{
	"$bin/tests/mkset" --files=$files --classes=300 --sizes=8 "$@"
}

# within MORE CMD...: in the group, with so many KiB above half of it, which are no table
within()
(
	[ -n "$group" ] && echo "$BASHPID" >"$group/cgroup.procs" || set -- "$@" --memory=$((mib / 2))M
	ulimit -s 512
	ulimit -d $((mib * 512 + $1))
	shift
	exec "$@"
)

packed()
{
	exits "$1" 0 within "$2" "$mkfs" -q -f "${@:3}"
	exits "$1: sound" 0 "$fsck" -q "${!#}"
}

set_of --form=tar >set.tar
touch data
set_of --form=manifest data >lines
sort -t_ -k2 lines >mixed
packed 'an archive by a pipe' 0 --tar=- a.dsfs < <(cat set.tar)
packed 'with --compress' 0 --compress=zstd --tar=- c.dsfs < <(cat set.tar)
packed 'a manifest in order' 0 --manifest=lines m.dsfs
packed 'a manifest in no order' 0 --manifest=mixed n.dsfs

# What fsck.dsfs reads in the group, whose metadata does not fit into its share of that
read_by_fsck()
(
	pid=$BASHPID
	[ -z "$group" ] || echo "$pid" >"$group/cgroup.procs"
	"$fsck" -q --no-data m.dsfs
	awk '/rchar/ { print $2 }' "/proc/$pid/io"
)
# Names are read by four passes, and nothing else is of that size
check 'fsck.dsfs: four passes' test "$((2 * $(read_by_fsck)))" -lt "$((7 * $(stat -c %s m.dsfs)))"
mkdir tree
tar -xf set.tar -C tree
exits 'a tree' 0 within 0 "$mkfs" -q t.dsfs tree
exits 'an update by a tree' 0 within $(($(stat -c %s t.dsfs) / 1024)) "$dsfs" update -q -f t.dsfs tree
exits 'an update by a tree: sound' 0 "$fsck" -q t.dsfs
sed -i '3~7s|"mtime":16|"mtime":15|' mixed
# The metadata of the image is mapped, a part of it at a time
exits 'an update' 0 within $(($(stat -c %s m.dsfs) / 1024)) "$dsfs" update -q -f --manifest=mixed m.dsfs
exits 'an update: sound' 0 "$fsck" -q m.dsfs
exits 'an edit' 0 within $(($(stat -c %s m.dsfs) / 1024)) "$dsfs" rm -q m.dsfs '*/*1.*'
exits 'an edit: sound' 0 "$fsck" -q m.dsfs
finish
