/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What fs/format's decoders read metadata from, in userspace: the cache of meta.c, or
 * memory in the unit tests.
 */
#ifndef DSFS_SOURCE_H
#define DSFS_SOURCE_H

struct dsfs_source;

int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region, u64 off,
		  size_t len, struct dsfs_mref *ref);
const struct dsfs_geo *dsfs_source_geo(const struct dsfs_source *src);

#endif /* DSFS_SOURCE_H */
