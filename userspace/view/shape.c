// SPDX-License-Identifier: GPL-2.0
/*
 * What an inode of the view takes, and where its data is said to be.
 *
 * A file that fills its blocks alone is named by its first block in the image: that is the inode
 * and nothing else.  Of one that shares its last block the bytes there are copied behind the
 * inode: the kernel maps whole blocks, and a mapped page would show another file's bytes.  Holes
 * need a map; its chunks are as large as the ends of extents allow.
 */
#include "maker.h"

static u64 round_to(u64 v, u64 unit)
{
	return (v + unit - 1) / unit * unit;
}

/* A small inode has the time of all small ones, and 16 bits for most fields. */
static bool is_large(const struct maker *m, const struct image_node *node, u64 size)
{
	return node->attr.mtime != m->time || size > U32_MAX || node->nlink > 0xffff ||
	       node->uid > 0xffff || node->gid > 0xffff;
}

/* The last @tail bytes are in the view: behind the inode, or in a block of their own. */
static void copy_tail(struct shape *s, u32 tail)
{
	if (s->head + tail <= EROFS_BLOCK) {
		s->layout = EROFS_INLINE;
		s->tail = tail;
	} else {
		s->own++;
	}
}

/* Make chunks of @s no larger than what divides an offset. */
static void chunk_at(struct shape *s, u64 pos)
{
	const u8 bits = pos ? __builtin_ctzll(pos) : 63;

	if (bits < s->chunk_bits)
		s->chunk_bits = bits;
}

/* What is at offset @pos of a file; offsets are asked for one behind the other. */
static int map_get(struct maker *m, const struct image_node *node, u64 pos,
		   struct dsfs_mapping *map, struct dsfs_err *err)
{
	return pos ? dsfs_map_next(m->src, &node->attr, &node->extra, map, err) :
		     dsfs_map(m->src, &node->attr, &node->extra, 0, map, err);
}

/* Whether a mapping ends in a block of which others have bytes.  If it begins there, too, it may
 * begin anywhere in it.
 */
static bool has_copy(const struct image_node *node, const struct dsfs_mapping *map, u64 size)
{
	return !map->hole && map->logical + map->len == size && size % EROFS_BLOCK &&
	       node->attr.flags & DSFS_INODE_SHARED;
}

static int shape_holes(struct maker *m, const struct image_node *node, struct shape *s,
		       struct dsfs_err *err)
{
	struct dsfs_mapping map;
	bool moved = false;

	s->chunk_bits = 31;
	s->layout = EROFS_CHUNKS;
	for (u64 pos = 0; pos < s->size; pos += map.len) {
		const int ret = map_get(m, node, pos, &map, err);

		if (ret)
			return ret;
		chunk_at(s, map.logical);
		s->own = has_copy(node, &map, s->size);
		if (s->own)
			chunk_at(s, s->size - s->size % EROFS_BLOCK);
		moved |= !map.hole && (node->attr.start + map.stored) % EROFS_BLOCK &&
			 (!s->own || map.len > EROFS_BLOCK);
	}
	while (s->chunk_bits > EROFS_BLOCK_BITS && s->size <= 1ULL << (s->chunk_bits - 1))
		s->chunk_bits--;
	moved |= s->chunk_bits < EROFS_BLOCK_BITS;
	s->chunks = moved ? 0 : (s->size + (1ULL << s->chunk_bits) - 1) >> s->chunk_bits;
	m->refused.moved += moved;
	return 0;
}

static int shape_file(struct maker *m, const struct image_node *node, struct shape *s,
		      struct dsfs_err *err)
{
	const struct dsfs_attr *a = &node->attr;
	const u32 tail = s->size % EROFS_BLOCK;
	const bool moved = a->start % EROFS_BLOCK;

