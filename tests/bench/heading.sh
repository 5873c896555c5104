# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The first lines of a result.  To be sourced.

# heading COMMAND: what the figures of a kept file hang on.
heading()
{
	local dirty='' env

	git diff --quiet HEAD -- fs mkfs userspace tests 2>/dev/null || dirty=', with changes'
	env=$(env | grep '^BENCH_[A-Z]*=' | LC_ALL=C sort | sed "s/=\(.*\)/='\1'/" | tr '\n' ' ') || true
	echo "# command: ${env}$1"
	echo "# date: $(date -u +%F)"
	echo "# commit: $(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)$dirty"
	echo "# machine: $(nproc) x $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed -n 1p), $(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo), $(uname -sr)"
	echo "# qemu: $(qemu-system-x86_64 --version 2>/dev/null | sed -n 1p)"
}
