/* SPDX-License-Identifier: GPL-2.0 */
/* Texts of trees: a line an object, and which name of an object is the first one. */
#ifndef DSFS_LISTING_H
#define DSFS_LISTING_H

#include "image.h"
#include "paths.h"
#include "table.h"

/**
 * struct object_type - what texts call a type of objects
 * @mode: as in an inode; 0: none of those
 * @letter: f d l c b p s, or ?
 * @tar: its letter in an archive, which has no sockets
 * @name: in a manifest
 */
struct object_type {
	u32 mode;
	char letter;
	char tar;
	char name[8];
};

/** listing_type - that of a mode */
const struct object_type *listing_type(u32 mode);

/** listing_escape - write bytes; what is no visible ASCII, and \, as \ooo */
void listing_escape(FILE *out, const char *s, size_t len);

/** listing_hex - write bytes as hexadecimal digits */
void listing_hex(FILE *out, const void *v, size_t len);

/** listing_sort - sort attributes by name */
void listing_sort(struct node_xattr *xattrs, size_t count);

/**
 * struct listing_links - first names of the objects that have several
 * Zero-initialise it; free it with listing_links_free().
 */
struct listing_links {
	struct table table;
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
