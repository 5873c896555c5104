/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the bytes of an image come from; image_pread() belongs to it too.
 */
#ifndef DSFS_IMAGE_IO_H
#define DSFS_IMAGE_IO_H

#include "image.h"

/**
 * image_io_open - open @img->path, fill in @img->fd and @img->bytes
 *
 * Says on stderr what stops it.  Return: 0 or a negative errno.
 */
int image_io_open(struct image *img);
void image_io_close(struct image *img);

#endif /* DSFS_IMAGE_IO_H */
