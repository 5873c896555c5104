#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# group.sh - mkfs.dsfs stays within half of the memory of its control group, all tables counted:
# 300,000 files of distinct contents, from each kind of source.  The group ends what
# needs more than all of it, a limit of the process what needs more than half in no file.
# In `make check-long` eight million, at two read-aheads of the disk, too.
set -euo pipefail
. "$(dirname "$0")/cases"
. "$top/tests/harness/memgroup.sh"
make -s -C "$top" build/tests/mkset >&2

# of MIB FILES: in the cases from here on
of()
{
	mib=$1 files=$2
	memory_group "$mib"
	[ -n "$group" ] || echo "# no control group: --memory instead"
}

set_of()
{
	"$bin/tests/mkset" --files="$files" --classes=300 --sizes=8 "$@"
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

# sound NAME MORE IMAGE CMD...: within so much, and the image is sound
sound()
{
	exits "$1" 0 within "$2" "${@:4}"
	exits "$1: sound" 0 "$fsck" -q "$3"
}

packed()
{
	sound "$1" "$2" "${!#}" "$mkfs" -q -f "${@:3}"
}

# at KIB: what is packed in the group and without one, as that much may be read ahead
at()
{
	local form way

	echo "$1" >"$ahead" || skip "read-ahead $1" 'the disk has no other one'
	for form in tar manifest; do
		for way in command in_group; do
			exits "$1 KiB ahead, $form, $way" 0 "$way" "$top/tests/bench/peak.py" spent \
				"$mkfs" -q -f "--$form=-" l.dsfs < <("source_$form")
			comment "$(paste -sd ' ' spent)"
			exits 'sound' 0 "$fsck" -q l.dsfs
		done
		check "half of the group: $((mib / 2)) MiB" awk -v most=$((mib / 2)) \
			'$1 == "anonymous" { exit $2 > most }' spent
	done
}

source_tar()
{
	set_of --form=tar
}

source_manifest()
{
	cat mixed
}

in_long()
{
	local kib disk

	of 512 8000000
	disk=$(lsblk -no pkname,kname "$(df --output=source . | tail -n 1)" | awk '{ print $1 }')
	ahead=/sys/block/$disk/queue/read_ahead_kb
	kib=$(cat "$ahead")
	at_exit "echo $kib >$ahead"
	touch data
	set_of --form=manifest data | sort -t_ -k2 >mixed
	at 8192
	at 128
	rm mixed data
	[ -z "$group" ] || rmdir "$group"
	group=
}

at_exit '[ -z "$group" ] || rmdir "$group"'
[ "${DSFS_LONG:-0}" = 0 ] || in_long
of 96 300000
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
sound 'an update by a tree' $(($(stat -c %s t.dsfs) / 1024)) t.dsfs "$dsfs" update -q -f t.dsfs tree
sed -i '3~7s|"mtime":16|"mtime":15|' mixed
# The metadata of the image is mapped, a part of it at a time
sound 'an update' $(($(stat -c %s m.dsfs) / 1024)) m.dsfs "$dsfs" update -q -f --manifest=mixed m.dsfs
sound 'an edit' $(($(stat -c %s m.dsfs) / 1024)) m.dsfs "$dsfs" rm -q m.dsfs '*/*1.*'
for i in 1 2; do
	"$mkfs" -q -U 11111111-2222-4333-8444-555555555555 --manifest=lines j.dsfs@${i}G+1G .@$i/2
done
# All nodes are in the temporary file, in half of what they have, and the window besides
mib=48 sound 'a join' 0 j.dsfs "$dsfs" join -q --memory=24M j.dsfs j.dsfs@{1,2}G
finish
