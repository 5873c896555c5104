// SPDX-License-Identifier: GPL-2.0
/*
 * Tar archives as a source.  An archive may come through a pipe and be larger than any
 * disk here, so it is read once, from its beginning to its end, and each content goes
 * to the image right away.  The tree is made when all names are known.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "msg.h"
#include "tar.h"

int tar_no_memory(void)
{
	msg_error(NULL, "out of memory");
	return -ENOMEM;
}

int tar_fail(struct tar *t, const char *fmt, ...)
{
	char text[1024], name[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (t->m.path)
		msg_error(t->bytes.path, "%s: %s",
			  msg_escape(name, sizeof(name), t->m.path), text);
	else
		msg_error(t->bytes.path, "at byte %llu: %s",
			  (unsigned long long)t->bytes.taken, text);
	return -EINVAL;
}

const char *tar_shown(struct tar *t, const char *name)
{
	return msg_escape(t->shown, sizeof(t->shown), name);
}

/* The data phase has said why it wants no more; here is how far it came. */
static int canceled(struct tar *t)
{
	tar_fail(t, "the image could not be written up to here");
	return -ECANCELED;
}

int tar_bytes_fail(struct tar *t, int ret)
{
	if (ret == -ECANCELED)
		return canceled(t);
	if (ret == -ENODATA)
		return tar_fail(t, "cut off: the archive ends in it");
	return ret ? tar_fail(t, "%s", t->bytes.why) : 0;
}

static int sink_failed(struct tar *t, int ret)
{
	return ret == -ECANCELED ? canceled(t) : ret ? tar_no_memory() : 0;
}

/* The next @bytes of the archive are the file's. */
static int put_data(struct tar *t, u64 bytes)
{
	struct source_sink *sink = t->src.sink;
	const char *p;
	int ret;

	for (size_t n; bytes; bytes -= n) {
		ret = tar_bytes_some(&t->bytes, bytes, &p, &n);
		if (ret)
			return tar_bytes_fail(t, ret);
		ret = sink->data(sink, p, n);
		if (ret)
			return sink_failed(t, ret);
	}
	return 0;
}

static int put_zeros(struct tar *t, u64 bytes)
{
	struct source_sink *sink = t->src.sink;

	return bytes ? sink_failed(t, sink->zeros(sink, bytes)) : 0;
}

static int put_ranges(struct tar *t)
{
	const struct tar_range *r = (const struct tar_range *)t->m.map.p;
	u64 at = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < t->m.map.n; i++, r++) {
		ret = put_zeros(t, r->start - at);
		if (!ret)
			ret = put_data(t, r->bytes);
		at = r->start + r->bytes;
	}
	return ret ? ret : put_zeros(t, t->m.real_size - at);
}

static int put_content(struct tar *t, struct tar_file *f)
{
	struct source_sink *sink = t->src.sink;
	int ret = t->place && t->m.sparse ? tar_sparse_place(t) : 0;

	if (t->place)
		f->file.node.u.start = t->place + t->bytes.taken;
	if (!ret)
		ret = sink_failed(t, sink->begin(sink, &f->file));
	if (!ret)
		ret = t->m.sparse ? put_ranges(t) : put_data(t, t->m.size);
	if (!ret)
		ret = sink_failed(t, sink->end(sink));
	return ret ? ret : tar_bytes_fail(t, tar_bytes_skip(&t->bytes, -t->m.size % TAR_BLOCK));
}

static int set_owner(struct tar *t, struct node *n)
{
	bool root = t->src.o->all_root;
	s64 owner = owners_get(&t->src.tree->owners, root ? 0 : t->m.uid,
			       root ? 0 : t->m.gid);

	n->owner = owner;
	return owner < 0 ? tar_no_memory() : 0;
}

static void set_time(struct tar *t, struct node *n)
{
	n->mtime = t->src.o->fixed_time ? t->src.o->build_time : t->m.mtime;
	if (!t->m.clamped || t->src.o->fixed_time)
		return;
	t->src.clamped++;
	tar_note(t, TAR_CLAMPED, t->m.path);
}

static int set_target(struct tar *t, struct node *n)
{
	size_t len = strlen(t->m.link);

	if (!len)
		return tar_fail(t, "a symlink without a target");
	if (len > DSFS_SYMLINK_MAX)
		return tar_fail(t, "target: %zu bytes: the limit is %d", len, DSFS_SYMLINK_MAX);
	return node_set_target(&t->src.tree->arena, n, t->m.link, len) ? tar_no_memory() : 0;
}

