# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the profiles share: a guest with a clock that counts instructions, in
# which a plugin of the emulator counts them by address between two marks
# (insns.c), and the table of all of them by function.  To be sourced.

# shellcheck source=tests/bench/cpu.sh
. "$(dirname "${BASH_SOURCE[0]}")/../cpu.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
profiles=()

profile_tools()
{
	cpu_tools
	gcc -std=gnu11 -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden \
		-o "$work/insns.so" tests/bench/profile/insns.c
}

# profile_guest KERNEL SUBJECT ARG... -- COMMAND...: profiles SUBJECT, whose
# guest runs COMMAND; what that prints is in $work/log.
profile_guest()
{
	local kernel=$1 subject=$2 args=()

	shift 2
	while [ "$1" != -- ]; do
		args+=("$1")
		shift
	done
	shift
	# shellcheck disable=SC2016
	cpu_guest "$kernel" "$work/log" "${args[@]}" --out "$work/$subject" \
		--qemu -plugin --qemu "$work/insns.so,out=$work/$subject.counts" \
		-- sh -euc '"$@"; cat /proc/kallsyms >"$OUT/kallsyms"' sh "$@"
	profiles+=("$subject=$work/$subject.counts:$work/$subject/kallsyms")
}

# profile_table DIVISOR: instructions by function and operation
profile_table()
{
	tests/bench/profile/by-function "$1" "${profiles[@]}"
}
