/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compressed files, for the rest of the module: what unpacks a frame, and what a
 * read knows of the frames that it needs. Without CONFIG_DSFS_COMPRESSION there
 * are no mounts with compressed files, and the compiler drops the calls.
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
 * @workspace: memory of the decoder of zstd
 * @unit: a unit that lies in several folios
 * @shared: @data is one of the buffers of all mounts
 * @at: offset of each frame in the stored data, and the end of the last one
 */
struct dsfs_frames {
	u64 first;
	unsigned int units, done;
	void *data, *workspace, *unit;
	bool shared;
	u32 at[];
};

void dsfs_unpack_free(void);
void dsfs_unpack_stock(void);
int dsfs_frames_get(struct dsfs_read *rd, u64 end, struct dsfs_err *err);
int dsfs_frames_buffer(struct dsfs_read *rd, unsigned int pages);
void dsfs_frames_free(struct dsfs_frames *f);
bool dsfs_frames_unpack(struct dsfs_read *rd);
bool dsfs_frames_bad(const struct dsfs_read *rd, u64 from, u64 to);

#endif /* DSFS_UNPACK_H */
