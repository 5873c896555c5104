// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata of any length, on top of dsfs_meta_get(), which returns at most one
 * block.
 */
#include "format.h"

/* dsfs_meta_copy - copy metadata that may span blocks, without a message */
int dsfs_meta_copy(struct dsfs_source *src, enum dsfs_region_id region, u64 off,
		   size_t len, void *to)
{
	struct dsfs_mref ref;
	size_t n;
	int ret;

	for (; len; len -= n, off += n, to = (char *)to + n) {
		n = DSFS_BLOCK_SIZE - (off & (DSFS_BLOCK_SIZE - 1));
		if (n > len)
			n = len;
		ret = dsfs_meta_get(src, region, off, n, &ref);
		if (ret)
			return ret;
		memcpy(to, ref.p, n);
		dsfs_meta_put(&ref);
	}
	return 0;
}
