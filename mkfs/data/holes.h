/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which bytes of a file are stored.
 */
#ifndef MKFS_HOLES_H
#define MKFS_HOLES_H

#include "../tree/tree.h"

/**
 * struct holes - a file passing by
 * @emit: gets the stored bytes in order; NULL stands for zeros
 * @extents: struct dsfs_extent_record
 * @logical, @stored: how far it got, without the last @zeros
 * @sparse: it has a hole
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

void holes_init(struct holes *h, int (*emit)(void *, const char *, u64),
		void *ctx);
void holes_free(struct holes *h);
/* All but the last piece are multiples of 4 KiB.  0, or what @emit returned. */
int holes_data(struct holes *h, const char *p, u64 bytes);
int holes_zeros(struct holes *h, u64 bytes);
int holes_end(struct holes *h);

/* Whether some run of zero blocks in @p is long enough. */
bool holes_any(const char *p, u64 bytes);

#endif /* MKFS_HOLES_H */
