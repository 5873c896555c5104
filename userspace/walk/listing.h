/* SPDX-License-Identifier: GPL-2.0 */
/* Texts of trees: a line an object, and which name of an object is the first one. */
#ifndef DSFS_LISTING_H
#define DSFS_LISTING_H

#include <stdio.h>

#include "dsfs_platform.h"
#include "paths.h"

/**
 * struct listing_xattr - an extended attribute
 * @name: whole name, terminated
 */
struct listing_xattr {
	const char *name;
	const void *value;
	size_t len;
};

/** listing_type - the letter for a mode's type: f d l c b p s, or ? */
char listing_type(u32 mode);

/** listing_escape - write bytes; what is no visible ASCII, and \, as \ooo */
void listing_escape(FILE *out, const char *s, size_t len);

/** listing_hex - write bytes as hexadecimal digits */
void listing_hex(FILE *out, const void *v, size_t len);

/** listing_sort - sort attributes by name */
void listing_sort(struct listing_xattr *xattrs, size_t count);

/**
 * struct listing_links - first names of the objects that have several
 * Zero-initialise it; free it with listing_links_free().
 */
struct listing_links {
	void *tree;
	struct paths paths;
};

/**
 * listing_link - whether an object of several names was met before
 * @links: what was met so far
 * @dev: device, 0 for an image
 * @ino: inode number
 * @nlink: its link count; an object of one name is not kept
 * @path: this name
 * @first: gets the path it was listed by first, valid until the next call; NULL if
 *	this is the first
 *
 * Call it for everything but directories, in the listing's order.
 *
 * Return: 0 or -ENOMEM.
 */
int listing_link(struct listing_links *links, u64 dev, u64 ino, u64 nlink,
		 const char *path, const char **first);

/** listing_first - the path that an object was listed by first, valid until the next call */
const char *listing_first(const struct listing_links *links, u64 dev, u64 ino);
/** listing_lose - the first name of an object was left out, so others are no links to it */
void listing_lose(struct listing_links *links, u64 dev, u64 ino);
bool listing_is_lost(const struct listing_links *links, u64 dev, u64 ino);
void listing_links_free(struct listing_links *links);

#endif /* DSFS_LISTING_H */
