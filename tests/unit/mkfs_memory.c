// SPDX-License-Identifier: GPL-2.0
/* Limits of control groups, of both versions: the least one on the way to the root counts. */
#include "memory.h"
#include "mkfs.h"

static char root[] = "/tmp/dsfs-unit.XXXXXX";

static u64 limit_of(const char *groups)
{
	char list[256];

	unit_put(root, "groups", groups);
	snprintf(list, sizeof(list), "%s/groups", root);
	return memory_of_groups(list, root);
}

static void test_unified(void)
{
	unit_put(root, "pod/job/memory.max", "max\n");
	unit_put(root, "pod/memory.max", "5000\n");
	OK(limit_of("0::/pod/job\n") == 5000, "memory: a limit of the group above");
	unit_put(root, "pod/job/memory.high", "4000\n");
	OK(limit_of("0::/pod/job\n") == 4000, "memory: memory.high is one, too");
	unit_put(root, "memory.max", "3000\n");
	OK(limit_of("0::/pod/job\n") == 3000 && limit_of("0::/\n") == 3000,
	   "memory: that of the root");
	OK(limit_of("0::/../other\n") == 3000,
	   "memory: a group outside the name space: what is seen");
}

static void test_old(void)
{
	unit_put(root, "memory/a/b/memory.limit_in_bytes", "700\n");
	unit_put(root, "memory/a/memory.limit_in_bytes", "9223372036854771712\n");
	OK(limit_of("4:cpu,memory:/a/b\n3:cpuset:/c\n") == 700,
	   "memory: version 1, with another controller");
	OK(limit_of("4:memory:/a\n") == 9223372036854771712ULL, "memory: no limit of version 1");
	OK(limit_of("4:memoryless:/a/b\n") == UINT64_MAX, "memory: no group of memory");
}

TESTS(memory)
{
	if (!mkdtemp(root))
		exit(1);
	OK(limit_of("0::/pod/job\n") == UINT64_MAX, "memory: no files: no limit");
	OK(limit_of("nonsense\n:\n\n") == UINT64_MAX, "memory: no list of groups");
	OK(memory_of_groups("/none/such", root) == UINT64_MAX, "memory: no list at all");
	test_old();
	test_unified();
	OK(memory_for_us() > 1 << 20 && memory_for_us() < UINT64_MAX,
	   "memory: this process has some");
	tap_remove(root);
}
