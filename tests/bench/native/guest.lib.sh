# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by DIR/plan
#
# What the guests of the benchmarks at the host's own speed share: a PID 1 with the
# machine's root below it, and disks whose list is in a file.
#
# To be sourced by a script that is started with DIR, whose DIR/plan sets what it needs
# (phase, label, first, rounds, task) and whose DIR/subjects has a line for each disk, in order:
# SET NAME TYPE OPTIONS LIST.

dir=$1

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs -o size=95% tmpfs /mnt
mkdir -p /mnt/out /mnt/list /mnt/fs
cp "$dir/plan" "$dir/subjects" /mnt
lists=$dir
# shellcheck source=/dev/null
. /mnt/plan
cp "$task" /mnt/task
mount -t hostfs -o "$dir/out" none /mnt/out
exec >>/mnt/out/console 2>&1

finish()
{
	dmesg | tail -n 100 >/mnt/out/dmesg
	echo "$1" >/mnt/out/verdict
	sync
	umount /mnt/out
	echo o >/proc/sysrq-trigger
	exec sleep 60
}

fail()
{
	echo "guest: $phase: $*"
	finish 1
}

disk_parameter()
{
	echo "$2" >"/sys/module/bench_disk/parameters/$1"
}

drop()
{
	echo "$1" >/proc/sys/vm/drop_caches
	/mnt/task settle
}

# Each page of memory is the host's to give once, and not while something is measured.
touch_memory()
{
	dd if=/dev/zero of=/mnt/fill bs=1M 2>/dev/null
	rm -f /mnt/fill
	drop 3
}

# --- subjects -------------------------------------------------------------

declare -A type options disk list
names=()

# read_subjects SET: those of it, or all
read_subjects()
{
	local set name t o l n=0

	names=()
	while read -r set name t o l; do
		if [ "$1" = all ] || [ "$set" = "$1" ]; then
			names+=("$name")
			type[$name]=$t options[$name]=$o list[$name]=$l
			disk[$name]=/dev/bench$n
		fi
		n=$((n + 1))
	done </mnt/subjects
	[ ${#names[@]} -gt 0 ] || fail "$1: no subjects"
}

# mount_all SET: each with a list of its files.
mount_all()
{
	local name

	read_subjects "$1"
	for name in "${names[@]}"; do
		mkdir -p "/mnt/fs/$name"
		mount -t "${type[$name]}" -o "${options[$name]}" "${disk[$name]}" "/mnt/fs/$name" ||
			fail "$name: mount failed"
		sed "s|^|/mnt/fs/$name/|" "$lists/${list[$name]}" >"/mnt/list/$name"
	done
}

# All subjects have the same bytes, in whichever way they are read.
check_contents()
{
	local name pattern sum want=

	for name in "${names[@]}"; do
		for pattern in whole pil imread mmap; do
			drop 3
			sum=$(/mnt/task run $pattern "/mnt/list/$name" check) || fail "$name: $pattern: $sum"
			sum=${sum#*sum=}
			[ "$sum" = "${want:=$sum}" ] ||
				fail "$name: $pattern: the contents differ: $sum, not $want"
		done
	done
}

# in_turn ROUND: the subjects, another one first in each round.
in_turn()
{
	local n=${#names[@]} i

	for ((i = 0; i < n; i++)); do
		echo "${names[(i + $1) % n]}"
	done
}

# measure ROUND WHAT SUBJECT COMMAND...: what it prints is the row's values.
measure()
{
	local round=$1 what=$2 name=$3 got

	shift 3
	got=$("$@") || fail "$name: $what: $got"
	printf 'row\t%s\t%s\t%s\t%s\t%s\t%s\n' \
		"$label" "$phase" "$round" "$what" "$name" "$got" >>/mnt/out/rows
}

rounds()
{
	seq "$first" $((first + rounds - 1))
}
