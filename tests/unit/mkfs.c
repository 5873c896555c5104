// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of what mkfs.dsfs decides without doing I/O.  Wherever it can be,
 * the judge is fs/format: what mkfs lays out, a reader must find.
 */
#include "tree.h"
#include "mkfs.h"

#include <sys/resource.h>

void *unit_alloc(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);

	if (!p) {
		fputs("unit-mkfs: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

long unit_full_disk(size_t bytes, void (*fn)(void *arg), void *arg)
{
	int saved = dup(STDERR_FILENO);
	struct rlimit old, few;
	FILE *f = tmpfile();
	long said;

	if (!f || saved < 0 || getrlimit(RLIMIT_FSIZE, &old))
		exit(1);
	few = old;
	few.rlim_cur = bytes;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &few);
	dup2(fileno(f), STDERR_FILENO);
	fn(arg);
	dup2(saved, STDERR_FILENO);
	setrlimit(RLIMIT_FSIZE, &old);
	fseek(f, 0, SEEK_END);
	said = ftell(f);
	fclose(f);
	close(saved);
	return said;
}

void unit_put(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (char *at = path + strlen(dir) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(1);
}

void unit_name(struct arena *a, struct node *n, const char *name)
{
	size_t len = strlen(name);

	n->name = arena_alloc(a, len + 2, 1);
	if (!n->name)
		exit(1);
	n->name[0] = len;
	memcpy(n->name + 1, name, len + 1);
}
