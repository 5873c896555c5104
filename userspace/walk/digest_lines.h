/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of a digest, as Documentation/digest.rst defines it, line by line.  Whoever
 * walks a tree, an image's or one that is to become an image, adds a line for each object.
 */
#ifndef DIGEST_LINES_H
#define DIGEST_LINES_H

#include "digest.h"
#include "listing.h"
#include "sha256.h"

/**
 * struct digest_lines - a text that is being made
 * @out: stream of the text
 * @hash: hash of the text, unless @text: the text itself is printed
 */
struct digest_lines {
	FILE *out;
	struct sha256 hash;
	u8 kind;
	bool text;
	struct digest_result result;
};

/**
 * struct digest_line - an object
 * @path: "/" or "/a/b", terminated
 * @first: the path it was met by first, if this is a further name of it; else NULL
 * @size: of a regular file
 * @rdev: of a device: major << 20 | minor
 * @sum: of a regular file, SHA256_BYTES; NULL: not known
 * @target: of a symlink, @target_len bytes; NULL: not known
 * @xattrs: @nr_xattrs of them, with whole names; they are sorted here
 * @no_xattrs: not known
 */
struct digest_line {
	const char *path;
	const char *first;
	u32 mode;
	u32 uid;
	u32 gid;
	u32 rdev;
	s64 mtime;
	u64 size;
	const u8 *sum;
	const char *target;
	size_t target_len;
	struct node_xattr *xattrs;
	size_t nr_xattrs;
	bool no_xattrs;
};

/**
 * digest_begin - begin a text; after sha256_library_init()
 * @kind: DSFS_DIGEST_*
 * @text: print it to standard output, and compute no digest
 *
 * Return: 0 or -ENOMEM.
 */
int digest_begin(struct digest_lines *l, u8 kind, bool text);

/** digest_add - the next object in the order of digest.rst.  Return: 0 or -EIO. */
int digest_add(struct digest_lines *l, const struct digest_line *line);

/** digest_end - complete l->result.  Return: 0 or -EIO. */
int digest_end(struct digest_lines *l);

#endif /* DIGEST_LINES_H */
