// SPDX-License-Identifier: GPL-2.0
/*
 * Members: the attributes of each become those of a node, its name goes to the tree, and
 * its content to the sink.
 */
#include "tar.h"

static int sink_failed(struct tar *t, int ret)
{
	return ret == -ECANCELED ? tar_bytes_fail(t, ret) : ret ? no_memory() : 0;
}

static int skip(struct tar *t, u64 bytes)
{
	return tar_bytes_fail(t, tar_bytes_skip(&t->bytes, bytes, NULL));
}

/* Pass the next @bytes of the archive on as the file's. */
static int put_data(struct tar *t, u64 bytes)
{
	struct source_sink *sink = t->src.sink;
	const char *p;
	int ret = 0;

	for (size_t n = 0; !ret && bytes; bytes -= n)
		ret = tar_bytes_fail(t, tar_bytes_some(&t->bytes, bytes, &p, &n)) ?:
		      sink_failed(t, sink->data(sink, p, n));
	return ret;
}

static int put_zeros(struct tar *t, u64 bytes)
{
	struct source_sink *sink = t->src.sink;

	return bytes ? sink_failed(t, sink->zeros(sink, bytes)) : 0;
}

static int put_ranges(struct tar *t)
{
	const struct tar_range *r = t->m.map.p;
	u64 at = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < t->m.map.n; i++, r++) {
		ret = put_zeros(t, r->start - at) ?: put_data(t, r->bytes);
		at = r->start + r->bytes;
	}
	return ret ?: put_zeros(t, t->m.real_size - at);
}

static int put_content(struct tar *t, struct tar_file *f)
{
	struct source_sink *sink = t->src.sink;

	f->file.as_is = tar_as_is(t);
	if (t->place)
		f->file.node.u.start = t->place + t->bytes.taken;
	return (t->place && t->m.sparse ? tar_sparse_place(t) : 0) ?:
	       sink_failed(t, sink->begin(sink, &f->file)) ?:
	       (t->m.sparse ? put_ranges(t) : put_data(t, t->m.size)) ?:
	       sink_failed(t, sink->end(sink)) ?: skip(t, -t->m.size % TAR_BLOCK);
}

static void set_time(struct tar *t, struct node *n)
{
	n->mtime = source_time(&t->src, t->m.mtime);
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
	return node_set_target(&t->src.tree->arena, n, t->m.link, len) ? no_memory() : 0;
}

static int set_attrs(struct tar *t, struct node *n)
{
	set_time(t, n);
	if (S_ISREG(t->m.mode))
		n->size = t->m.real_size;
	else if (S_ISCHR(t->m.mode) || S_ISBLK(t->m.mode))
		n->size = t->m.major << 20 | t->m.minor;
	return (source_set_owner(&t->src, n, t->m.uid, t->m.gid) ? no_memory() : 0) ?:
	       tar_set_attrs(t, n) ?: (S_ISLNK(n->mode) ? set_target(t, n) : 0);
}

struct tar_file *tar_put_file(struct tar *t)
{
	struct tar_file *f = t->m.mode ? arena_zalloc(&t->files, sizeof(*f)) : tar_target(t);

	if (!f && t->m.mode)
		no_memory();
	if (!f || (t->m.mode && set_attrs(t, &f->file.node)) || tar_put(t, f))
		return NULL;
	return f;
}

/* Skip what follows a header and is no content. */
static int skip_rest(struct tar *t)
{
	return skip(t, t->m.size + -t->m.size % TAR_BLOCK);
}

static int put_dir(struct tar *t)
{
	struct node attrs = { 0 };

	return set_attrs(t, &attrs) ?: tar_put_dir(t, &attrs) ?: skip_rest(t);
}

static int put_member(struct tar *t)
{
	struct tar_file *f;

	if (S_ISDIR(t->m.mode))
		return put_dir(t);
	f = tar_put_file(t);
	if (!f)
		return -EINVAL;
	return S_ISREG(t->m.mode) && t->m.real_size ? put_content(t, f) : skip_rest(t);
}

int tar_members(struct tar *t)
{
	int ret;

	do {
		ret = tar_next(t);
		if (ret == 1)
			ret = put_member(t) ?: 1;
	} while (ret > 0);
	t->m.path = NULL;
	return ret;
}
