/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The base image: the one that gets a new generation, or is packed anew, and what
 * of it stays.
 */
#ifndef MKFS_BASE_H
#define MKFS_BASE_H

#include "../options.h"
#include "../tree/tree.h"
#include "hash.h"
#include "image.h"

/**
 * struct base - the image as it is
 * @prev: metadata of the previous generation, for the main thread
 * @contents: inodes of the image that store something, by what they store
 * @kept_files, @kept_bytes: contents that stay where they are
 * @stored: bytes that the files of the new generation store, each once
 * @packed: about where metadata would begin if the image were packed anew
 */
struct base {
	struct image img;
	struct dsfs_source *prev;
	struct hash contents;
	u64 kept_files;
	u64 kept_bytes;
	u64 stored;
	u64 packed;
};

/* Past this share of bytes that nobody refers to, packing anew pays. */
#define BASE_DEAD_PERCENT	25

/**
 * base_open - open the image and check that it can be built on
 * @base: set even if it cannot, to be freed
 *
 * Messages are written.  Return: 0 or -errno.
 */
int base_open(struct base **base, const char *path);
void base_free(struct base *base);

/* Say what of the image does not let anything be built on it.  Return: @ret. */
int base_damaged(const struct base *base, const char *what,
		 const struct dsfs_err *err, int ret);

/*
 * Where a new generation begins: behind the image.  An object that a snapshot of
 * the store has is not written to: it would be copied.
 */
u64 base_end(const struct base *base, unsigned int object_bits);

/**
 * base_match - find each file in the image; mark those that have not changed
 *
 * @t: ordered.  Its directories get their @old: of regular files, inodes that may
 * have the same content.
 *
 * Messages are written.  Return: 0 or -errno.
 */
int base_match(struct base *base, struct tree *t, const struct options *o);

/* A file has the content of node_old(): nothing of it is written. */
void base_keep(struct base *base, struct node *n);

/* Say what is wrong with an inode of the image.  Return: @ret. */
int base_bad_inode(const struct base *base, u32 ino, const struct dsfs_err *err,
		   int ret);

/* The superblock that the update is based on. */
static inline const struct dsfs_slot *base_super(const struct base *base)
{
	return &base->img.slots[base->img.use];
}

/* Bytes of an image that packing anew its newest generation gets rid of. */
u64 base_dead(const struct base *base, const struct dsfs_super *sb);

/* content_index.c: files by checksum and length; -ENOMEM is said */
int content_index_init(struct base *base);

/**
 * content_index_next - the next inode that may store the same bytes
 * @stored: how many
 * @sum: checksum of the first chunk of them
 * @cursor: 0 to begin
 * @start: where that inode has them
 *
 * What is found is a guess: the caller compares bytes.
 * Return: 0 at the end.
 */
u32 content_index_next(struct base *base, u64 stored, u32 sum, size_t *cursor, u64 *start);

/**
 * struct content_compare - a file beside what the image has under its name
 * @sum: of the chunk at hand, @left bytes before its end
 * @at: stored bytes so far
 * @differs: it is another content
 */
struct content_compare {
	struct base *base;
	struct dsfs_source *prev;
	struct dsfs_attr attr;
	struct dsfs_extra_info extra;
	u64 stored;
	u64 at;
	u64 left;
	u32 sum;
	bool differs;
};

/* content_compare.c */
void content_compare_begin(struct content_compare *s, struct base *base, struct dsfs_source *prev,
			   u32 ino);
/* Like an emit function of struct holes; -ECANCELED once it differs. */
int content_compare_data(void *compare, const char *p, u64 bytes);
/* @n @extents; none if the file has no holes. */
bool content_compare_end(struct content_compare *s, bool sparse,
			 const struct dsfs_extent_record *extents, u32 n);

#endif /* MKFS_BASE_H */
