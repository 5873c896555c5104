/* SPDX-License-Identifier: GPL-2.0 */
/* The state of an extraction, which extract.c and attrs.c share. */
#ifndef EXTRACT_H
#define EXTRACT_H

#include "array.h"
#include "newfile.h"
#include "progress.h"
#include "walk.h"

struct made_at {
	dev_t dev;
	ino_t ino;
};

/**
 * struct newborn - what files that are made in a directory have from the start
 * @known: the first of them was looked at
 * @plain: the mode that they were made with, and no ACL
 * @uid, @gid: their owner
 */
struct newborn {
	bool known;
	bool plain;
	uid_t uid;
	gid_t gid;
};

/**
 * struct extract - a run
 * @target: the path of the target
 * @root: the target, open; -1: not made yet
 * @cwd: the directory that entries are made in, open; -1: @root
 * @trail: the directories above it: struct made_at
 * @file: the one that is being made
 * @born: of @cwd
 * @skipped: attributes that only root can restore
 * @owners: objects that the caller owns, and not their owner in the image
 * @bar: progress, in bytes of contents
 * @stop: why there is no use in going on, as a negative errno
 * @part: a part of the tree is selected
 * @resume: objects that exist may be the image's
 */
struct extract {
	struct view *v;
	const char *target;
	int root;
	int cwd;
	struct array trail;
	struct newfile file;
	struct newborn born;
	u64 skipped;
	u64 owners;
	struct progress bar;
	int stop;
	bool is_root;
	bool part;
	bool resume;
};

/** extract_is_lasting - every further object would meet the error, too, as a full disk is one */
bool extract_is_lasting(int err);

/**
 * extract_failed - report an error, with errno
 * @what: the step; its kind; not copied
 *
 * An error that further objects would meet, too, ends the run.
 */
void extract_failed(struct extract *x, const char *path, const char *what);

/**
 * attrs_fd - restore owner, xattrs, mode and times of an open object
 *
 * The object grants nothing to others until then.  Errors are reported, and counted.
 */
void attrs_fd(struct extract *x, const struct walk_entry *e, int fd);

/** attrs_born - the same for a new file that was made with its mode and has no xattrs */
void attrs_born(struct extract *x, const struct walk_entry *e, int fd);

/** attrs_at - the same for an object of @x->cwd that cannot be opened */
void attrs_at(struct extract *x, const struct walk_entry *e);

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

#endif /* EXTRACT_H */
