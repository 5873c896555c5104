/* SPDX-License-Identifier: GPL-2.0 */
/* The metadata source of proofs: proof.c has dsfs_meta_get(), which gives any bytes. */
#ifndef DSFS_SOURCE_H
#define DSFS_SOURCE_H

struct dsfs_source {
	struct dsfs_geo geo;
};

static inline const struct dsfs_geo *dsfs_source_geo(const struct dsfs_source *src)
{
	return &src->geo;
}

int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region, u64 off, size_t len,
		  struct dsfs_mref *ref);

#endif /* DSFS_SOURCE_H */
