/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A generation behind the newest one of an image, whose tree is changed in between.  No file of the
 * tree is read: each one keeps its data where it is.
 */
#ifndef DSFS_BEHIND_H
#define DSFS_BEHIND_H

#include "base.h"
#include "meta.h"

struct change;

/**
 * struct behind - such a generation
 * @out: the image, to be written
 * @base: its newest generation
 * @tree: the tree of that, with no order; the caller changes it, and orders it
 * @extents: the files whose data the tree keeps, if some are removed
 * @draft: the new generation
 * @meta: its metadata, with its superblock once it is written
 * @asked: what is asked for, from the beginning on
 */
struct behind {
	struct output out;
	struct base *base;
	struct tree tree;
	struct array extents;
	struct draft draft;
	struct meta meta;
	const struct change *asked;
};

/* What a draft has of an image: the layout, as files that it has were laid out by it. */
void draft_of_geo(struct draft *d, const struct dsfs_geo *geo);
/* All that a generation behind the newest one has, but for its own message and what is asked for */
void draft_follow(struct draft *d, const struct base *base, struct output *out);
void note_message(struct dsfs_note *note, const char *message);
/* Its time, a message, or NULL, and whether it keeps a digest.  Return: 0 or -errno. */
int draft_say(struct draft *d, const char *message, u8 digest);

/* These write messages.  Return: 0 or -errno. */

/** change_tree - begin a tree, of a run that has @memory bytes, or half of what there is */
int change_tree(struct tree *t, const char *path, u64 memory);

/** behind_open - open and lock an image, and load its tree; behind_end() in any case */
int behind_open(struct behind *b, const char *path);

/** behind_write - write the generation: the image has it, or is as it was; @removed: of less */
int behind_write(struct behind *b, bool removed);

/** behind_end - @ret: what the functions above returned, or what was in between */
void behind_end(struct behind *b, int ret);

/* erase.c: see "Erasing" in format.rst */

/**
 * struct erase - an erase
 * @gone: files that were removed
 * @bytes: that were overwritten
 * @shared: files whose content stays, as others have it
 */
struct erase {
	struct array gone;
	u64 bytes;
	u64 shared;
};

/* Names were taken from the tree, which edit_end() has not ended. */
int erase_note(struct erase *x, struct behind *b);
/* Instead of behind_write(). */
int erase_write(struct erase *x, struct behind *b);
void erase_free(struct erase *x);

/* Whether an erase was cut off; and end it. */
bool erase_is_begun(const struct behind *b);
int erase_end(struct erase *x, struct behind *b);

/*
 * What is asked of any image that is changed by itself: to be no far one, which can be opened and
 * locked; to have no archive behind its end; no files that are being erased.  Messages are written.
 * Return: 0 or -errno.
 */
int change_open(struct output *out, const char *path);
int change_check_end(const struct image *img);
int change_check_erasing(const struct image *img);
/* The build time of a generation: that of SOURCE_DATE_EPOCH, or now. */
int change_time(s64 *ns);

#endif /* DSFS_BEHIND_H */
