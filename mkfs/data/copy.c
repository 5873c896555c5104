// SPDX-License-Identifier: GPL-2.0
/*
 * The data phase of an image that is packed anew from another one.  Stored data
 * of the base image is copied in the order of names, shared data once: with --keep, what
 * generations share, too.  It is not searched for holes and duplicates again.  It is verified, so
 * that damaged data does not get a new checksum.
 */
#include "format.h"
#include "keep.h"
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
	char *buf;
};

int copied_init(struct table *copied)
{
	return table_init(copied, sizeof(struct moved), offsetof(struct moved, to));
}

/* Verify the chunks that begin in the @bytes bytes from stored byte @pos on. */
static int verify(const struct base *base, const struct dsfs_attr *attr, u64 stored,
		  const char *p, u64 bytes, u64 pos)
{
	const unsigned int bits = dsfs_chunk_bits(base->img.geo, stored);
	struct dsfs_err err = { 0 };
	int ret = 0;
	u32 want;

	for (u64 done = 0; !ret && bits && done < bytes; done += 1ULL << bits) {
		u64 n = bytes - done < 1ULL << bits ? bytes - done : 1ULL << bits;

		ret = dsfs_chunk_sum(base->prev, attr, stored, (pos + done) >> bits, &want, &err);
		if (!ret && dsfs_datasum(p + done, n) != want)
			ret = -EBADMSG;
	}
	return ret;
}

/* Read and verify the stored bytes of an inode; write them, unless @to is 0. */
static int copy_bytes(struct copy *c, const struct dsfs_attr *attr, u64 to, u64 stored)
{
	const struct base *base = c->s->base;
	int ret = 0;

	for (u64 at = 0; !ret && c->s->out && at < stored; at += COPY_BYTES) {
		u64 bytes = stored - at < COPY_BYTES ? stored - at : COPY_BYTES;

		ret = image_pread(&base->img, c->buf, bytes, attr->start + at) ?:
		      verify(base, attr, stored, c->buf, bytes, at);
		if (ret)
			return msg_fail(ret, base->img.path, "inode %u: content: %s: run fsck.dsfs",
					attr->ino, msg_why(-ret));
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
static int share_moved(struct copy *c, const struct dsfs_attr *attr, struct node *n,
		       const struct moved *moved, u64 sums)
{
	const u64 stored = moved->stored;

	node_data(n)->start = moved->to;
	if (moved->to < c->s->start) {	/* of an earlier generation */
		keep_mark(c->s->base, n);
	} else {
		c->s->figures.dup_files++;
		c->s->figures.dup_bytes += stored;
	}
	return sums == moved->sums ? 0 : copy_bytes(c, attr, 0, stored);
}

static int copy_file(struct copy *c, u32 ino, struct node *n)
{
	const struct base *base = c->s->base;
	const u64 stored = node_stored(c->s->tree, n);
	struct dsfs_err err = { 0 };
	struct moved *moved, key;
	struct dsfs_attr attr;
	u64 sums;
	int ret;

	if (!stored)
		return 0;
	ret = dsfs_inode_get(base->prev, ino, &attr, &err) ?:
	      base_sums(base, &attr, stored, &sums, &err);
	if (ret)
		return base_bad_inode(base, ino, &err, ret);
	key.from = attr.start;
	key.stored = stored;
	moved = table_find(c->moved, &key);
	if (moved)
		return share_moved(c, &attr, n, moved, sums);
	moved = table_add(c->moved, &key);
	if (!moved)
		return -ENOMEM;
	moved->sums = sums;
	moved->to = place_file(&c->s->place, n, stored);
	node_data(n)->start = moved->to;
	return copy_bytes(c, &attr, moved->to, stored);
}

int copy_data(struct store *s, struct table *copied, u64 bytes)
{
	struct copy c = { .s = s, .moved = copied, .buf = malloc(COPY_BYTES) };
	struct tree_walk walk = { 0 };
	u32 ino = DSFS_ROOT_INO;
	struct node *n;
	int ret = c.buf ? 0 : -ENOMEM;

	progress_start(&s->progress, "packing", bytes);
	/* the tree is that of the base, so its inodes have the same numbers */
	while (!ret && (n = tree_next(s->tree, &walk))) {
		ino++;
		if (n->flags & NODE_KEPT && !(n->flags & NODE_HARDLINK))
			ret = copy_file(&c, ino, n);
	}
	progress_end(&s->progress);
	free(c.buf);
	if (ret == -ENOMEM)
		no_memory();
	return ret;
}
