/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The base image, which gets a new generation or is packed anew, and the files that
 * keep their content.
 */
#ifndef MKFS_BASE_H
#define MKFS_BASE_H

#include "../tree/tree.h"
#include "hash.h"
#include "imagemsg.h"

/**
 * struct base - the base image
 * @cache: bytes of the metadata that are in memory
 * @prev: metadata of the previous generation
 * @note: its note, or zeros
 * @note_ret, @note_err: 0, or why it cannot be read
 * @contents: the content index: inodes with stored data, by length and checksum
 * @kept_files, @kept_bytes: files that keep their content, and its bytes
 * @stored: stored bytes of the new generation; shared bytes count once
 * @packed: approximate start of the metadata if the image were packed anew
 * @root, @root_dir: the tree of an image of archives, up to graft_end()
 */
struct base {
	struct image img;
	u64 cache;
	struct dsfs_source *prev;
	struct dsfs_note note;
	struct dsfs_err note_err;
	int note_ret;
	struct hash contents;
	u64 kept_files;
	u64 kept_bytes;
	u64 stored;
	u64 packed;
	struct node root;
	struct dir *root_dir;
};

/* Percentage of unused bytes from which dsfs compact packs an image without --force */
#define BASE_DEAD_PERCENT	25

/**
 * base_open - open the image and check that it is valid
 * @base: set even if it cannot, to be freed
 * @archives: it has to be one of archives; else it must not
 * @memory: bytes that the run has
 *
 * Messages are written.  Return: 0 or -errno.
 */
int base_open(struct base **base, const char *path, bool archives, u64 memory);
/* Bytes of its metadata that are in memory. */
u64 base_cache(u64 memory);
void base_free(struct base *base);

/**
 * base_use - look at a generation that the image keeps, instead of the newest one
 *
 * Nothing that was read of another generation is valid then.  Messages are written.
 * Return: 0 or -errno.
 */
int base_use(struct base *base, u64 generation);

/* Print the error that makes the image unusable as a base.  Return: @ret. */
int base_damaged(const struct base *base, const char *what, const struct dsfs_err *err, int ret);

/* Warn if the note of the base image cannot be read, and so not what it was compressed by. */
void base_tell_note(const struct base *base);

/*
 * Offset of a new generation: behind the image, at the next object.  An object that
 * a snapshot shares is not written to: the store would copy it.
 */
u64 base_end(const struct base *base, unsigned int object_bits);

/**
 * base_match - find each file in the image; mark those that have not changed
 *
 * @by_time: a file of the same size and time has not changed
 * @t: ordered.  Its directories get their @old: for a regular file, the inode that may
 * have the same content.
 *
 * Messages are written.  Return: 0 or -errno.
 */
int base_match(struct base *base, struct tree *t, bool by_time);

/* Print the error of an inode of the image.  Return: @ret. */
int base_bad_inode(const struct base *base, u32 ino, const struct dsfs_err *err, int ret);

/* The superblock of the generation that is looked at: the newest one, but for base_use(). */
static inline const struct dsfs_slot *base_super(const struct base *base)
{
	if (base->img.geo == &base->img.older.geo)
		return &base->img.older;
	return &base->img.slots[base->img.use];
}

/* Bytes of the image whose superblock is @sb that packing it anew frees. */
u64 base_dead(const struct base *base, const struct dsfs_super *sb);

/* Continue a hash of the checksums of a file's data, which is 0 at first. */
static inline u64 base_sums_add(u64 hash, u32 sum)
{
	return xxh64(&sum, sizeof(sum), hash);
}

/**
 * base_sums - hash the checksums of an inode's data
 * @stored: number of its bytes
 * @hash: set; 0 without checksums
 * @err: filled in on failure
 *
 * Generations that share data have the same checksums of it, if they are sound.
 *
 * Return: 0 or -errno.
 */
int base_sums(const struct base *base, const struct dsfs_attr *attr, u64 stored, u64 *hash,
	      struct dsfs_err *err);

/* keep.c: fills base->contents; prints a message for -ENOMEM */
int content_index_init(struct base *base);

#endif /* MKFS_BASE_H */
