/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comparison of the results of an interrupted extraction with the image.
 */
#ifndef RESUME_H
#define RESUME_H

#include "walk.h"

/* What is there under a name: nothing; what belongs there; the same, but for its
 * attributes; something else; the same, but with more names than the image gives it, so
 * that other attributes would change an object outside of the target.
 */
enum resume { RESUME_NOTHING, RESUME_SAME, RESUME_ATTRS, RESUME_OTHER, RESUME_LINKED };

/**
 * resume_file - look at a regular file
 * @dir: open, holds it
 * @fd: with RESUME_ATTRS: gets the file, open
 *
 * One of the same size and time is taken to be whole, as a file gets its name last;
 * of one with another time the contents are compared.
 */
enum resume resume_file(struct view *v, int dir, const struct walk_entry *e, int *fd);

/** resume_symlink - whether it leads to @target */
enum resume resume_symlink(int dir, const struct walk_entry *e, const char *target);

/** resume_special - a device, pipe or socket */
enum resume resume_special(int dir, const struct walk_entry *e, dev_t dev);

/** resume_link - whether @name in @dir and @first in @first_dir are one file */
enum resume resume_link(int dir, const char *name, int first_dir, const char *first);

#endif /* RESUME_H */
