// SPDX-License-Identifier: GPL-2.0
/*
 * The data phase of an image that is packed anew from another one.  Stored data
 * of the base image is copied in the order of names, shared data once.  It is
 * not searched for holes and duplicates again.
 */
#include <stdlib.h>

#include "../base/base.h"
#include "libdsfs.h"
#include "msg.h"
#include "stream.h"

#define COPY_BYTES	1048576	/* a multiple of every chunk size */

/* Stored bytes of the base image that were copied, and the first file with them */
struct moved {
	u64 from;
	const struct node *to;
};

/**
 * struct moves - state of the copy
 * @list: struct moved; @numbers finds them by place: index plus one
 */
struct moves {
	struct array list;
	struct hash numbers;
	const struct source_ops *ops;
	struct input *in;
	char *buf;
};

static u64 hash_place(u64 from)
{
	return XXH3_64bits(&from, sizeof(from));
}

static struct moved *moves_at(const struct moves *m, u64 number)
{
	return (struct moved *)m->list.p + number - 1;
}

static u64 hash_moved(const void *moves, u64 number)
{
	return hash_place(moves_at(moves, number)->from);
}

static int moves_init(struct moves *m, struct source *src)
{
	*m = (struct moves){ .list.size = sizeof(struct moved), .ops = src->ops };
	m->numbers = (struct hash){ .of = hash_moved, .ctx = m };
	m->in = src->ops->input_new(src);
	m->buf = malloc(COPY_BYTES);
	return m->in && m->buf ? hash_init(&m->numbers, 0) : -ENOMEM;
}

static void moves_free(struct moves *m)
{
	m->ops->input_free(m->in);
	free(m->buf);
	hash_free(&m->numbers);
	array_free(&m->list);
}

/* Find the file whose copy of the bytes at a place is stored; NULL: none yet. */
static const struct node *moves_find(const struct moves *m, u64 from)
{
	size_t cursor = 0;
	u64 number;

	while ((number = hash_next(&m->numbers, hash_place(from), &cursor))) {
		if (moves_at(m, number)->from == from)
			return moves_at(m, number)->to;
	}
	return NULL;
}

static int moves_add(struct moves *m, u64 from, const struct node *to)
{
	struct moved *moved = array_add(&m->list);

	if (!moved)
		return -ENOMEM;
	*moved = (struct moved){ from, to };
	return hash_add(&m->numbers, hash_place(from), m->list.n);
}

/* Copy the stored bytes of the open file. */
static int copy_bytes(struct stream *s, struct moves *m, u64 to, u64 stored)
{
	struct input *in = m->in;
	int ret = 0;

	for (u64 at = 0; !ret && at < stored; at += COPY_BYTES) {
		u64 bytes = stored - at < COPY_BYTES ? stored - at : COPY_BYTES;

		if (!m->ops->read(in, m->buf, bytes, at))
			return source_unreadable(in->src, in->dir, in->node,
						 in->why, in->err);
		ret = output_write(&s->mkfs->out, to + at, m->buf, bytes);
		progress_add(&s->progress, bytes);
	}
	return ret;
}

/* Copy a file, or make it a duplicate of an earlier file with the same place. */
static int copy_open(struct stream *s, struct moves *m, struct node *n)
{
	u64 pos = 0, stored = m->ops->next_data(m->in, &pos);
	const struct node *has = moves_find(m, m->in->place);
	int ret;

	if (!stored)
		return 0;
	if (has)
		return stream_add_dup(s, n, has, stored);
	ret = moves_add(m, m->in->place, n);
	if (ret)
		return ret;
	node_data(n)->start = place_file(&s->place, n, stored);
	return copy_bytes(s, m, node_data(n)->start, stored);
}

static int copy_file(struct stream *s, struct moves *m, struct dir *dir,
		     struct node *n)
{
	struct input *in = m->in;
	int ret;

	if (!m->ops->open(in, dir, n))
		return source_unreadable(in->src, dir, n, in->why, in->err);
	ret = copy_open(s, m, n);
	m->ops->close(in);
	return ret;
}

int copy_data(struct stream *s)
{
	const struct base *base = s->mkfs->base;
	const struct tree *t = &s->mkfs->tree;
	struct moves m;
	int ret = moves_init(&m, s->mkfs->source);

	progress_start(&s->progress, "packing", base->stored);
	for (u64 i = 0; i < t->ndirs; i++) {
		struct dir *d = t->dirs[i];

		for (u32 k = 0; !ret && k < d->count; k++) {
			struct node *n = &d->nodes[k];

			if (n->flags & NODE_KEPT && !(n->flags & NODE_HARDLINK))
				ret = copy_file(s, &m, d, n);
		}
	}
	progress_end(&s->progress);
	moves_free(&m);
	if (ret == -ENOMEM)
		msg_error(NULL, "out of memory");
	if (!ret)
		stream_dups(s);
	return ret;
}
