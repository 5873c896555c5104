#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# counters.sh DISK BIG START SMALL - what a mount counts and traces is what it did.
#
# DISK holds an image with BIG, of 2 MiB or more and without holes, which begins at the
# byte that the file START tells, and SMALL, of 32 KiB.  Each case says all that
# it has counted, and the disk says whether the requests and bytes are those that it got:
# what the block layer joined is in its own count.
#
# Needs dmsetup, the module dm_mod and tracefs.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1 big=$2 small=$4
read -r start <"$3"
dir=$(mktemp -d)
tracing=/sys/kernel/tracing
name=${disk##*/}
stats=/sys/fs/dsfs/$name/stats

# Each counter, by name
counted()
{
	for file in "$stats"/*; do
		echo "${file##*/} $(cat "$file")"
	done
}

# Requests as they were sent, and bytes
disk_says()
{
	awk '{ print $1 + $2, $3 * 512 }' "/sys/class/block/$name/stat"
}

# costs CMD...: sets said to what grew by how much; the disk has to agree
costs()
{
	counted >/tmp/before
	disk_says >/tmp/disk
	"$@" >/dev/null || return 1
	disk_says >>/tmp/disk
	said=$(counted | awk 'NR == FNR { was[$1] = $2; next }
		$2 != was[$1] { printf "%s%s=%d", sep, $1, $2 - was[$1]; sep = " " }' /tmp/before -)
	echo "# $prog: $*: $said"
	echo "$said" | tr ' ' '\n' | awk -F = '
		FILENAME == "-" && /^requests_/	{ requests += $2 }
		FILENAME == "-" && /^bytes_/	{ bytes += $2 }
		FILENAME != "-" {
			split($0, v, " ")
			requests += NR == 1 ? v[1] : -v[1]
			bytes += NR == 1 ? v[2] : -v[2]
		}
		END {
			if (requests || bytes)
				print "# the disk says", -requests, "requests and", -bytes, "bytes more"
			exit requests || bytes
		}' /tmp/disk -
}

# counts WHAT CMD...
counts()
{
	want=$1
	shift
	costs "$@" && [ "$said" = "$want" ]
}

cold()
{
	drop_caches
	counts "$@"
}

# counts_kind KIND CMD...: nothing but an open and requests of one kind
counts_kind()
{
	kind=$1
	shift
	drop_caches
	costs "$@" && echo "$said" | grep -qE "^bytes_$kind=[0-9]+ opens=1 requests_$kind=[0-9]+$"
}

direct()
{
	dd if="$dir/$big" of=/dev/null iflag=direct bs=65536 count=4 2>/dev/null
}

# One open by each processor, the last of which then goes.
everywhere()
{
	for cpu in $cpus; do
		taskset -c "$cpu" access whole "$dir/$small" || return 1
	done
	[ "$cpus" = 0 ] || echo 0 >"/sys/devices/system/cpu/cpu$cpu/online"
}

of_each_processor()
{
	# shellcheck disable=SC2012 # names are cpuN
	cpus=$(cd /sys/devices/system/cpu && ls -d cpu[0-9]* | tr -d cpu | sort -n)
	counts "opens=$(echo "$cpus" | wc -l)" everywhere
	rc=$?
	[ "$cpus" = 0 ] || echo 1 >"/sys/devices/system/cpu/cpu$cpu/online"
	return "$rc"
}

# Metadata as far as it is needed for one file's name
lookup()
{
	ls -l "$dir/$small"
}

of_metadata()
{
	drop_caches
	costs lookup && echo "$said" | grep -qE '^bytes_metadata=[0-9]+ requests_metadata=[0-9]+$'
}

# --- traces ------------------------------------------------------------------

# traced CMD...: /tmp/trace is what was traced meanwhile, without who and when
traced()
{
	echo >"$tracing"/trace
	echo 1 >"$tracing"/events/dsfs/enable
	"$@" >/dev/null 2>&1
	echo 0 >"$tracing"/events/dsfs/enable
	sed -n 's/.* \(dsfs_[a-z_]*\): dev [0-9]*:[0-9]* /\1 /p' "$tracing"/trace >/tmp/trace
	sed "s/^/# $prog: /; 8q" /tmp/trace
}

# A file that is read whole: opened, asked for, there
traces_a_read()
{
	drop_caches
	ino=$(stat -c %i "$dir/$1")
	traced access whole "$dir/$1"
	[ "$(sed 's/ device [0-9]*//' /tmp/trace)" = "dsfs_open ino $ino size 32768
dsfs_read_submit ino $ino pos 0 len 32768 kind whole
dsfs_read_done ino $ino pos 0 error 0" ]
}

traces_the_place()
{
	drop_caches
	ino=$(stat -c %i "$dir/$big")
	traced dd if="$dir/$big" of=/dev/null bs=4096 count=1
	grep -q "^dsfs_read_submit ino $ino pos 0 len [0-9]* device $start kind ahead$" /tmp/trace
}

traces_metadata()
{
	drop_caches
	costs traced lookup
	[ "$(grep -c '^dsfs_meta_read device [0-9]* len [0-9]* error 0$' /tmp/trace)" = \
		"${said##*requests_metadata=}" ]
}

# A read that a worker sends, as its task has to give way, has the task's priority
traces_the_priority()
{
	issued=$tracing/events/block/block_rq_issue busy=
	for i in 1 2 3 4; do
		while :; do :; done &
		busy="$busy $!"
	done
	echo >"$tracing"/trace
	echo 1 >"$issued"/enable
	for i in $(seq 20); do
		drop_caches
		ionice -c 3 cat "$dir/$big" >/dev/null
	done
	echo 0 >"$issued"/enable
	# shellcheck disable=SC2086 # a list
	kill $busy
	grep " block_rq_issue: $(tr : , <"/sys/class/block/$name/dev") R" "$tracing"/trace >/tmp/trace
	grep -v ' idle,' /tmp/trace | as_comments 5
	echo "# $prog: $(grep -c kworker /tmp/trace) of $(wc -l </tmp/trace) were sent by a worker"
	[ -s /tmp/trace ] && fails grep -qv ' idle,' /tmp/trace
}

# A chunk with the image's begin in it, which has another checksum
traces_a_bad_chunk()
{
	table "$start" $((start + 4096)) linear "$disk" 0 | dmsetup create bad --readonly
	mount -t dsfs /dev/mapper/bad "$dir"
	ino=$(stat -c %i "$dir/$big")
	traced dd if="$dir/$big" of=/dev/null bs=4096 count=1
	errors=$(cat "/sys/fs/dsfs/$(name_of bad)/checksum_errors")
	umount "$dir"
	dmsetup remove bad
	[ "$errors" -gt 0 ] &&
		[ "$(grep -c "^dsfs_checksum_failure ino $ino device $start len [0-9]*$" \
			/tmp/trace)" = "$errors" ] &&
		grep -q "^dsfs_read_done ino $ino pos 0 error -74$" /tmp/trace
}

# A file of more than one read's 8 MiB is read whole: no more pages than that are added, and
# locked, before what was added before them was sent.
adds_in_parts()
{
	drop_caches
	ino=$(stat -c %i "$dir/$big") size=$(stat -c %s "$dir/$big")
	cat "$dir/$small" >/dev/null
	echo >"$tracing"/trace
	echo 1 >"$tracing"/events/dsfs/dsfs_read_submit/enable
	echo 1 >"$tracing"/events/filemap/mm_filemap_add_to_page_cache/enable
	dd if="$dir/$big" of=/dev/null bs=4096 count=1 2>/dev/null
	echo 0 >"$tracing"/events/filemap/mm_filemap_add_to_page_cache/enable
	echo 0 >"$tracing"/events/dsfs/dsfs_read_submit/enable
	awk -v added=" ino $(printf %x "$ino") " -v sent=" ino $ino " -v size="$size" -v prog="$prog" '
		/mm_filemap_add_to_page_cache: / && index($0, added) {
			order = 0
			if (match($0, /order=[0-9]+/))
				order = substr($0, RSTART + 6, RLENGTH - 6)
			for (bytes = 4096; order > 0; order--)
				bytes *= 2
			waiting += bytes
			if (waiting > most)
				most = waiting
		}
		/dsfs_read_submit: / && index($0, sent) {
			for (i = 1; i < NF; i++)
				if ($i == "len") { waiting -= $(i + 1); all += $(i + 1) }
		}
		END {
			print "# " prog ": " all " of " size " bytes are read, " most " before they are sent"
			exit !(all >= size && most > 0 && most <= 8 * 1024 * 1024)
		}' "$tracing"/trace
}

mount -t dsfs "$disk" "$dir"
check "a mount begins at zero" [ -z "$(counted | grep -v ' 0$')" ]
check "a file read whole" cold "bytes_whole=32768 opens=1 requests_whole=1 whole_reads=1" \
	access whole "$dir/$small"
check "a cached file" counts "opens=1" access whole "$dir/$small"
check "each processor's count, and of one that went" of_each_processor
check "a mapped file" cold "bytes_whole=32768 opens=1 requests_whole=1 whole_reads=1" \
	access map "$dir/$small"
check "readahead" counts_kind ahead access seq "$dir/$big"
check "a directory is no file" counts "" ls -l "$dir"
umount "$dir"
mount -t dsfs -o wholefile=0 "$disk" "$dir"
check "a page, and its chunk" cold "bytes_page=32768 opens=1 requests_page=1" \
	access pagefaults "$dir/$small"
umount "$dir"
mount -t dsfs -o verify=off "$disk" "$dir"
check "O_DIRECT" cold "bytes_direct=262144 opens=1 requests_direct=4" direct
umount "$dir"
mount -t dsfs -o meta=lazy "$disk" "$dir"
check "metadata that is not resident" of_metadata
umount "$dir"

[ -d $tracing/events ] || mount -t tracefs none $tracing
# To know tasks by name the kernel patches its scheduler, and of code that is patched while
# it runs QEMU's other thread may still have what was there for an instant: an int3, and
# a kernel that dies of it (seen once in a check; in a loop at once).
echo 0 >$tracing/options/record-cmd
mount -t dsfs "$disk" "$dir"
check "a read is traced" traces_a_read "$small"
check "and where it goes on the device" traces_the_place
if grep -q ioprio "$tracing"/events/block/block_rq_issue/format; then
	check "what a worker sends has the priority of its task" traces_the_priority
else
	skip "what a worker sends has the priority of its task" "the kernel does not trace it"
fi
umount "$dir"
mount -t dsfs -o wholefile=64M "$disk" "$dir"
check "a large file that is read whole is sent in parts" adds_in_parts
umount "$dir"
mount -t dsfs -o meta=lazy "$disk" "$dir"
check "reads of metadata are traced" traces_metadata
umount "$dir"
check "a wrong checksum is traced" traces_a_bad_chunk
exit $failed
