// SPDX-License-Identifier: GPL-2.0
/*
 * Packing an image anew from itself.  What it stores goes to a new image, in the
 * order of names again; checksums are those that it has, and each is verified on
 * the way: what is damaged must not get a second life.
 *
 * The result has a generation of its own, since inodes keep their numbers but the
 * bytes that a handle leads to lie elsewhere, and no history.
 */
#include <stdio.h>
#include <stdlib.h>

#include "compact.h"
#include "libdsfs.h"
#include "msg.h"
#include "parse.h"

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
};

int compact_worth(struct stream *s)
{
	const struct options *o = s->src->o;
	struct base *base = s->src->base;
	char dead[32], all[32];
	u64 percent;
	int ret = base_adopt(s);

	s->stored = base->stored;
	if (ret)
		return ret;
	percent = base_dead(base, &base_super(base)->raw) * 100 /
		  base->img.geo->image_bytes;
	if (o->force || percent >= BASE_DEAD_PERCENT)
		return 1;
	parse_format_size(dead, sizeof(dead),
			  base_dead(base, &base_super(base)->raw));
	parse_format_size(all, sizeof(all), base->img.geo->image_bytes);
	if (!o->quiet && !o->json)
		printf("%s of %s are of no use, %llu %%: left as it is (-f: pack anew)\n",
		       dead, all, percent);
	return 0;
}

static int moves_init(struct moves *m, u64 files)
{
	size_t size = 1024;

	while (size / 4 * 3 < files)
		size *= 2;
	m->mask = size - 1;
	m->slots = calloc(size, sizeof(*m->slots));
	m->buf = malloc(COPY_BYTES);
	return m->slots && m->buf ? 0 : -ENOMEM;
}

static struct moved *moves_find(struct moves *m, u64 from)
{
	size_t i = XXH3_64bits(&from, sizeof(from)) & m->mask;

	while (m->slots[i].from && m->slots[i].from != from)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

/* The chunks that begin in @bytes bytes from stored byte @at on. */
static int verify(struct stream *s, u32 ino, u64 stored, u64 at, const char *p,
		  u64 bytes)
{
	const unsigned int bits = s->src->params.chunk_bits;
	struct dsfs_attr attr = { .ino = ino };
	struct dsfs_err err = { 0 };
	u32 want;
	int ret = 0;

	for (u64 done = 0; !ret && bits && done < bytes; done += 1ULL << bits) {
		u64 n = bytes - done < 1ULL << bits ? bytes - done :
						      1ULL << bits;

		ret = dsfs_chunk_sum(s->src->base->past, &attr, stored,
				     (at + done) >> bits, &want, &err);
		if (!ret && dsfs_crc32c(0, p + done, n) != want)
			ret = -EBADMSG;
	}
	return ret;
}

static int copy(struct stream *s, struct moves *m, u32 ino, u64 from, u64 to,
		u64 stored)
{
	const struct base *base = s->src->base;
	int ret = 0;

	for (u64 at = 0; !ret && at < stored; at += COPY_BYTES) {
		u64 n = stored - at < COPY_BYTES ? stored - at : COPY_BYTES;

		ret = image_pread(&base->img, m->buf, n, from + at);
		if (!ret)
			ret = verify(s, ino, stored, at, m->buf, n);
		if (ret) {
			msg_error(base->img.path, "inode %u: content: %s: run fsck.dsfs",
				  ino, strerror(-ret));
			return ret;
		}
		ret = output_write(s->out, to + at, m->buf, n);
		progress_add(&s->progress, n);
	}
	return ret;
}

/* A file's stored bytes; those of an earlier one may be the same. */
static int move_node(struct stream *s, struct moves *m, struct node *n, u32 ino)
{
	u64 stored = node_stored(&s->src->tree, n), from = node_data(n)->start;
	struct moved *moved;

	n->flags &= ~NODE_SHARED;
	if (!stored)
		return 0;
	moved = moves_find(m, from);
	if (moved->from) {
		n->flags |= NODE_DUP;
		node_data(n)->dup = moved->to;
		s->dup_files++;
		s->dup_bytes += stored;
		return 0;
	}
	moved->from = from;
	moved->to = n;
	node_data(n)->start = place_file(&s->place, n, stored);
	return copy(s, m, ino, from, node_data(n)->start, stored);
}

int compact_data(struct stream *s)
{
	const struct base *base = s->src->base;
	const struct tree *t = &s->src->tree;
	struct moves m = { 0 };
	int ret = moves_init(&m, base->img.geo->files);

	if (ret)
		msg_error(NULL, "out of memory");
	progress_start(&s->progress, "packing", base->stored);
	for (u64 i = 0; i < t->ndirs; i++) {
		struct dir *d = t->dirs[i];

		for (u32 k = 0; !ret && k < d->count; k++) {
			struct node *n = &d->nodes[k];

			if (n->flags & NODE_KEPT && !(n->flags & NODE_STUB))
				ret = move_node(s, &m, n, base_old(base, d, n));
		}
	}
	progress_end(&s->progress);
	free(m.slots);
	free(m.buf);
	if (!ret)
		store_resolve_dups(&s->src->tree);
	return ret;
}
