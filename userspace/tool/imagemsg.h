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

struct pieces;

/**
 * list_read_pieces - read a list of pieces (pieces.h)
 * @dir: the folder that @name is in, or AT_FDCWD
 * @list: filled in; free it with pieces_free(), after an error, too
 *
 * Return: 0; -ENOENT, of which nothing is said; or -1, said on stderr.
 */
int list_read_pieces(int dir, const char *name, struct pieces *list);

/** image_why - a struct dsfs_err and a negative errno as a line, until the thread's next one */
const char *image_why(const struct dsfs_err *err, int ret);

/** image_slot_why - what is wrong with a slot, as image_why() */
const char *image_slot_why(const struct dsfs_slot *slot);

/**
 * image_report_slots - say on stderr what is wrong with the slots
 *
 * Return: slots that are bad or lag behind the other one.
 */
int image_report_slots(const struct image *img);

#endif /* DSFS_IMAGEMSG_H */
