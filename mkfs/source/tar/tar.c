// SPDX-License-Identifier: GPL-2.0
/*
 * Tar archives as a source.  An archive may come through a pipe and be larger than any
 * disk here, so it is read once, from its beginning to its end, and each content goes
 * to the image right away.  The tree is made when all names are known.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "msg.h"
#include "tar.h"

/* Check an archive before its first byte is read.  Return: 0, or -errno after a message. */
static int check_file(struct tar *t, struct tar_watch *watch)
{
	struct stat st;
	int ret = tar_watch(watch, t->bytes.fd);

	if (isatty(t->bytes.fd))
		return tar_fail(t, "is a terminal");
	if (!fstat(t->bytes.fd, &st) && st.st_dev == t->src.image_dev &&
	    st.st_ino == t->src.image_ino)
		return tar_fail(t, "is the image itself");
	return ret ? tar_fail(t, "cannot read attributes: %s", msg_why(-ret)) : 0;
}

static int open_archive(struct tar *t, const char *path, struct tar_watch *watch)
{
	int ret = tar_bytes_open(&t->bytes, path, t->src.sink->stop);

	if (!ret) {
		ret = check_file(t, watch);
		if (ret)
			return ret;
		ret = tar_bytes_begin(&t->bytes);
	}
	if (ret && ret != -ECANCELED)
		msg_error(t->bytes.path, "%s", t->bytes.why);
	if (ret)
		return ret;
	t->last_dir = NULL;
	t->global.len = 0;
	t->base = t->src.o->wds == WDS_SHARD ? NULL : t->root;
	ret = tar_note_begin(t);
	return ret || t->base ? ret : tar_shard_base(t, path);
}

/* Note bytes behind the end of an archive.  Other programs do not read them either. */
static int read_behind(struct tar *t)
{
	u64 other = 0;
	int ret = tar_bytes_drain(&t->bytes, &other);

	tar_note_behind(t, other);
	return tar_bytes_fail(t, ret);
}

static int read_archive(struct tar *t, const char *path)
{
	struct tar_watch watch = { .regular = false };
	int ret;

	t->m.path = NULL;
	ret = open_archive(t, path, &watch);
	if (!ret)
		ret = tar_members(t);
	t->m.path = NULL;
	if (!ret)
		ret = read_behind(t);
	/* it may be why there was an error, too */
	if (!ret)
		ret = tar_watch_end(t, &watch, path);
	else if (ret != -ECANCELED)
		tar_watched(&watch, t->bytes.path);
	tar_bytes_close(&t->bytes);
	return ret;
}

static int tar_list(struct source *src)
{
	struct tar *t = (struct tar *)src;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < src->o->ntars; i++)
		ret = read_archive(t, src->o->tars[i]);
	return ret;
}

static void tar_name_of(const struct source *src, const struct dir *dir,
			const struct node *node, struct source_name *name)
{
	name->subject = tree_path(src->tree, dir, node, true);
}

static void tar_free(struct source *src)
{
	struct tar *t = (struct tar *)src;

	tar_tree_free(t);
	array_free(&src->replaced);
	array_free(&t->m.map);
	array_free(&t->m.xattrs);
	array_free(&t->begins);
	array_free(&t->seen);
	free(t->last_path.p);
	free(t->global.p);
	free(t->local.p);
	free(t->records.p);
	free(t->long_path.p);
	free(t->long_link.p);
	free(t->set);
}

static int tar_init(struct source *src)
{
	struct tar *t = (struct tar *)src;

	src->replaced.size = sizeof(struct node *);
	t->m.map.size = sizeof(struct tar_range);
	t->m.xattrs.size = sizeof(struct xattr_item);
	t->begins.size = sizeof(struct tar_name *);
	return tar_tree_init(t) ? tar_no_memory() : 0;
}

const struct source_ops tar_ops = {
	.bytes = sizeof(struct tar),
	.init = tar_init,
	.list = tar_list,
	.end = tar_end,
	.recheck = tar_recheck,
	.name = tar_name_of,
	.free = tar_free,
};
