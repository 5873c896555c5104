// SPDX-License-Identifier: GPL-2.0
/*
 * The data phase of an image that is packed anew from another one.  Stored data
 * of the base image is copied in the order of names, shared data once: with --keep, what
 * generations share, too.  It is not searched for holes and duplicates again.
 */
#include <stdlib.h>

#include "../base/keep.h"
#include "format.h"
#include "msg.h"
#include "stream.h"

#define COPY_BYTES	1048576	/* a multiple of every chunk size */

/**
 * struct moved - stored data of the base image that was copied
 * @from, @stored: offset there, and length: the key
 * @to: offset in the new image
 * @sums: see base_sums()
 */
struct moved {
	u64 from;
	u64 stored;
	u64 to;
	u64 sums;
};

/**
 * struct copy - what the copy needs
 * @moved: struct moved, of earlier generations, too
 * @buf: COPY_BYTES
 */
struct copy {
	struct store *s;
	struct table *moved;
	struct input *in;
	char *buf;
};

int copied_init(struct table *copied)
{
	return table_init(copied, sizeof(struct moved), offsetof(struct moved, to));
}

static int copy_init(struct copy *c, struct store *s, struct table *copied)
{
	*c = (struct copy){ .s = s, .moved = copied };
	c->in = input_new(s->source);
	c->buf = malloc(COPY_BYTES);
	return c->in && c->buf ? 0 : -ENOMEM;
}

static void copy_free(struct copy *c)
{
	input_free(c->in);
	free(c->buf);
}

/* Read and verify the stored bytes of the open file; write them, unless @to is 0. */
static int copy_bytes(struct copy *c, u64 to, u64 stored)
{
	struct input *in = c->in;
	int ret = 0;

	for (u64 at = 0; !ret && at < stored; at += COPY_BYTES) {
		u64 bytes = stored - at < COPY_BYTES ? stored - at : COPY_BYTES;

		if (!in->src->ops->read(in, c->buf, bytes, at))
			return source_unreadable(in->src, in->dir, in->node, in->why, in->err);
		if (to)
			ret = output_write(c->s->out, to + at, c->buf, bytes);
		progress_add(&c->s->progress, bytes);
	}
	return ret;
}

/*
 * Let a file share data that was copied for another one.  The data was compared with the checksums
 * of that one.  If this file has other checksums, the image is damaged: the data is read again, and
 * compared with these.
 */
static int share_moved(struct copy *c, struct node *n, const struct moved *moved, u64 sums)
{
	const u64 stored = moved->stored;

	node_data(n)->start = moved->to;
	if (moved->to < c->s->start) {	/* of an earlier generation */
		keep_mark(c->s->base, n);
	} else {
		c->s->figures.dup_files++;
		c->s->figures.dup_bytes += stored;
	}
	return sums == moved->sums ? 0 : copy_bytes(c, 0, stored);
}

static int copy_open(struct copy *c, struct node *n)
{
	struct moved *moved, key;
	u64 pos = 0, stored = c->in->src->ops->next_data(c->in, &pos), sums;
	const u32 ino = *node_old(c->in->dir, n);
	struct dsfs_err err = { 0 };
	struct dsfs_attr attr;
	int ret;

	if (!stored)
		return 0;
	ret = dsfs_inode_get(c->s->base->prev, ino, &attr, &err) ?:
	      base_sums(c->s->base, &attr, stored, &sums, &err);
	if (ret)
		return base_bad_inode(c->s->base, ino, &err, ret);
	key.from = c->in->place;
	key.stored = stored;
	moved = table_find(c->moved, &key);
	if (moved)
		return share_moved(c, n, moved, sums);
	moved = table_add(c->moved, &key);
	if (!moved)
		return -ENOMEM;
	moved->sums = sums;
	moved->to = place_file(&c->s->place, n, stored);
	node_data(n)->start = moved->to;
	return copy_bytes(c, moved->to, stored);
}

static int copy_file(struct copy *c, struct dir *dir, struct node *n)
{
	struct input *in = c->in;
	int ret;

	if (!input_open(in, dir, n))
		return source_unreadable(in->src, dir, n, in->why, in->err);
	ret = copy_open(c, n);
	input_close(in);
	return ret;
}

int copy_data(struct store *s, struct table *copied)
{
	struct tree_walk walk = { 0 };
	struct node *n;
	struct copy c;
	int ret = copy_init(&c, s, copied);

	progress_start(&s->progress, "packing", s->base->stored);
	while (!ret && (n = tree_next(s->tree, &walk))) {
		if (n->flags & NODE_KEPT && !(n->flags & NODE_HARDLINK))
			ret = copy_file(&c, walk.dir, n);
	}
	progress_end(&s->progress);
	copy_free(&c);
	if (ret == -ENOMEM)
		no_memory();
	return ret;
}
