// SPDX-License-Identifier: GPL-2.0
/*
 * The data phase of an image that is packed anew from another one.  What that
 * stores is copied, in the order of names again, each once; it is not looked at
 * for holes and duplicates, which were found when it was packed.
 */
#include <stdlib.h>

#include "../base/base.h"
#include "libdsfs.h"
#include "msg.h"
#include "stream.h"

#define COPY_BYTES	1048576	/* a multiple of every chunk size */

/* Who got the stored bytes that were at a place: an open hash table. */
struct moved {
	u64 from;
	struct node *to;
};

struct moves {
	struct moved *slots;
	size_t mask;
	char *buf;
	const struct source_ops *ops;
	struct input *in;
};

static int moves_init(struct moves *m, struct source *src, u64 files)
{
	size_t size = 1024;

	while (size / 4 * 3 < files)
		size *= 2;
	m->mask = size - 1;
	m->slots = calloc(size, sizeof(*m->slots));
	m->buf = malloc(COPY_BYTES);
	m->ops = src->ops;
	m->in = src->ops->input_new(src);
	return m->slots && m->buf && m->in ? 0 : -ENOMEM;
}

static struct moved *moves_find(struct moves *m, u64 from)
{
	size_t i = XXH3_64bits(&from, sizeof(from)) & m->mask;

	while (m->slots[i].from && m->slots[i].from != from)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

/* The open file's stored bytes. */
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

/* Those of an earlier file may be the same. */
static int copy_open(struct stream *s, struct moves *m, struct node *n)
{
	u64 pos = 0, stored = m->ops->next_data(m->in, &pos);
	struct moved *moved;

	if (!stored)
		return 0;
	moved = moves_find(m, m->in->place);
	if (moved->from)
		return stream_add_dup(s, n, moved->to, stored);
	moved->from = m->in->place;
	moved->to = n;
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
	struct moves m = { 0 };
	int ret = moves_init(&m, s->mkfs->source, base->img.geo->files);

	if (ret)
		msg_error(NULL, "out of memory");
	progress_start(&s->progress, "packing", base->stored);
	for (u64 i = 0; i < t->ndirs; i++) {
		struct dir *d = t->dirs[i];

		for (u32 k = 0; !ret && k < d->count; k++) {
			struct node *n = &d->nodes[k];

			if (n->flags & NODE_KEPT && !(n->flags & NODE_STUB))
				ret = copy_file(s, &m, d, n);
		}
	}
	progress_end(&s->progress);
	m.ops->input_free(m.in);
	free(m.slots);
	free(m.buf);
	if (!ret)
		stream_dups(s);
	return ret;
}
