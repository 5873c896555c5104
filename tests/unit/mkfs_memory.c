// SPDX-License-Identifier: GPL-2.0
/* Limits of control groups, of both versions: the least one on the way to the root counts. */
#include "options/options.h"
#include "mkfs.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/dsfs-unit.XXXXXX";

/* Write a file below the root, and the directories above it. */
static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *at = path + sizeof(root); (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(1);
}

static u64 limit_of(const char *groups)
{
	char list[256];

	put("groups", groups);
	snprintf(list, sizeof(list), "%s/groups", root);
	return memory_of_groups(list, root);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

static void test_unified(void)
{
	put("pod/job/memory.max", "max\n");
	put("pod/memory.max", "5000\n");
	OK(limit_of("0::/pod/job\n") == 5000, "memory: a limit of the group above");
	put("pod/job/memory.high", "4000\n");
	OK(limit_of("0::/pod/job\n") == 4000, "memory: memory.high is one, too");
	put("memory.max", "3000\n");
	OK(limit_of("0::/pod/job\n") == 3000 && limit_of("0::/\n") == 3000,
	   "memory: that of the root");
	OK(limit_of("0::/../other\n") == 3000,
	   "memory: a group outside the name space: what is seen");
}

static void test_old(void)
{
	put("memory/a/b/memory.limit_in_bytes", "700\n");
	put("memory/a/memory.limit_in_bytes", "9223372036854771712\n");
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
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
