/* SPDX-License-Identifier: GPL-2.0 */
/* Data and its checksums, xattrs, the note: extent.c, compressed.c, xattr.c, note.c */
#ifndef DSFS_FORMAT_DATA_H
#define DSFS_FORMAT_DATA_H

#include "inode.h"

/**
 * struct dsfs_mapping - a mapping: an extent or a hole of a file
 * @logical: offset in the file
 * @len: bytes
 * @stored: offset in the stored data of the file; for a hole, of the next
 *	extent
 * @extent: number of extent records of the file that begin at or before
 *	@logical
 * @hole: not stored, reads as zeros
 */
struct dsfs_mapping {
	u64 logical;
	u64 len;
	u64 stored;
	u32 extent;
	bool hole;
};

/* The checksum of a chunk of data: the low 32 bits of its XXH64 with the seed 0 */
static inline u32 dsfs_datasum(const void *p, size_t len)
{
	return (u32)xxh64(p, len, 0);
}

/* The same of a chunk that comes in pieces */
struct dsfs_datasum {
	struct xxh64_state state;
};

static inline void dsfs_datasum_begin(struct dsfs_datasum *s)
{
	xxh64_reset(&s->state, 0);
}

static inline void dsfs_datasum_add(struct dsfs_datasum *s, const void *p, size_t len)
{
	xxh64_update(&s->state, p, len);
}

static inline u32 dsfs_datasum_end(const struct dsfs_datasum *s)
{
	return (u32)xxh64_digest(&s->state);
}

/* extent.c */
int dsfs_map(struct dsfs_source *src, const struct dsfs_attr *attr,
	     const struct dsfs_extra_info *extra, u64 pos, struct dsfs_mapping *map,
	     struct dsfs_err *err);
int dsfs_map_next(struct dsfs_source *src, const struct dsfs_attr *attr,
		  const struct dsfs_extra_info *extra, struct dsfs_mapping *map,
		  struct dsfs_err *err);
int dsfs_chunk_sum(struct dsfs_source *src, const struct dsfs_attr *attr,
		   u64 stored, u64 chunk, u32 *sum, struct dsfs_err *err);

/* Number of units of a compressed file */
static inline u64 dsfs_units(const struct dsfs_attr *attr)
{
	return (attr->size + DSFS_UNIT_SIZE - 1) >> DSFS_UNIT_BITS;
}

/* Content bytes of unit number @unit of it */
static inline u32 dsfs_unit_bytes(const struct dsfs_attr *attr, u64 unit)
{
	const u64 left = attr->size - (unit << DSFS_UNIT_BITS);

	return left < DSFS_UNIT_SIZE ? left : DSFS_UNIT_SIZE;
}

/* DSFS_CODEC_* of a file; 0: it is not compressed */
static inline u8 dsfs_attr_codec(const struct dsfs_attr *attr)
{
	return (attr->flags & DSFS_INODE_COMPRESSED) >> DSFS_CODEC_SHIFT;
}

/* compressed.c */
int dsfs_frame_check(const struct dsfs_attr *attr, u64 unit, u32 from, u32 to,
		     struct dsfs_err *err);
int dsfs_units_get(struct dsfs_source *src, const struct dsfs_attr *attr, u64 unit, u32 *from,
		   u32 *to, struct dsfs_err *err);

/* xattr.c */
struct dsfs_xattr_info {
	const char *name;	/* without the prefix; not terminated */
	const void *value;
	u32 value_len;
	u8 prefix;
	u8 name_len;
};

int dsfs_xattr_bytes(struct dsfs_source *src, const struct dsfs_extra_info *extra,
		     u32 *bytes, struct dsfs_err *err);
int dsfs_xattr_first(const void *set, size_t bytes, u32 *count, u32 *cursor, struct dsfs_err *err);
int dsfs_xattr_next(const void *set, size_t bytes, u32 *cursor,
		    struct dsfs_xattr_info *info, struct dsfs_err *err);
const char *dsfs_xattr_prefix(u8 prefix);

/* note.c */
int dsfs_note_check(const struct dsfs_note *raw, struct dsfs_err *err);
const char *dsfs_digest_name(u8 kind);

#endif /* DSFS_FORMAT_DATA_H */
