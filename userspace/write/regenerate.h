/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A new generation of an image that has the tree of one which is there: with another label, or
 * of an older one that becomes the newest again.
 */
#ifndef DSFS_REGENERATE_H
#define DSFS_REGENERATE_H

#include "imagemsg.h"
#include "output.h"

/**
 * struct regenerate - an image that gets such a generation
 * @out: the same image, to be written
 * @tree: the generation whose tree the new one has
 * @src: metadata that the new generation begins with: of the newest one, if that has the same
 *	tree, and so the same metadata area; or of @tree
 * @shared: it is that of the newest one, and stays where it is
 * @super: the superblock of the new generation; its label and its UUID may be changed
 * @note: and its note, whose message may be: note_message()
 */
struct regenerate {
	struct output out;
	struct image img;
	struct dsfs_slot tree;
	struct dsfs_source *src;
	bool shared;
	struct dsfs_super super;
	struct dsfs_note note;
};

/* These write messages.  Return: 0 or -errno. */

/** regenerate_open - open and lock an image; regenerate_end() in any case */
int regenerate_open(struct regenerate *g, const char *path);

/**
 * regenerate_tree - take the tree of a generation, its label, its UUID and its note
 * @generation: one that the image keeps
 */
int regenerate_tree(struct regenerate *g, u64 generation);

/** regenerate_label - another label, of up to DSFS_LABEL_MAX bytes */
void regenerate_label(struct regenerate *g, const char *label);

/** regenerate_write - write the generation: the image has it, or is as it was */
int regenerate_write(struct regenerate *g);

/**
 * regenerate_end - close the image, and report
 * @ret: what the functions above returned
 * @quiet: no report
 *
 * Return: the exit status.
 */
int regenerate_end(struct regenerate *g, int ret, bool quiet);

#endif /* DSFS_REGENERATE_H */
