# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by lib.sh
#
# What an epoch reads: the scenarios, and what is made of the output of cache-guest.sh,
# for tests/bench/cache and tests/bench/native/epochs.  To be sourced after lib.sh.

# Each is NAME:SUBJECT:SHARE:PROCS:PATTERN:EPOCHS.
all_scenarios()
{
	local share fs

	for share in 20 25 50 62 90; do
		for fs in $(bench_subjects dsfs-epoch dsfs-lru erofs ext4); do
			echo "plain:$fs:$share:4:read:5"
		done
	done
	for fs in $(bench_subjects dsfs-epoch dsfs-lru); do
		printf '%s\n' "readers1:$fs:50:1:read:5" "readers16:$fs:50:16:read:5" \
			"mapped:$fs:50:4:mmap:5" "pil:$fs:50:4:pil:5" "cold:$fs:50:4:read:5" \
			"warm:$fs:50:4:read:5" "stream:$fs:50:4:read:5" "hog:$fs:62:4:read:1" \
			"move:$fs:25:4:read:6" "two:$fs:50:2:read:5" "memcg:$fs:50:4:read:5" \
			"inodes:$fs:50:4:read:5" "nfs:$fs:50:4:direct:5" \
			"lists-plain:$fs:50:4:read:5" "lists-cold:$fs:50:4:read:5"
	done
}

# Of a log, a line for each run of epochs: kernel, scenario, subject, what was available, and
# what each epoch read, of the set.
epochs_rows()
{
	awk -v k="$1" -v p="$bench_part" '
		function flush() {
			if (runs)
				printf "row\t%s\t%s\t%s, %s available\t%s\t%s\tof the set, by epoch\n", p, k, name, share, subject, reads
			runs = 0
		}
		$3 ~ /^share=/ {
			split($3, a, "="); split($4, e, "="); split($5, r, "=")
			# The two jobs of a scenario write beside each other.
			if ($1 != name || $2 != subject || a[2] != share || e[2] < last || $1 == "two" && e[2] == 1 && last > 1)
				flush()
			reads = runs++ ? reads " " r[2] : r[2]
			name = $1; subject = $2; share = a[2]; last = e[2]
		}
		END { flush() }' "$2"
}

# epochs_targets KERNEL LOG SCENARIO...: the worst of all runs, and what was never run.
epochs_targets()
{
	local asked name subject

	for asked in "${@:3}"; do
		IFS=: read -r name subject _ <<<"$asked"
		grep -q "^$name $subject share=" "$2" ||
			target "$1" "$name $subject: runs" 0 '>=' 1
	done
	awk -f "${BASH_SOURCE[0]%/*}/epochs.awk" "$2" | sort |
	while IFS=$'\t' read -r what value limit; do
		target "$1" "$what" "$value" '<=' "$limit"
	done
}
