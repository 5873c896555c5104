/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compressed files, for the rest of the module: what unpacks a frame, and what a
 * read knows of the frames that it needs. Without CONFIG_DSFS_COMPRESSION there
 * are no mounts with compressed files.
 */
#ifndef DSFS_UNPACK_H
#define DSFS_UNPACK_H

#include "read.h"

/**
 * struct dsfs_frames - the frames of a read, looked up before it is sent
 * @first: number of the first unit
 * @units: number of units
 * @done: number of those that are unpacked
 * @data: the stored data that the device reads, from the offset @dev of the read on
 * @shared: @data is one of the buffers of all mounts
 * @at: offset of each frame in the stored data, and the end of the last one
 */
struct dsfs_frames {
	u64 first;
	unsigned int units, done;
	void *data;
	bool shared;
	u32 at[];
};

#ifdef CONFIG_DSFS_COMPRESSION
int dsfs_unpack_init(struct super_block *sb, struct fs_context *fc);
void dsfs_unpack_exit(struct super_block *sb);
void dsfs_unpack_free(void);
int dsfs_frames_get(struct dsfs_read *rd, u64 end, gfp_t gfp, struct dsfs_err *err);
int dsfs_frames_buffer(struct dsfs_read *rd, unsigned int pages, gfp_t gfp);
void dsfs_frames_free(struct dsfs_frames *f);
bool dsfs_frames_unpack(struct dsfs_read *rd);
bool dsfs_frames_bad(const struct dsfs_read *rd, u64 from, u64 to);
#else
static inline int dsfs_unpack_init(struct super_block *sb, struct fs_context *fc)
{
	if (!(dsfs_geo(sb)->incompat & DSFS_INCOMPAT_COMPRESSED))
		return 0;
	dsfs_fc_error(fc, sb,
		      "the image has compressed files, and dsfs was built without CONFIG_DSFS_COMPRESSION");
	return -EOPNOTSUPP;
}

static inline void dsfs_unpack_exit(struct super_block *sb)
{
}

static inline void dsfs_unpack_free(void)
{
}

static inline int dsfs_frames_get(struct dsfs_read *rd, u64 end, gfp_t gfp,
				  struct dsfs_err *err)
{
	return -EOPNOTSUPP;
}

static inline int dsfs_frames_buffer(struct dsfs_read *rd, unsigned int pages, gfp_t gfp)
{
	return -EOPNOTSUPP;
}

static inline void dsfs_frames_free(struct dsfs_frames *f)
{
}

static inline bool dsfs_frames_unpack(struct dsfs_read *rd)
{
	return true;
}

static inline bool dsfs_frames_bad(const struct dsfs_read *rd, u64 from, u64 to)
{
	return true;
}
#endif

#endif /* DSFS_UNPACK_H */
