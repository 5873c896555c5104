/* SPDX-License-Identifier: GPL-2.0 */
/* Memory for contents of files, on its way from the image to the kernel. */
#ifndef DSFS_FUSE_BUFFERS_H
#define DSFS_FUSE_BUFFERS_H

#include <stddef.h>

/** buffers_init - before the first one */
void buffers_init(void);

/**
 * buffer_get - memory of at least @size bytes, aligned for reads past the page cache
 *
 * Return: to be given back with buffer_put(); NULL without memory.
 */
void *buffer_get(size_t size);

/**
 * buffer_put - give memory back
 * @buffer: of buffer_get(), or NULL
 * @size: what it was asked for with
 */
void buffer_put(void *buffer, size_t size);

#endif /* DSFS_FUSE_BUFFERS_H */
