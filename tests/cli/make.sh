#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make.sh - what `make` prints: a line a file that is made, so that a warning and what a target
# has to say are seen; V=1: the commands; -s: nothing.
set -euo pipefail
. "$(dirname "$0")/cases"
object=$work/build/obj/userspace/udev/main.o

# quiet OPTION...: make alone, not as a part of `make check` with its options
quiet()
{
	rm -rf "$work/build"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$top" --no-print-directory "B=$work/build" "$@"
}

# Commands that write a file by a compiler, a linker or ar, without a line about it
untold()
{
	quiet -n tools lib test-tools bench-tools fuzzers "$work"/build/tests/{unit,unit-mkfs,unit-dsfs} \
		"$work"/build/tests/{libdsfs-test,libdsfs-threads,mkcorrupt,try,mutate,faults.so} |
		grep -E '(^|[ ;])(cc|gcc|clang|afl-clang-fast|ar) .*( -o |rcsD)' >commands || true
	[ "$(wc -l <commands)" -gt 300 ] || return 0
	grep -v '^printf ' commands | as_comments 5
}

exits 'a file is made' 0 quiet "$object"
check 'a line tells it' same_file <(printf '  CC      %s\n' "$object") "$out"
exits 'with V=1' 0 quiet V=1 "$object"
check 'the command is printed' grep -q -- " -c -o $object userspace/udev/main.c" "$out"
check 'without the line' not grep -q '^  CC' "$out"
exits 'make -s' 0 quiet -s "$object"
check 'prints nothing' test ! -s "$out" -a ! -s "$err"
exits 'make -s -j2 with a variable' 0 quiet -s -j2 prefix=/usr "$object"
check 'prints nothing, either' test ! -s "$out" -a ! -s "$err"
check 'all that compiles and links has its line' not untold
finish
