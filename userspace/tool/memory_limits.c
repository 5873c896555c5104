// SPDX-License-Identifier: GPL-2.0
/*
 * How much memory there is for this process: that of the machine, or less if a control group
 * has a limit.  A container is such a group: half of the machine is often more than it may have,
 * and it would be killed where a temporary file was at hand.
 *
 * A limit holds for the groups below, so all on the way to the root count.  In a name space of
 * its own, a process sees a part of that way, and cannot be told of the rest.
 */
#include <unistd.h>

#include "memory.h"

/* The number in a file, or UINT64_MAX: there is no such file, or its text is "max". */
static u64 limit_in(const char *root, const char *hierarchy, const char *group, const char *file)
{
	unsigned long long limit;
	char *path;
	FILE *f;
	int n = 0;

	if (asprintf(&path, "%s%s%s/%s", root, hierarchy, group, file) < 0)
		return UINT64_MAX;
	f = fopen(path, "re");
	free(path);
	if (!f)
		return UINT64_MAX;
	n = fscanf(f, "%llu", &limit);
	fclose(f);
	return n == 1 ? limit : UINT64_MAX;
}

static void take_least(u64 *least, u64 limit)
{
	if (limit < *least)
		*least = limit;
}

/* The limits of a group and of those above it.  @group is cut to nothing. */
static u64 limit_of_groups(const char *root, char *group, bool unified)
{
	u64 least = UINT64_MAX;
	char *slash;

	for (;;) {
		if (unified) {
			take_least(&least, limit_in(root, "", group, "memory.max"));
			take_least(&least, limit_in(root, "", group, "memory.high"));
		} else {
			take_least(&least, limit_in(root, "/memory", group,
						    "memory.limit_in_bytes"));
		}
		slash = strrchr(group, '/');
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* Whether a list "cpu,memory" has the controller of memory */
static bool has_memory(const char *list)
{
	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n == strlen("memory") && !strncmp(list, "memory", n))
			return true;
	}
	return false;
}

u64 memory_of_groups(const char *groups, const char *root)
{
	FILE *f = fopen(groups, "re");
	u64 least = UINT64_MAX;
	char *line = NULL, *list, *group;
	size_t size = 0;

	/* A line is "ID:CONTROLLERS:GROUP"; version 2 has no controllers there. */
	while (f && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		list = strchr(line, ':');
		group = list ? strchr(list + 1, ':') : NULL;
		if (!group)
			continue;
		list++;
		*group++ = '\0';
		if (!*list || has_memory(list))
			take_least(&least, limit_of_groups(root, group, !*list));
	}
	free(line);
	if (f)
		fclose(f);
	return least;
}

u64 memory_for_us(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	u64 least = memory_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");

	if (pages > 0 && page > 0)
		take_least(&least, (u64)pages * page);
	return least;
}
