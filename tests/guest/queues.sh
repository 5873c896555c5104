#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# queues.sh DISK N - who verifies the hinted reads of a device with N queues: with one, the processor
# that takes all interrupts, and those that have sent the reads.
#
# DISK holds an image with the files streamed and told, of 72 and 60 MiB.
set -eu
. "$(dirname "$0")/lib.sh"

disk=$1 queues=$2
dir=$(mktemp -d)
tracing=/sys/kernel/tracing
# The processor that takes the interrupts of a disk with one queue
irq=$(awk -v name="$(basename "$(readlink -f "/sys/block/${disk##*/}/../..")")-req.0" '
	$NF == name { print $1 + 0 }' /proc/interrupts)
irq=$(cat "/proc/irq/$irq/effective_affinity_list")

# Of the reads of workers the most on a processor: all, where only one finishes them
spread()
{
	mount -t dsfs "$disk" "$dir"
	echo 1 >"$tracing"/events/dsfs/dsfs_read_done/enable
	taskset $((1 << (irq + 1) % 4)) access willneed "$dir/streamed" >/dev/null &
	taskset $((1 << (irq + 2) % 4)) access willneed "$dir/told" >/dev/null &
	wait
	cat "$dir/streamed" "$dir/told" >/dev/null
	echo 0 >"$tracing"/events/dsfs/dsfs_read_done/enable
	umount "$dir"
	sed -n 's/^ *kworker.*\[\(...\)\].*dsfs_read_done.*/\1/p' "$tracing"/trace | sort | uniq -c >/tmp/by
	all=$(awk '{ n += $1 } END { print n + 0 }' /tmp/by) most=$(sort -rn /tmp/by | awk 'NR == 1 { print $1 }')
	comment "$prog: $queues queues: of $all reads on each processor, interrupts on $irq: $(awk '{ printf "%s: %s, ", $2, $1 }' /tmp/by)"
	[ "$all" -ge 64 ] && [ $((most * 10)) -le $((all * 9)) ]
}

# The processor that takes an interrupt completes the request, from wherever it was sent.
echo 0 >"/sys/block/${disk##*/}/queue/rq_affinity"
mount -t tracefs none "$tracing" 2>/dev/null || true
if [ "$queues" -eq 1 ]; then
	check "hinted reads of one queue are verified on several processors" spread
else
	spread || true
fi
rmdir "$dir"
exit $failed
