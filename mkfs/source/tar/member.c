// SPDX-License-Identifier: GPL-2.0
/*
 * Members: the attributes of each become those of a node, its name goes to the tree, and
 * its content to the sink.
 */
#include "tar.h"

static int sink_failed(struct tar *t, int ret)
{
	return ret == -ECANCELED ? tar_bytes_fail(t, ret) : ret ? tar_no_memory() : 0;
}

/* Pass the next @bytes of the archive on as the file's. */
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
