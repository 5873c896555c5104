/* SPDX-License-Identifier: GPL-2.0 */
/* Changes from one generation of an image to another. */
#ifndef DIFF_H
#define DIFF_H

#include "walk.h"

/**
 * struct diff_request - two generations
 * @from: 0: the one before the newest
 * @to: 0: the newest
 */
struct diff_request {
	u64 from;
	u64 to;
};

/** diff_parse - parse "1..3" or "1".  Return: 0 or -EINVAL. */
int diff_parse(const char *text, struct diff_request *r);

/** diff_show - show what changed, in JSON if @j is not NULL.  Return: 0, or -1 after a message */
int diff_show(struct view *v, struct json *j, const struct diff_request *r);

/* Differences: CHANGED_DATA is one of the content, the others are of attributes */
#define CHANGED_CONTENT	0x01
#define CHANGED_TARGET	0x02
#define CHANGED_DEVICE	0x04
#define CHANGED_DATA	0x07
#define CHANGED_MODE	0x08
#define CHANGED_OWNER	0x10
#define CHANGED_MTIME	0x20
#define CHANGED_XATTRS	0x40
#define CHANGED_LINKS	0x80

/**
 * struct compare_side - an object in one of two generations
 */
struct compare_side {
	struct view *v;
	const struct image_node *node;
};

/**
 * compare_nodes - compare two objects of one type
 * @changed: set to CHANGED_ bits, except for CHANGED_LINKS
 * @what: set to the part that could not be read, for a message
 *
 * Contents are read only where checksums are equal and the bytes lie elsewhere.
 *
 * Return: 0 or a negative errno.
 */
int compare_nodes(const struct compare_side *a, const struct compare_side *b,
		  unsigned int *changed, const char **what, struct dsfs_err *err);

#endif /* DIFF_H */
