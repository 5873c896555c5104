# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# memgroup.sh - a control group of memory, of either version; to be sourced.

# memory_group MIB: make one with that limit, whose folder is $group then, for the caller to rmdir;
# "" where this process may make none
memory_group()
{
	for group in /sys/fs/cgroup{/memory,}/dsfs.$$ ''; do
		mkdir "$group" 2>/dev/null || continue
		echo $(($1 << 20)) 2>/dev/null \
			>"$(ls "$group"/memory.{limit_in_bytes,max} 2>/dev/null)" && return
		rmdir "$group"
	done
}

# in_group CMD...: in that group, if there is one
in_group()
(
	[ -z "$group" ] || echo "$BASHPID" >"$group/cgroup.procs"
	"$@"
)
