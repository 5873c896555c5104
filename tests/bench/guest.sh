# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What the parts of the benchmarks that run in a guest share.  To be sourced by
# a shell that may be busybox'.  Lines that begin with # are for the reader,
# all others for the script that started the guest.

drives=/dev/drive

show_kernel()
{
	echo "# kernel $(uname -r), $(grep -c ^processor /proc/cpuinfo) CPUs, $(awk '/^MemTotal/ { printf "%d MiB", $2 / 1024 }' /proc/meminfo)"
}

# row WHAT SUBJECT VALUE UNIT: a figure; the script that started the guest adds part and kernel
row()
{
	printf 'row\t%s\t%s\t%s\t%s\n' "$@"
}

# free_kib: what is free when all that can be dropped is dropped
free_kib()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^MemFree/ { print $2 }' /proc/meminfo
}

# fs_of SUBJECT: its type, what is before a "-"
fs_of()
{
	echo "${1%%-*}"
}

# add_device SUBJECT NANOSECONDS [MBPS]: /dev/b-SUBJECT with the image, in memory.
add_device()
{
	sh /nullblk.sh "b-$1" "$drives/$1" "$2" 512 "${3:-0}"
}

remove_device()
{
	echo 0 >"/sys/kernel/config/nullb/b-$1/power"
	rmdir "/sys/kernel/config/nullb/b-$1"
}

show_device()
{
	q=/sys/block/${1##*/}/queue
	echo "# ${1##*/}: max_sectors_kb $(cat "$q/max_sectors_kb"), read_ahead_kb $(cat "$q/read_ahead_kb"), scheduler $(cat "$q/scheduler"), $2"
}

# mount_at SUBJECT DEVICE: at /mnt/SUBJECT, default options, and says which.
mount_at()
{
	mkdir -p "/mnt/$1"
	mount -t "$(fs_of "$1")" -o ro "$2" "/mnt/$1"
}

show_mount()
{
	awk -v d="/mnt/$1" '$2 == d { printf "# %s: mount options %s\n", substr(d, 6), $4 }' /proc/mounts
}

# requests_of DEVICE [FIELD]: what it has been asked so far: requests to read, or another
# field of its statistics (3: sectors)
requests_of()
{
	awk -v f="${2:-1}" '{ print $f }' "/sys/block/$(basename "$(readlink -f "$1")")/stat"
}

# leave SUBJECT: unmounts, when nothing that a process asked for is under way any more
leave()
{
	while grep -q " /mnt/$1 " /proc/mounts; do
		umount "/mnt/$1" 2>/dev/null || true
	done
}

drop_caches()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
}
