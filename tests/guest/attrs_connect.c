// SPDX-License-Identifier: GPL-2.0
/*
 * Connectable file handles, which also contain the parent directory; opening one
 * gives a file with a path.  NFS servers that check subtrees open files so, and
 * it is the only way in which userspace can name a parent: so forged parents are
 * tested here.  Any parent but the file's own directory must give ESTALE: a file,
 * a symlink, a device or a number that does not exist.
 */
#include "attrs.h"

#ifndef AT_HANDLE_CONNECTABLE
#define AT_HANDLE_CONNECTABLE	0x002	/* since 6.13 */
#endif

#define KEEP		60
#define WITH_PARENT	2	/* the kernel's FILEID_INO32_GEN_PARENT */
#define TYPE_MASK	0xff

T_CASE(connected, "connectable handles give files with a path")
T_CASE(forged, "made-up parents in handles are stale")

/* What lies in a handle of this type. */
struct parts {
	uint32_t ino, generation, parent, parent_generation;
};

static struct kept {
	char *path;
	nlink_t links;
	struct parts parts;
	struct file_handle *h;
} kept[KEEP];
static size_t count, seen[16];

void attrs_connect_visit(const struct t_object *o)
{
	unsigned int type = (o->st.st_mode & S_IFMT) >> 12;
	struct file_handle *h;

	if (t_kernel_before(6, 13)) {
		connected.skip = "the kernel does not know them";
		forged.skip = connected.skip;
		return;
	}
	/* Some of each type and some with more names; of a path that a link's target fits in. */
	if (o->st.st_nlink > 1)
		type = 0;
	if (S_ISDIR(o->st.st_mode) || strlen(o->path) > 2000 || count == KEEP ||
	    seen[type]++ >= 8)
		return;
	h = t_handle(&connected, o, AT_HANDLE_CONNECTABLE);
	if (!h)
		return;
	if ((h->handle_type & TYPE_MASK) != WITH_PARENT ||
	    h->handle_bytes != sizeof(struct parts)) {
		free(h);
		return;
	}
	kept[count].path = strdup(o->path);
	kept[count].links = o->st.st_nlink;
	memcpy(&kept[count].parts, h->f_handle, sizeof(struct parts));
	kept[count++].h = h;
}

static void stale(int root, const struct kept *k, const struct parts *parts)
{
	memcpy(k->h->f_handle, parts, sizeof(*parts));
	t_stale(&forged, root, k->h, k->path, "with the parent", parts->parent);
	memcpy(k->h->f_handle, &k->parts, sizeof(k->parts));
}

static void forge(int root, const struct kept *k)
{
	static const uint32_t numbers[] = { 0, 0x7fffffff, 0xfffffffe, 0xffffffff };
	struct parts p = k->parts;
	size_t i;

	for (i = 0; i < count; i++) {
		p.parent = kept[i].parts.ino;
		p.parent_generation = kept[i].parts.generation;
		stale(root, k, &p);
		/* A directory, but of somebody else */
		if (kept[i].parts.parent == k->parts.parent)
			continue;
		p.parent = kept[i].parts.parent;
		stale(root, k, &p);
	}
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		p.parent = numbers[i];
		stale(root, k, &p);
	}
	p = k->parts;
	p.parent_generation ^= 1;
	stale(root, k, &p);
}

static void open_one(int root, const struct kept *k)
{
	char link[64], path[4096];
	size_t len = strlen(k->path);
	ssize_t n;
	int fd;

	/* Another name that is in the cache would do as well. */
	if (k->links > 1)
		t_drop_caches("3");
	fd = open_by_handle_at(root, k->h, O_PATH | O_CLOEXEC);
	if (!t_check(&connected, fd >= 0, k->path, "%s", strerror(errno)))
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = 0;
	/* Which of several names in the directory is nobody's business. */
	if (k->links > 1) {
		len = strrchr(k->path, '/') - k->path + 1;
		n = strrchr(path, '/') - path + 1;
		path[n] = 0;
	}
	t_check(&connected, n >= (ssize_t)len && !strncmp(path + n - len, k->path, len), k->path,
		"its path is %s", path);
	close(fd);
}

void attrs_connect_end(int root)
{
	size_t i;

	/* With no name in the cache the way up has to be asked for.  What opens has one. */
	t_drop_caches("3");
	/* The directory of a hard-link entry is no made-up one. */
	for (i = 0; i < count; i++) {
		if (kept[i].links == 1)
			forge(root, kept + i);
	}
	for (i = 0; i < count; i++)
		open_one(root, kept + i);
	while (count) {
		free(kept[--count].path);
		free(kept[count].h);
	}
}
