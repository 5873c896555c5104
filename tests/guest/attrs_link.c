// SPDX-License-Identifier: GPL-2.0
/*
 * Symlinks must be followed in RCU walk.  With RESOLVE_CACHED the kernel does not leave
 * RCU walk, and gives EAGAIN if it would have to.  The target makes no difference, and
 * need not exist.
 */
#include <linux/openat2.h>

#include "attrs.h"

T_CASE(follow, "symlinks are followed without leaving RCU walk")

/* The errno that following the link gives, or 0. */
static int resolve(const struct t_object *o, uint64_t how)
{
	struct open_how h = { .flags = O_PATH | O_CLOEXEC, .resolve = how };
	int fd = syscall(SYS_openat2, o->dir, o->name, &h, sizeof(h));

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

void attrs_link_visit(const struct t_object *o)
{
	int want, got, tries;

	if (!S_ISLNK(o->st.st_mode))
		return;
	want = resolve(o, 0);
	/* A name that is too long is not looked up in the cache. */
	if (want == ENAMETOOLONG)
		return;
	/* Whatever else happens to the tree of mounts ends an RCU walk, too. */
	for (tries = 0; tries < 5; tries++) {
		got = resolve(o, RESOLVE_CACHED);
		if (got != EAGAIN)
			break;
	}
	t_check(&follow, got == want, o->path, "%s instead of %s", strerror(got),
		want ? strerror(want) : "a file");
}