	if (a->flags & DSFS_INODE_COMPRESSED) {
		m->refused.compressed++;
	} else if (a->flags & DSFS_INODE_HOLES) {
		return shape_holes(m, node, s, err);
	} else if (moved && s->size > EROFS_BLOCK) {
		m->refused.moved++;
	} else if (moved || (s->size < EROFS_BLOCK && a->flags & DSFS_INODE_SHARED)) {
		copy_tail(s, s->size);
	} else if (tail && a->flags & DSFS_INODE_SHARED) {
		copy_tail(s, tail);
		if (s->own) {	/* a map leads to the copy */
			s->layout = EROFS_CHUNKS;
			s->chunk_bits = EROFS_BLOCK_BITS;
			s->chunks = in_blocks(s->size);
		}
	}
	return 0;
}

static int shape_attrs(struct maker *m, const struct image_node *node, struct shape *s,
		       struct dsfs_err *err)
{
	int ret;

	if (!(node->attr.flags & DSFS_INODE_XATTRS))
		return 0;
	ret = attrs_load(m, node, err);
	s->attrs = sizeof(struct erofs_xattrs) + 4 * m->attrs.count;
	return ret;
}

int shape_get(struct maker *m, const struct image_node *node, u64 size, struct shape *s,
	      struct dsfs_err *err)
{
	int ret;

	*s = (struct shape){ .size = size, .large = is_large(m, node, size) };
	s->head = s->large ? sizeof(struct erofs_large) : sizeof(struct erofs_small);
	ret = shape_attrs(m, node, s, err);
	s->head += s->attrs;
	if (ret || !size)
		return ret;
	switch (node->attr.mode & S_IFMT) {
	case S_IFREG:
		return shape_file(m, node, s, err);
	case S_IFDIR:
		s->own = size / EROFS_BLOCK;
		if (size % EROFS_BLOCK)
			copy_tail(s, size % EROFS_BLOCK);
		break;
	case S_IFLNK:
		copy_tail(s, size);
		break;
	}
	return 0;
}

u64 shape_bytes(const struct shape *s)
{
	u64 bytes = s->head;

	bytes += s->layout == EROFS_CHUNKS ? 4 * s->chunks : s->tail;
	return round_to(bytes, 1 << EROFS_NID_BITS);
}

u64 shape_place(const struct shape *s, u64 at)
{
	/* kernels read a target behind an inode only if both are in one block */
	if (s->layout == EROFS_INLINE && at % EROFS_BLOCK + s->head + s->tail > EROFS_BLOCK)
		return round_to(at, EROFS_BLOCK);
	return at;
}

/**
 * struct map_out - a map that is written
 * @done: chunks so far
 */
struct map_out {
	struct maker *m;
	const struct shape *s;
	u64 done;
};

/* Chunks up to offset @end of the file, from block @block on; EROFS_NO_BLOCK: a hole */
static void map_to(struct map_out *o, u64 end, u32 block)
{
	const u64 size = 1ULL << o->s->chunk_bits;
	const u64 last = (end + size - 1) >> o->s->chunk_bits;

	for (; o->done < last; o->done++) {
		const __le32 v = cpu_to_le32(block);

		out_put(o->m->to, &v, sizeof(v));
		if (block != EROFS_NO_BLOCK)
			block += size >> EROFS_BLOCK_BITS;
	}
}

int chunks_write(struct maker *m, const struct image_node *node, const struct shape *s,
		 struct dsfs_err *err)
{
	const struct dsfs_attr *a = &node->attr;
	struct map_out o = { .m = m, .s = s };
	struct dsfs_mapping map;
	u64 end, copied;

	for (u64 pos = 0; pos < s->size; pos += map.len) {
		const int ret = map_get(m, node, pos, &map, err);

		if (ret)
			return ret;
		end = map.logical + map.len;
		copied = s->own && end == s->size ? end % EROFS_BLOCK : 0;
		map_to(&o, end - copied, map.hole ? EROFS_NO_BLOCK :
		       m->base + ((a->start + map.stored) >> EROFS_BLOCK_BITS));
		map_to(&o, end, m->blocks.at >> EROFS_BLOCK_BITS);
	}
	return 0;
}
