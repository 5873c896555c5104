#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# splats.sh - what the runners read a kernel log with: where allocations are made to
# fail, that is no reason to overlook anything else.
set -euo pipefail
. "$(dirname "$0")/cases"

splats=$top/tests/lab/splats
header='vmalloc error: size 65536, failed to allocate pages, mode:0xdc0(GFP_KERNEL|__GFP_ZERO), nodemask=(null)'

# Lines as User Mode Linux logs them.
stamped()
{
	sed 's/^/[  423.570000] /'
}

trace()
{
	echo 'Call Trace:'
	printf ' [<%s>] %s\n' 60042f66 '? dump_trace+0x0/0x327' 608cfd58 'dump_stack+0x1a/0x1c' \
		"$@"
}

frames=(60301d5d 'warn_alloc+0x1e5/0x3cd' 6032b6b9 '? __kasan_kmalloc+0x29/0x52'
	602e8d55 '__vmalloc_node_range_noprof+0x419/0xb90'
	602835cd '__kvmalloc_node_noprof+0x18d/0x1a0' 603c87ae 'do_getxattr+0xbd/0x351'
	603c8b4b 'getxattr+0x109/0x151')

# told HEADER FRAME...: a failed allocation.
told()
{
	echo "failnth: $1"
	echo 'CPU: 0 UID: 0 PID: 43 Comm: failnth Not tainted 6.12.117 #3'
	printf '%s\n' 'Stack:' ' 63c3b900 63c3b960' ' 60a0 0'
	trace "${@:2}"
}

# The same on x86-64, out of a module, as a guest of QEMU sends it.
told_by_page_allocator()
{
	sed 's/^/<4>[    7.125000] /' <<-'END'
	reads: page allocation failure: order:0, mode:0xcc0(GFP_KERNEL), nodemask=(null),cpuset=/,mems_allowed=0
	CPU: 1 UID: 0 PID: 77 Comm: reads Tainted: G           OE      6.12.117 #1
	Tainted: [O]=OOT_MODULE, [E]=UNSIGNED_MODULE
	Hardware name: QEMU Standard PC
	Call Trace:
	 <TASK>
	 dump_stack_lvl+0x64/0x80
	 warn_alloc+0x165/0x1e0
	 __alloc_pages_slowpath.constprop.0+0xd71/0xdf0
	 __alloc_pages_noprof+0x30b/0x350
	 ? kasan_save_track+0x14/0x30
	 dsfs_read_buffers+0x1a5/0x330 [dsfs]
	 do_syscall_64+0x82/0x190
	 </TASK>
	Mem-Info:
	active_anon:12 inactive_anon:0 isolated_anon:0
	END
}

kasan()
{
	echo '=================================================================='
	echo 'BUG: KASAN: slab-use-after-free in dsfs_iget+0x12/0x80'
	trace 603c87ae 'dsfs_iget+0x12/0x80'
}

told "$header" "${frames[@]}" | stamped >block
told_by_page_allocator >pages
cat block pages block >several

exits 'splats: the stack of a failed allocation is one' 0 "$splats" block
exits 'splats: where faults are injected it is none' 1 "$splats" --injected block
check 'splats: but is counted for who asked' \
	grep -qx '# splats: failed allocations that the kernel told of: do_getxattr: 1' "$err"
exits 'splats: nor are several' 1 "$splats" --injected several
check 'splats: counted by function' test "$(sed 's/.*of: //' "$err")" = \
	"$(printf 'do_getxattr: 2\ndsfs_read_buffers: 1')"

# found NAME TEXT N: TEXT is, in LOG, and N lines of stacks.
found()
{
	local status=0

	run "$splats" --injected log
	[ $rc -eq 0 ] && sed '1,/^---/d' "$out" >all && grep -qF -- "$2" all &&
		[ "$(grep -c 'Call Trace\|__kasan' all)" -eq "$3" ] || status=1
	result "splats: $1" $status
}

{ cat block; kasan | stamped; cat pages; } >log
found 'a report between two of them' 'BUG: KASAN: slab-use-after-free in dsfs_iget' 1
{ head -n 1 block; kasan | stamped; } >log
found 'a report right after the first line' 'BUG: KASAN' 1
{ head -n 9 block; kasan | stamped; tail -n +10 block; } >log
found 'a report in the midst of the stack' 'BUG: KASAN' 2
{ cat block; trace "${frames[@]}" | stamped; } >log
found 'a stack behind it that nobody announced' 'Call Trace' 2
{ stamped <<<'dsfs: ubda: cannot read'; trace "${frames[@]}" | stamped; } >log
found 'a stack behind another line' 'Call Trace' 2
told "${header/failed to allocate/exceeds total}" "${frames[@]}" | stamped >log
found 'an allocation that no memory would do for' 'Call Trace' 2
{ cat block; stamped <<<'WARNING: CPU: 0 PID: 43 at fs/dsfs/inode.c:7 dsfs_iget+0x12/0x80'; } >log
found 'a warning behind it' 'WARNING: CPU: 0' 0
{ cat block; stamped <<<'Out of memory: kmemleak: 3 new suspected memory leaks'; } >log
found 'a leak' 'kmemleak: 3 new' 0
finish
