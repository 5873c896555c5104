/* SPDX-License-Identifier: GPL-2.0 */
/* What the tools say of an image: the library itself is silent. */
#ifndef DSFS_IMAGEMSG_H
#define DSFS_IMAGEMSG_H

#include "image.h"

/**
 * image_open - open an image and judge its slots
 * @img: filled in; close it after success only
 * @path: a file or block device; kept, not copied
 *
 * Says on stderr what stops it.  An image without a valid slot opens too:
 * @img->geo is NULL then.
 *
 * Return: 0 or a negative errno.
 */
int image_open(struct image *img, const char *path);

/** image_open_fd - the same of a descriptor, which stays the caller's */
int image_open_fd(struct image *img, int fd, const char *path);

/**
 * image_open_at - the same of an image that may be on a server
 * @address: a path, or an address that dsfs-source(7) tells of; kept, not copied
 * @source: options of the way there, or NULL
 *
 * @img->path is what messages call it.
 */
int image_open_at(struct image *img, const char *address, const char *source);

/** image_tell_waits - say on a terminal why a server is asked again; image_open_at() does so */
void image_tell_waits(void);

/**
 * image_generation - look at a generation that the image keeps
 * @img: with a valid slot; what was made of it before is void
 *
 * Says on stderr what is wrong.  Return: 0 or a negative errno.
 */
int image_generation(struct image *img, u64 generation);

/**
 * image_as_expected - whether the generation that is looked at keeps the digest that
 *	image_open_at() was given
 * @src: its metadata, or NULL
 *
 * Says on stderr what is wrong.  Return: 0 or a negative errno.
 */
int image_as_expected(const struct image *img, struct dsfs_source *src);

/** image_slot_text - what is wrong with a slot, in a line of text */
void image_slot_text(const struct dsfs_slot *slot, char *buf, size_t size);

/**
 * image_report_slots - say on stderr what is wrong with the slots
 *
 * Return: slots that are bad or lag behind the other one.
 */
int image_report_slots(const struct image *img);

#endif /* DSFS_IMAGEMSG_H */
