// SPDX-License-Identifier: GPL-2.0
/*
 * Opening of the files of a directory tree, each relative to its directory.
 * The directory stays open for the files that follow.
 */
#include <stdlib.h>
#include <unistd.h>

#include "directory.h"
#include "../file.h"

/**
 * struct directory_input - open file and directory of a thread
 * @dir: directory of the last file; NULL: none
 * @dirfd: of @dir, or -errno
 */
struct directory_input {
	struct file_input file;
	struct dir *dir;
	int dirfd;
};

static struct dirfd_cache *cache_of(const struct directory_input *di)
{
	return &((struct directory *)di->file.in.src)->dirs;
}

struct input *directory_input_new(struct source *src)
{
	struct directory_input *di = calloc(1, sizeof(*di));

	if (!di)
		return NULL;
	di->file.in.src = src;
	di->file.fd = -1;
	di->dirfd = -1;
	return &di->file.in;
}

static void leave_dir(struct directory_input *di)
{
	if (di->dirfd >= 0)
		dirfd_put(cache_of(di), di->dir);
	di->dir = NULL;
	di->dirfd = -1;
}

void directory_input_free(struct input *in)
{
	struct directory_input *di = (struct directory_input *)in;

	if (!di)
		return;
	leave_dir(di);
	free(di);
}

static int open_name(int dirfd, const struct node *n)
{
	return file_open_read(dirfd, node_name(n), FILE_FLAGS | O_NOFOLLOW);
}

/*
 * Open a file by another of its names, if the directory of the first one is
 * gone or unreadable.
 */
static int open_other_name(struct dirfd_cache *cache, const struct node *n)
{
	const struct hlink *l = n->flags & NODE_LINK ? n->u.link->next : NULL;
	int fd = -ENOENT;

	for (; l && fd < 0; l = l->next) {
		int dirfd = dirfd_get(cache, l->dir);

		if (dirfd < 0)
			continue;
		fd = open_name(dirfd, l->first);
		dirfd_put(cache, l->dir);
	}
	return fd;
}

static bool open_file(struct directory_input *di, const struct node *n)
{
	struct input *in = &di->file.in;
	int fd = di->dirfd < 0 ? di->dirfd : open_name(di->dirfd, n);

	di->file.fd = fd < 0 ? open_other_name(cache_of(di), n) : fd;
	if (di->file.fd >= 0)
		return true;
	if (di->dirfd < 0)
		return input_fail(in, "cannot open its directory", fd);
	if (fd == -ENOENT)
		return input_fail(in, "vanished during the run", 0);
	return input_fail(in, "cannot open", fd);
}

bool directory_open(struct input *in, struct dir *dir, struct node *n)
{
	struct directory_input *di = (struct directory_input *)in;

	in->dir = dir;
	in->node = n;
	in->why = NULL;
	if (di->dir != dir) {
		leave_dir(di);
		di->dir = dir;
		di->dirfd = dirfd_get(cache_of(di), dir);
	}
	if (!open_file(di, n))
		return false;
	di->file.size = n->size;
	di->file.check = n->source;
	di->file.asked = false;
	return true;
}

void directory_close(struct input *in)
{
	struct directory_input *di = (struct directory_input *)in;

	close(di->file.fd);
	di->file.fd = -1;
}
