# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What those parts of the bench share that count instructions or memory, on top
# of lib.sh: guests whose clock counts instructions.  To be sourced instead of lib.sh.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cpu_out=$bench_dir/$bench_part
mkdir -p "$cpu_out"
drives=() guest_args=()

# Checksums by the fast driver: it has to be there before libcrc32c, which
# takes the best one of the moment.  Kernels since 6.13 choose by themselves.
crc_module()
{
	local dir

	dir=$(tests/lab/kernel "$1")/modules
	[ -z "$(find "$dir" -name 'crc32c-intel.ko*')" ] || echo --mod crc32c-intel
}

# part_guest SCRIPT WORD...: bench_guest of $kernel with the fast crc32c, a clock that counts
# instructions, $drives and $guest_args, which runs SCRIPT; its rows, completed by part and kernel,
# are printed and are in $rows
part_guest()
{
	local script=$1 log=$cpu_out/log-$kernel mods

	shift
	mods=$(crc_module "$kernel")
	say "kernel $kernel: one CPU, -icount shift=0: an instruction is a nanosecond"
	# shellcheck disable=SC2086
	bench_guest "$kernel" "$log" $mods --icount --file "tests/bench/$script:/part.sh" \
		"${drives[@]}" "${guest_args[@]}" -- sh /part.sh "$@"
	rows=$cpu_out/rows-$kernel
	sed -n "s/^row\t/row\t$bench_part\t$kernel\t/p" "$log" | tee "$rows"
}

# value WHAT SUBJECT [UNIT]: the figure of a row, of that unit if there are several
value()
{
	awk -F '\t' -v what="$1" -v subject="$2" -v unit="${3:-}" \
		'$4 == what && $5 == subject && (unit == "" || $7 == unit) { print $6 }' "$rows"
}

# over WHAT A B [UNIT]: the figure of subject A over that of B
over()
{
	quotient "$(value "$1" "$2" "${4:-}")" "$(value "$1" "$3" "${4:-}")"
}

# best WHAT UNIT ORDER SUBJECT...: of these; ORDER is -g or -gr
best()
{
	local fs

	for fs in "${@:4}"; do
		value "$1" "$fs" "$2"
	done | sort "$3" | sed -n 1p
}
