/* SPDX-License-Identifier: GPL-2.0 */
/* Comparison of the results of an interrupted extraction with the image. */
#ifndef RESUME_H
#define RESUME_H

#include "walk.h"

/**
 * enum resume - the object that has a name
 * @RESUME_NOTHING: there is none
 * @RESUME_SAME: it is the image's
 * @RESUME_ATTRS: it is the image's, but for its attributes
 * @RESUME_OTHER: it is another one
 * @RESUME_LINKED: as ATTRS, but it has more names than in the image: new attributes would
 *	change an object outside of the target
 */
enum resume { RESUME_NOTHING, RESUME_SAME, RESUME_ATTRS, RESUME_OTHER, RESUME_LINKED };

/**
 * resume_file - look at a regular file
 * @dir: open, holds it
 * @fd: with RESUME_ATTRS: gets the file, open
 *
 * A file of the same size and time is taken to be whole, because a file gets its name last.
 * The contents of a file with another time are compared.
 */
enum resume resume_file(struct view *v, int dir, const struct walk_entry *e, int *fd);

/** resume_other - a symlink, which is to lead to @target, a device, a pipe or a socket */
enum resume resume_other(int dir, const struct walk_entry *e, const char *target, dev_t dev);

/** resume_link - whether @name in @dir and @first in @first_dir are one file */
enum resume resume_link(int dir, const char *name, int first_dir, const char *first);

#endif /* RESUME_H */
