// SPDX-License-Identifier: GPL-2.0
/*
 * A directory as a source: it and the files in it are opened, each file relative to its
 * directory, which stays open for the files that follow.
 */
#include <unistd.h>

#include "directory.h"
#include "msg.h"

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

static void directory_leave(struct input *in)
{
	struct directory_input *di = (struct directory_input *)in;

	if (di->dir && di->dirfd >= 0)
		dirfd_put(cache_of(di), di->dir);
	di->dir = NULL;
}

static int open_name(int dirfd, const struct node *n)
{
	return file_open_read(dirfd, node_name(n), FILE_FLAGS | O_NOFOLLOW);
}

/*
 * Open a file by another of its names, if the directory of the first one is gone or unreadable.
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

static bool directory_open(struct input *in)
{
	struct directory_input *di = (struct directory_input *)in;
	const struct node *n = in->node;

	if (di->dir != in->dir) {
		directory_leave(in);
		di->dir = in->dir;
		di->dirfd = dirfd_get(cache_of(di), di->dir);
	}
	if (!open_file(di, n))
		return false;
	di->file.size = n->size;
	di->file.check = n->source;
	di->file.asked = false;
	return true;
}

static void directory_close(struct input *in)
{
	close(((struct file_input *)in)->fd);
}

static void directory_free(struct source *src)
{
	struct directory *d = (struct directory *)src;

	dirfd_free(&d->dirs);
}

static int directory_init(struct source *src)
{
	struct directory *d = (struct directory *)src;
	int ret = dirfd_init(&d->dirs, src->tree->root_dir, src->o->source, src->threads);

	if (ret == -ENOTDIR)
		msg_error(src->o->source,
			  "cannot open: not a directory; of archives: --tar=FILE, of lists: --manifest=FILE");
	else if (ret == -ENOENT && strstr(src->o->source, "://"))
		msg_error(src->o->source, "is an address, where a directory is expected");
	else if (ret)
		msg_error(src->o->source, "cannot open: %s", msg_why(-ret));
	return ret;
}

const struct source_ops directory_ops = {
	.bytes = sizeof(struct directory),
	.input_bytes = sizeof(struct directory_input),
	.init = directory_init,
	.list = scan_tree,
	.open = directory_open,
	.read = file_read,
	.next_data = file_next_data,
	.unchanged = file_unchanged,
	.close = directory_close,
	.leave = directory_leave,
	.recheck = directory_recheck,
	.free = directory_free,
};
