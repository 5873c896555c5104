// SPDX-License-Identifier: GPL-2.0
/*
 * Tar archives as a source.  An archive may come through a pipe and be larger than any
 * disk here, so it is read once, from its beginning to its end, and each content goes
 * to the image right away.  The tree is made when all names are known.
 *
 * An archive that is replaced while it is read can still look complete: one half is old, the
 * other half is new.  So each archive is checked after its last byte has been read, and all are
 * checked again at the end of the run, as the files of a directory are.  Pipes and devices
 * cannot be checked.
 */
#include <unistd.h>

#include "tar.h"
#include "../file.h"

int tar_watch(struct tar_watch *w, int fd)
{
	struct stat st;
	int ret = file_stat(fd, "", AT_EMPTY_PATH, &st);

	w->fd = fd;
	w->regular = !ret && S_ISREG(st.st_mode);
	w->check = ret ? 0 : file_check(&st);
	return ret;
}

int tar_watched(const struct tar_watch *w, const char *path)
{
	struct stat st;
	int ret = w->regular ? file_stat(w->fd, "", AT_EMPTY_PATH, &st) : 0;

	if (!w->regular || (!ret && file_same(w->check, &st, w->fd, "", AT_EMPTY_PATH)))
		return 0;
	return msg_fail(-EAGAIN, path, "changed during the run: no image is made");
}

int tar_watch_end(struct tar *t, const struct tar_watch *w)
{
	int ret = tar_watched(w, t->bytes.path);

	if (ret || !w->regular)
		return ret;
	return array_append(&t->seen, w) ? no_memory() : 0;
}

static int tar_recheck(struct source *src)
{
	const struct tar *t = (const struct tar *)src;
	const struct tar_watch *s = t->seen.p;

	for (size_t i = 0; i < t->seen.n; i++, s++) {
		const bool std = !strcmp(s->path, "-");
		const char *path = std ? "" : s->path;
		const int fd = std ? STDIN_FILENO : AT_FDCWD, flags = std ? AT_EMPTY_PATH : 0;
		struct stat st;
		int ret = file_stat(fd, path, flags, &st);

		if (ret)
			source_changed(src, s->path, "vanished during the run", ret);
		else if (!file_same(s->check, &st, fd, path, flags))
			source_changed(src, std ? "standard input" : s->path,
				       "changed during the run", 0);
	}
	return 0;
}

/* Check an archive before its first byte is read.  Return: 0, or -errno after a message. */
static int check_file(struct tar *t, struct tar_watch *watch)
{
	struct stat st;
	int ret = tar_watch(watch, t->bytes.fd);

	if (isatty(t->bytes.fd))
		return tar_fail(t, "is a terminal");
	if (!fstat(t->bytes.fd, &st) && source_is_image(&t->src, &st))
		return tar_fail(t, "is the image itself");
	return ret ? tar_fail(t, "cannot read attributes: %s", msg_why(-ret)) : 0;
}

static int open_archive(struct tar *t, const char *path, struct tar_watch *watch)
{
	int ret = tar_bytes_open(&t->bytes, path, t->src.sink->stop);

	if (!ret && check_file(t, watch))
		return -EINVAL;
	ret = ret ?: tar_bytes_begin(&t->bytes);
	if (ret && ret != -ECANCELED)
		msg_error(t->bytes.path, "%s", t->bytes.why);
	if (ret)
		return ret;
	t->global.len = 0;
	t->whole = true;
	t->base = grow_dir_at(&t->grow, 0);
	t->grow.now++;
	return t->src.o->wds != WDS_SHARD ? 0 : tar_shard_base(t, path);
}

static int read_archive(struct tar *t, const char *path)
{
	struct tar_watch watch = { .path = path };
	u64 other = 0;
	/* bytes behind the end: other programs do not read them either */
	int ret = open_archive(t, path, &watch) ?: tar_members(t) ?:
		  tar_bytes_fail(t, tar_bytes_drain(&t->bytes, &other));

	tar_note_behind(t, other);
	/* it may be why there was an error, too */
	if (!ret)
		ret = tar_watch_end(t, &watch);
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

static void tar_free(struct source *src)
{
	struct tar *t = (struct tar *)src;

	grow_free(&t->grow);
	arena_free(&t->files);
	array_free(&src->replaced);
	array_free(&t->m.map);
	array_free(&t->m.attrs);
	array_free(&t->list.items);
	array_free(&t->seen);
	free(t->global.p);
	free(t->local.p);
	free(t->records.p);
	free(t->long_path.p);
	free(t->long_link.p);
	free(t->set);
	free(t->resolved);
}

static int tar_init(struct source *src)
{
	struct tar *t = (struct tar *)src;

	src->replaced.size = sizeof(struct node *);
	t->seen.size = sizeof(struct tar_watch);
	t->m.map.size = sizeof(struct tar_range);
	t->m.attrs.size = sizeof(struct tar_attr);
	xattr_list_init(&t->list);
	return tar_tree_init(t);
}

const struct source_ops tar_ops = {
	.bytes = sizeof(struct tar),
	.init = tar_init,
	.list = tar_list,
	.end = tar_end,
	.recheck = tar_recheck,
	.free = tar_free,
};
