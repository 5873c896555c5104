/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Detection of the holes of a file.
 */
#ifndef MKFS_HOLES_H
#define MKFS_HOLES_H

#include "../tree/tree.h"

/**
 * struct holes - a filter that the bytes of a file pass through
 * @emit: receives the stored bytes in order; NULL stands for zeros
 * @extents: struct dsfs_extent_record
 * @logical, @stored: offsets reached in file and stored data, without the last @zeros
 * @sparse: the file has a hole
 */
struct holes {
	int (*emit)(void *ctx, const char *p, u64 bytes);
	void *ctx;
	struct array extents;
	u64 logical;
	u64 stored;
	u64 zeros;
	bool sparse;
	bool open;
};

void holes_init(struct holes *h, int (*emit)(void *, const char *, u64), void *ctx);
void holes_free(struct holes *h);
/* Every piece but the last is a multiple of 4 KiB.  Return: 0 or the error of @emit. */
int holes_data(struct holes *h, const char *p, u64 bytes);
int holes_zeros(struct holes *h, u64 bytes);
int holes_end(struct holes *h);

#endif /* MKFS_HOLES_H */
