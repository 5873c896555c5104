/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files behind dsfs.h share.  Nobody else includes it.
 */
#ifndef DSFS_API_H
#define DSFS_API_H

#include "dsfs.h"
#include "image.h"

/* Bytes of a name that a message shows, so that the rest of it has room */
#define API_NAME_SHOWN	100

/**
 * struct dsfs_image - an open image
 * @img: its slots and bytes
 * @src: its metadata, which is kept; safe in threads
 */
struct dsfs_image {
	struct image img;
	struct dsfs_source *src;
};

/**
 * api_error - fill in an error object
 * @error: or NULL
 * @ret: the negative errno that the call returns
 * @err: what is wrong with the image, or NULL: @ret says all
 * @fmt: the object that it is about, as printf(3)
 */
void api_error(struct dsfs_error *error, int ret, const struct dsfs_err *err,
	       const char *fmt, ...) __printf(4, 5) __cold;

/* The same; its value is @ret, which an analyzer sees in this form. */
#define api_fail(error, ret, err, ...) ({ \
	const int ret_ = (ret); \
	api_error(error, ret_, err, __VA_ARGS__); \
	ret_; \
})

/** api_node - read an inode by any number; 0, or a negative errno in @error too */
int api_node(struct dsfs_image *image, u64 ino, struct image_node *node, struct dsfs_error *error);

/** api_stat - an inode as struct dsfs_stat */
void api_stat(const struct image_node *node, struct dsfs_stat *st);

#endif /* DSFS_API_H */
