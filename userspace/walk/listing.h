/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The canonical listing: one line an object, equal for an image and for the
 * tree that it was made of or that is mounted, so that diff(1) compares them.
 */
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

/**
 * struct listing_entry - an object as stat(2) and others show it
 * @path: "/" or "/a/b", raw bytes, terminated
 * @mode: type and permissions
 * @size: of a regular file or symlink; else ignored
 * @mtime_sec: seconds since 1970, rounded down
 * @mtime_nsec: 0 to 999,999,999
 * @rdev_major: of a device; else ignored
 * @link: path of the object's first name in the listing if this is a further
 *	one, else NULL: see listing_link()
 * @sum: of a regular file: crc32c of its contents, holes read as zeros
 * @sum_error: of a regular file: why there is no @sum, a positive errno, which
 *	is listed; -1: it was not asked for; 0: there is one
 * @target: of a symlink, terminated
 * @target_error: of a symlink: why there is no @target, a positive errno
 * @xattrs: @nr_xattrs of them; listing_print() sorts them by name
 * @xattrs_error: why they are not known, a positive errno
 */
struct listing_entry {
	const char *path;
	u32 mode;
	u32 uid;
	u32 gid;
	u64 nlink;
	u64 size;
	s64 mtime_sec;
	u32 mtime_nsec;
	u32 rdev_major;
	u32 rdev_minor;
	const char *link;
	u32 sum;
	int sum_error;
	const char *target;
	int target_error;
	struct listing_xattr *xattrs;
	size_t nr_xattrs;
	int xattrs_error;
};

/**
 * listing_print - write an object's line
 * @out: the stream; the caller looks at ferror()
 * @e: the object
 */
void listing_print(FILE *out, const struct listing_entry *e);

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
 * listing_link - whether an object of several names was listed before
 * @links: what was listed so far
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

/**
 * listing_crc_zeros - extend a crc32c by zeros
 * @sum: of the bytes so far, 0 for none
 * @len: zeros; any number takes the same time
 */
u32 listing_crc_zeros(u32 sum, u64 len);

#endif /* DSFS_LISTING_H */
