/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether packing an image anew saves enough.
 */
#ifndef MKFS_WORTH_H
#define MKFS_WORTH_H

struct base;
struct kept;
struct options;
struct plan;

/* Bounds of an image that was measured: data is placed so, metadata gets no longer. */
void base_bounds(const struct base *base, const struct options *o, const struct kept *kept,
		 struct plan *plan);

/**
 * base_worth - whether an image that was measured has enough unused bytes
 *
 * Without --force, fewer than BASE_DEAD_PERCENT are not worth it; this is said.
 */
bool base_worth(const struct base *base, const struct options *o);

#endif /* MKFS_WORTH_H */
