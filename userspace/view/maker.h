/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of this folder share while a view is made. */
#ifndef VIEW_MAKER_H
#define VIEW_MAKER_H

#include "erofs.h"
#include "view.h"

/**
 * struct out - one of the places where a view is written, from front to end
 * @first: the first block of the file, which is written at the end
 * @at: where the next byte goes
 * @buf: @n bytes in front of that
 * @failed: errno of a write, or 0
 */
struct out {
	int fd;
	u8 *first;
	u64 at;
	u8 *buf;
	size_t n;
	int failed;
};

/**
 * struct attrs - the set of xattrs that was looked at last
 * @at: of the set in XATTRS
 * @seen, @used: a bit for each 4 bytes of XATTRS: sets that were written, and where they lie
 */
struct attrs {
	u64 at;
	void *set;
	u32 bytes;
	u32 count;
	u64 *seen;
	u64 *used;
};

/**
 * struct refused - files that EROFS cannot describe, by what they have
 * @moved: data that begins at no block, and more of it than one block has
 * @chopped: more chunks than are left
 * @attrs: too many attributes, or too long ones
 */
struct refused {
	u64 compressed;
	u64 moved;
	u64 chopped;
	u64 attrs;
};

/* Of all files together, and as many again as a 16th of the image's blocks */
#define VIEW_CHUNKS_MAX		(16ULL << 20)

/**
 * struct maker - a view that is made
 * @time: that of small inodes
 * @nid: by inode number of the image, of hard-link entries, too
 * @parent: the directory that has the name; 0: not met
 * @kind: DT_*, or KIND_LINK
 * @names: of all directories so far
 * @chunks: how many maps may still have
 * @base: first block of the image: number of blocks of the view
 * @ends: of the inodes, which begin at EROFS_INODES_AT, and of those apart
 * @gap, @gap_end: what is left of a block in front of an inode with its tail
 * @apart_at, @xattrs_at, @blocks_at: where these parts begin
 * @to: where the inode goes that is written
 */
struct maker {
	struct dsfs_source *src;
	const char *path;
	u32 count;
	s64 time;
	u32 *nid;
	u32 *parent;
	u8 *kind;
	u64 names;
	u64 chunks;
	u64 base;
	u64 ends[2];
	u64 gap;
	u64 gap_end;
	u64 apart_at;
	u64 xattrs_at;
	u64 blocks_at;
	struct attrs attrs;
	struct refused refused;
	struct view_made made;
	struct out inodes;
	struct out gaps;
	struct out apart;
	struct out blocks;
	struct out xattrs;
	struct out *to;
};

/* Beside the type of what it leads to */
#define KIND_LINK	0x80
/* Beside that of a file with copied bytes: the inodes of others lie close together without these */
#define KIND_APART	0x40
#define KIND_TYPE	0x0f

/**
 * struct shape - what an inode takes
 * @head: bytes of inode and attributes
 * @attrs: bytes of these
 * @tail: bytes of the last block that lie behind the inode, with EROFS_INLINE
 * @chunk_bits: with EROFS_CHUNKS
 * @chunks: number of them
 * @own: blocks of its own in the view
 */
struct shape {
	enum erofs_layout layout;
	bool large;
	u32 head;
	u32 attrs;
	u32 tail;
	u8 chunk_bits;
	u64 chunks;
	u64 size;
	u64 own;
};

static inline u64 in_blocks(u64 bytes)
{
	return (bytes + EROFS_BLOCK - 1) >> EROFS_BLOCK_BITS;
}

/** shape_get - what an inode takes; @size: of a file, a target, or a directory's blocks */
int shape_get(struct maker *m, const struct image_node *node, u64 size, struct shape *s,
	      struct dsfs_err *err);
/** shape_bytes - how much of the inodes' part it takes */
u64 shape_bytes(const struct shape *s);
/** shape_place - where it can begin, at or above @at: an inode with its tail crosses no block */
u64 shape_place(const struct shape *s, u64 at);

/** chunks_write - the map of a file */
int chunks_write(struct maker *m, const struct image_node *node, const struct shape *s,
		 struct dsfs_err *err);

/** attrs_load - look at the set of an inode; m->attrs has it */
int attrs_load(struct maker *m, const struct image_node *node, struct dsfs_err *err);
/** attrs_write - what stands behind an inode, and the attributes, unless they were written */
int attrs_write(struct maker *m, const struct image_node *node, struct dsfs_err *err);
void attrs_free(struct maker *m);

/**
 * dir_size - bytes of a directory
 * @tail: NULL, or one block, which gets what is behind the last whole block; these are written
 */
int dir_size(struct maker *m, const struct dsfs_attr *attr, u8 *tail, u64 *size,
	     struct dsfs_err *err);

/** inode_write - an inode with all that belongs to it; a hard-link entry has none */
int inode_write(struct maker *m, const struct image_node *node, struct dsfs_err *err);

int out_init(struct out *o, int fd, u8 *first, u64 at);
/** out_seek - the next byte goes to @at */
void out_seek(struct out *o, u64 at);
void out_put(struct out *o, const void *p, size_t bytes);
/** out_end - write what is left.  Return: 0 or a negative errno of any write. */
int out_end(struct out *o);

#endif /* VIEW_MAKER_H */
