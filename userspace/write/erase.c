// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes of what was removed go.  The generation without it is written as any other one, with a
 * mark and without a HISTORY, so older ones are not found from it.  Then everything that it has not
 * is overwritten, read back, and given back to the file system or the device; and its superblock
 * is written once more, without the mark.  A run that is cut off leaves the image of before, or one
 * with the mark, of which the next run overwrites all again.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "behind.h"
#include "extents.h"
#include "format.h"
#include "image.h"
#include "msg.h"

#define PIECE		(1024 * 1024)
#define SHARED_TOLD	5

/* A removed file */
struct gone {
	u64 start;
	u64 stored;
	char *path;
};

/* A directory, and whether it was removed */
struct searched {
	struct dir *dir;
	bool gone;
};

static int take_file(struct erase *x, struct behind *b, struct dir *d, u32 k)
{
	struct node *n = &d->nodes[k];
	struct gone g = { .path = tree_path(&b->tree, d, n, true), .stored = n->size };
	struct dsfs_attr attr = { .start = node_data(n)->start };
	struct dsfs_err err = { 0 };
	int ret = g.path ? 0 : no_memory();

	if (!ret && !(n->flags & NODE_PLACED)) {
		ret = image_stored_get(b->base->prev, n->old, &attr, &g.stored, &err);
		if (ret)
			base_bad_inode(b->base, n->old, &err, ret);
	}
	g.start = attr.start;
	if (!ret && g.stored && !array_append(&x->gone, &g))
		return 0;
	free(g.path);
	return ret ? ret : g.stored ? no_memory() : 0;
}

static int look_at(struct erase *x, struct behind *b, struct array *queue, struct searched l)
{
	int ret = 0;

	for (u32 k = 0; !ret && k < l.dir->count; k++) {
		const struct node *n = &l.dir->nodes[k];
		const bool gone = l.gone || n->flags & NODE_AWAY;

		if (S_ISDIR(n->mode))
			ret = array_append(queue, &(struct searched){ n->u.dir, gone }) ?
			      no_memory() : 0;
		else if (gone && S_ISREG(n->mode) && n->size)
			ret = take_file(x, b, l.dir, k);
	}
	return ret;
}

int erase_note(struct erase *x, struct behind *b)
{
	struct array queue = { .size = sizeof(struct searched) };
	const struct searched root = { b->tree.root_dir, false };
	int ret = array_append(&queue, &root) ? no_memory() : 0;

	x->gone.size = sizeof(struct gone);
	for (size_t i = 0; !ret && i < queue.n; i++)
		ret = look_at(x, b, &queue, ((struct searched *)queue.p)[i]);
	array_free(&queue);
	return ret;
}

void erase_free(struct erase *x)
{
	for (size_t i = 0; i < x->gone.n; i++)
		free(((struct gone *)x->gone.p)[i].path);
	array_free(&x->gone);
}

static int gone_cmp(const void *a, const void *b)
{
	const struct gone *x = a, *y = b;

	return array_order(x->start, y->start);
}

static u64 end_at(const struct behind *b, size_t i)
{
	return extent_end(&b->extents, &b->tree, i);
}

/* Say which contents stay, as other files have them. */
static void say_shared(struct erase *x, const struct behind *b)
{
	const struct gone *g = (const struct gone *)x->gone.p;
	size_t k = 0;
	u64 end = 0;

	array_sort(&x->gone, gone_cmp);
	for (size_t i = 0; i < x->gone.n; i++, g++) {
		for (; k < b->extents.n && extent_start(&b->extents, k) < g->start + g->stored; k++)
			end = end_at(b, k) > end ? end_at(b, k) : end;
		if (end > g->start && x->shared++ < SHARED_TOLD)
			msg_warn(g->path, "its content stays, as another file has it");
	}
	if (x->shared > SHARED_TOLD)
		msg_warn(b->out.path, "contents of %llu more files stay, as others have them",
			 x->shared - SHARED_TOLD);
}

/* What is done with a range that no file has; @zeros: PIECE bytes, @buf: as many */
struct pass {
	const struct output *out;
	const char *zeros;
	char *buf;
	u64 bytes;
};

static int overwrite(struct pass *s, u64 pos, u64 bytes)
{
	int ret = 0;

	s->bytes += bytes;
	for (u64 n; !ret && bytes; pos += n, bytes -= n) {
		n = bytes < PIECE ? bytes : PIECE;
		ret = output_pwrite(s->out, s->zeros, n, pos);
	}
	return ret;
}