static int set_attrs(struct tar *t, struct node *n)
{
	int ret = set_owner(t, n);

	n->mode = t->m.mode;
	set_time(t, n);
	if (S_ISREG(n->mode))
		n->size = t->m.real_size;
	else if (S_ISCHR(n->mode) || S_ISBLK(n->mode))
		n->size = t->m.major << 20 | t->m.minor;
	if (!ret)
		ret = tar_xattrs(t, n);
	return ret || !S_ISLNK(n->mode) ? ret : set_target(t, n);
}

struct tar_file *tar_put_file(struct tar *t)
{
	struct tar_file *f = t->m.mode ? tar_file_new(t) : tar_target(t);
	int ret = f ? 0 : -EINVAL;

	if (!ret && t->m.mode)
		ret = set_attrs(t, &f->file.node);
	if (!ret)
		ret = tar_put(t, f);
	return ret ? NULL : f;
}

static int put_member(struct tar *t)
{
	struct tar_file *f = tar_put_file(t);

	if (!f)
		return -EINVAL;
	if (S_ISREG(t->m.mode) && t->m.real_size)
		return put_content(t, f);
	return tar_bytes_fail(t, tar_bytes_skip(&t->bytes,
						t->m.size + -t->m.size % TAR_BLOCK));
}

/* The name of a shard: that of its file, up to the endings. */
int tar_shard_base(struct tar *t, const char *path)
{
	static const char *const ends[] = { ".tar", ".tgz", ".txz", ".tzst", NULL };
	const char *slash = strrchr(path, '/');
	char *name = strdup(slash ? slash + 1 : path);

	t->base = NULL;
	if (!name)
		return tar_no_memory();
	for (unsigned int i = 0; ends[i]; i++) {
		char *end = strstr(name, ends[i]);

		if (end && end != name)
			*end = '\0';
	}
	if (!*name || !dsfs_name_valid(name, strlen(name)))
		tar_fail(t, "%s: not a name for a directory: %s",
			 t->src.o->tar_index ? "--tar-index" : "--wds", tar_shown(t, name));
	else
		t->base = tar_dir_alone(t, name);
	free(name);
	return t->base ? 0 : -EINVAL;
}

int tar_note_begin(struct tar *t)
{
	struct tar_name **begin = array_add(&t->begins);

	if (!begin)
		return tar_no_memory();
	*begin = t->newest;
	return 0;
}

/* Why an archive cannot be read, before its first byte is; 0 or -errno, said. */
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

int tar_members(struct tar *t)
{
	int ret = 0;

	while (!ret) {
		ret = tar_next(t);
		if (ret <= 0)
			break;
		ret = put_member(t);
	}
	t->m.path = NULL;
	return ret;
}

void tar_note_behind(struct tar *t, u64 other)
{
	char what[64];

	snprintf(what, sizeof(what), "from byte %llu on", (unsigned long long)other);
	if (other)
		tar_note(t, TAR_BEHIND, what);
}

/* Other programs stop at the end, too, and what was appended to an archive is lost to them. */
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

	if (src->o->tar_index)
		ret = tar_place(t);
	for (unsigned int i = 0; !ret && !src->o->tar_index && i < src->o->ntars; i++)
		ret = read_archive(t, src->o->tars[i]);
	if (!ret)
		tar_notes_say(t);
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
	free(t);
}

static const struct source_ops tar_ops = {
	.list = tar_list,
	.end = tar_end,
	.recheck = tar_recheck,
	.name = tar_name_of,
	.free = tar_free,
};

int source_tar(struct source **src, const struct options *o, struct tree *tree,
	       unsigned int threads)
{
	struct tar *t;

	*src = source_alloc(sizeof(*t), &tar_ops, o, tree, threads);
	if (!*src)
		return -ENOMEM;
	t = (struct tar *)*src;
	t->src.replaced.size = sizeof(struct node *);
	t->m.map.size = sizeof(struct tar_range);
	t->m.xattrs.size = sizeof(struct xattr_item);
	t->begins.size = sizeof(struct tar_name *);
	return tar_tree_init(t) ? tar_no_memory() : 0;
}
