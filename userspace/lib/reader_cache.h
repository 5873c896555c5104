/* SPDX-License-Identifier: GPL-2.0 */
/* A reader that keeps what another one read: see cache.h. */
#ifndef DSFS_READER_CACHE_H
#define DSFS_READER_CACHE_H

#include "cache.h"
#include "reader.h"

/**
 * reader_cache - a reader of the same bytes, which asks @inner for what is not in the cache
 * @inner: becomes the new reader's; on failure it stays the caller's
 * @out: gets the reader; @inner itself if @inner has no identity, as nothing can be kept then
 * @what: gets what failed
 *
 * Return: 0, also where nothing can be written, which only costs hits; -EPERM and others if
 * the directory cannot be used; -ENOMEM.
 */
int reader_cache(struct dsfs_reader *inner, const struct cache_options *o,
		 struct dsfs_reader **out, const char **what);

#endif /* DSFS_READER_CACHE_H */