static int read_back(struct pass *s, u64 pos, u64 bytes)
{
	int ret = 0;

	for (u64 n; !ret && bytes; pos += n, bytes -= n) {
		n = bytes < PIECE ? bytes : PIECE;
		ret = output_pread(s->out, s->buf, n, pos);
		if (!ret && memcmp(s->buf, s->zeros, n))
			ret = msg_fail(-EIO, s->out->path,
				       "bytes from %llu on are not what was written over them",
				       pos);
	}
	return ret;
}

static int give_back(struct pass *s, u64 pos, u64 bytes)
{
	output_discard(s->out, pos, bytes);
	return 0;
}

/* All ranges of the data area that no file has; archives have those that lie in them. */
static int each_range(struct pass *s, const struct behind *b, u64 meta_start,
		      int (*fn)(struct pass *s, u64 pos, u64 bytes))
{
	u64 at = b->base->img.geo->data_start;
	int ret = 0;

	for (size_t i = 0; !ret && i < b->extents.n; i++) {
		if (extent_start(&b->extents, i) > at)
			ret = fn(s, at, extent_start(&b->extents, i) - at);
		at = end_at(b, i) > at ? end_at(b, i) : at;
	}
	return ret || meta_start <= at ? ret : fn(s, at, meta_start - at);
}

/* What is read then comes from the device. */
static int settle(struct behind *b)
{
	int ret = output_sync(&b->out);

	if (b->out.limit)
		ioctl(b->out.fd, BLKFLSBUF, 0);
	else
		posix_fadvise(b->out.fd, 0, 0, POSIX_FADV_DONTNEED);
	return ret;
}

/* Bytes behind the image are those of a run that was cut off. */
static int cut_end(struct behind *b, u64 bytes)
{
	int ret = b->out.limit ? 0 : output_guard(&b->out, bytes, INT64_MAX);

	if (ret || b->out.limit || !ftruncate(b->out.fd, bytes))
		return ret;
	return output_fail(&b->out, "cannot set the length");
}

static int overwrite_all(struct erase *x, struct behind *b, const struct dsfs_super *super)
{
	const u64 meta_start = le64_to_cpu(super->meta_start);
	struct pass s = { .out = &b->out, .zeros = calloc(1, PIECE), .buf = malloc(PIECE) };
	int ret;

	if (s.zeros && s.buf)
		ret = each_range(&s, b, meta_start, overwrite) ?:
		      cut_end(b, le64_to_cpu(super->image_bytes)) ?: settle(b) ?:
		      each_range(&s, b, meta_start, read_back) ?:
		      each_range(&s, b, meta_start, give_back);
	else
		ret = no_memory();
	x->bytes = s.bytes;
	free((char *)s.zeros);
	free(s.buf);
	return ret;
}

/* Both superblocks have the mark: overwrite, and write them without it. */
static int end_erase(struct erase *x, struct behind *b, struct dsfs_super *super)
{
	int ret;

	/* from here on there is nothing to go back to */
	b->out.ops = &erased_target_ops;
	b->out.open = false;
	ret = overwrite_all(x, b, super);
	if (ret) {
		msg_error(b->out.path, "%s", b->out.ops->refused);
		return ret;
	}
	super->compat &= ~cpu_to_le64(DSFS_COMPAT_ERASING);
	super->generation = cpu_to_le64(le64_to_cpu(super->generation) + 1);
	super->checksum = cpu_to_le32(dsfs_super_sum(super));
	return b->out.ops->commit(&b->out, super);
}

int erase_write(struct erase *x, struct behind *b)
{
	int ret;

	b->draft.previous = NULL;
	b->draft.compat |= DSFS_COMPAT_ERASING;
	ret = behind_write(b, true);
	if (ret)
		return ret;
	say_shared(x, b);
	return end_erase(x, b, &b->meta.super);
}

bool erase_is_begun(const struct behind *b)
{
	const struct dsfs_slot *s = b->base->img.slots;

	return (!s[0].ret && s[0].geo.compat & DSFS_COMPAT_ERASING) ||
	       (!s[1].ret && s[1].geo.compat & DSFS_COMPAT_ERASING);
}

/*
 * Of the superblocks one may be that of before, which leads to what is overwritten; or the mark may
 * be left in one of them alone.
 */
int erase_end(struct erase *x, struct behind *b)
{
	struct dsfs_super super = base_super(b->base)->raw;
	int ret = tree_order(&b->tree);

	b->out.first_slot = !b->base->img.use;
	b->out.ops = &erased_target_ops;
	ret = ret ?: tree_extents(&b->extents, b->base, &b->tree) ?:
	      b->out.ops->commit(&b->out, &super);
	if (ret || !(super.compat & cpu_to_le64(DSFS_COMPAT_ERASING)))
		return ret;
	return end_erase(x, b, &super);
}
