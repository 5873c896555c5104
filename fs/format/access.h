/* SPDX-License-Identifier: GPL-2.0 */
/* Metadata access, which the platform implements */
#ifndef DSFS_FORMAT_ACCESS_H
#define DSFS_FORMAT_ACCESS_H

#include "super.h"

struct dsfs_source;

/**
 * struct dsfs_mref - a reference to metadata in memory
 * @p: the requested bytes
 * @priv: owned by the platform; NULL: no release needed
 */
struct dsfs_mref {
	const void *p;
	void *priv;
};

/*
 * dsfs_source.h defines
 *
 * int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region,
 *		     u64 off, size_t len, struct dsfs_mref *ref);
 *
 * const struct dsfs_geo *dsfs_source_geo(const struct dsfs_source *src);
 *
 * dsfs_meta_get() takes a reference to the @len bytes (1 to 4096) at offset
 * @off of a region. They must lie in one block of the region. The bytes are
 * verified against their checksum. The function may sleep. It returns 0,
 * -EUCLEAN for a range past the end of the region or across a block, -EBADMSG,
 * -EIO or -ENOMEM.
 */
#include "dsfs_source.h"

void dsfs_meta_release(struct dsfs_mref *ref);

/* dsfs_meta_put - release a reference from dsfs_meta_get() */
static inline void dsfs_meta_put(struct dsfs_mref *ref)
{
	if (ref->priv)
		dsfs_meta_release(ref);
}

/* meta.c */
int dsfs_meta_copy(struct dsfs_source *src, enum dsfs_region_id region, u64 off,
		   size_t len, void *to);

#endif /* DSFS_FORMAT_ACCESS_H */
