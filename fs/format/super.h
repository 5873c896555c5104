/* SPDX-License-Identifier: GPL-2.0 */
/* What is wrong, the superblock, and older generations: super.c, history.c */
#ifndef DSFS_FORMAT_SUPER_H
#define DSFS_FORMAT_SUPER_H

#include "dsfs_platform.h"
#include "dsfs_fs.h"

/**
 * struct dsfs_err - a broken rule, for a message
 * @what: name of the rule or field, a constant string; NULL: no error
 * @value: the value found
 * @limit: the bound or the expected value
 */
struct dsfs_err {
	const char *what;
	u64 value;
	u64 limit;
};

/* super.c; cold: every lookup passes the checks that call it. */
void __cold dsfs_err_set(struct dsfs_err *err, const char *what, u64 value, u64 limit);

static inline int dsfs_bad(struct dsfs_err *err, const char *what, u64 value, u64 limit, int ret)
{
	dsfs_err_set(err, what, value, limit);
	return ret;
}

/* dsfs_bad() for a rule of format.rst */
static inline int dsfs_broken(struct dsfs_err *err, const char *what, u64 value, u64 limit)
{
	return dsfs_bad(err, what, value, limit, -EUCLEAN);
}

/**
 * struct dsfs_region_info - a decoded region descriptor
 * @pos: byte offset in the image
 * @bytes: length
 */
struct dsfs_region_info {
	u64 pos;
	u64 bytes;
};

/**
 * struct dsfs_geo - geometry of an image: a decoded and checked superblock
 *
 * Counts are derived from region lengths. @inodes includes 0, which is no number: valid
 * inode numbers are 1 to @inodes - 1. @buckets is the number of buckets
 * in all name indexes.
 */
struct dsfs_geo {
	struct dsfs_region_info regions[DSFS_REGIONS];
	u64 compat;
	u64 incompat;
	u64 generation;
	s64 build_time;
	u64 image_bytes;
	u64 data_start;
	u64 data_end;
	u64 meta_start;
	u64 meta_bytes;
	u64 content_bytes;
	u64 stored_bytes;
	u64 files;
	u64 inodes;
	u32 dirs;
	u32 owners;
	u32 extras;
	u32 extents;
	u64 buckets;
	u64 chunksums;
	u64 units;
	u32 igeneration;	/* i_generation of every inode */
	u32 sums_checksum;	/* of the blocks of BLOCKSUMS */
	u8 align_bits;
	u8 chunk_bits;		/* log2 of the chunk size; 0: no data checksums */
	u8 small_bits;		/* of a file that is one chunk; at least @chunk_bits */
	u8 large_bits;		/* of the chunks of large files; as @chunk_bits if it has none */
	u8 object_bits;
	struct dsfs_root root;
	u8 uuid[16];
	u8 label[DSFS_LABEL_MAX + 1];	/* NUL-terminated */
};

/* The only place that decides the chunk size of a file; see dsfs_chunk_bits(). */
static inline unsigned int dsfs_chunk_choose(u8 chunk_bits, u8 small_bits, u8 large_bits,
					     u64 stored)
{
	if (stored <= 1ULL << small_bits)
		return small_bits;
	return stored > 1ULL << DSFS_LARGE_BITS ? large_bits : chunk_bits;
}

/*
 * dsfs_chunk_bits - log2 of the chunk size of a file with @stored bytes of data
 *
 * 0: no data checksums
 */
static inline unsigned int dsfs_chunk_bits(const struct dsfs_geo *geo, u64 stored)
{
	return dsfs_chunk_choose(geo->chunk_bits, geo->small_bits, geo->large_bits, stored);
}

/* superblock: super.c */
/* Record size of each region. The length of a region is a multiple of it. */
extern const u8 dsfs_record_bytes[DSFS_REGIONS_USED];
u32 dsfs_super_sum(const struct dsfs_super *raw);
bool dsfs_all_zero(const u8 *p, size_t len);
int dsfs_super_decode(const struct dsfs_super *raw, u64 device_bytes,
		      struct dsfs_geo *geo, struct dsfs_err *err);

/**
 * struct dsfs_slot - a superblock slot as read from the device
 * @raw: its bytes; zero if they could not be read
 * @geo: its geometry; valid if @ret is 0
 * @err: the broken rule if @ret is not 0; @err.what may be NULL after a read error
 * @ret: 0, or the errno of the read or of dsfs_super_decode()
 */
struct dsfs_slot {
	struct dsfs_super raw;
	struct dsfs_geo geo;
	struct dsfs_err err;
	int ret;
};

int dsfs_super_choose(const struct dsfs_slot *slots, int *use, struct dsfs_err *err);

/*
 * Callback that reads the sizeof(*raw) bytes at byte offset @pos of the image,
 * which lie in one block. Returns 0 or a negative errno.
 */
typedef int (*dsfs_super_read)(void *arg, u64 pos, struct dsfs_super *raw);

/*
 * The generation whose HISTORY holds a previous generation: what that is
 * checked against
 */
struct dsfs_later {
	u64 generation;
	u64 data_end;
	u64 meta_start;
};

/* previous generations: history.c */
int dsfs_history_next(const struct dsfs_geo *geo, u64 device_bytes,
		      dsfs_super_read read, void *arg, struct dsfs_slot *older);
int dsfs_history_find(const struct dsfs_slot *newest, u64 generation, u64 device_bytes,
		      dsfs_super_read read, void *arg, struct dsfs_slot *found);

#endif /* DSFS_FORMAT_SUPER_H */
