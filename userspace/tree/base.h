/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The base image, which gets a new generation or is packed anew, and the files that
 * keep their content.
 */
#ifndef DSFS_BASE_H
#define DSFS_BASE_H

#include "tree.h"
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
 * @number: of several images of a tree: which one it is
 * @shift: what is added to positions of its data in the new generation; 0: it stays where it is
 * @packed: approximate start of the metadata if the image were packed anew
 * @root: of its tree, up to what the source has is added to that
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
	u64 number;
	u64 shift;
	u64 packed;
	struct node root;
};

/* Percentage of unused bytes from which dsfs compact packs an image without --force */
#define BASE_DEAD_PERCENT	25

/* Whether an image has archives in place: it must not, it has to, or either does */
enum base_archives { BASE_PLAIN, BASE_ARCHIVES, BASE_ANY };

/**
 * base_open - open the image and check that it is valid
 * @base: set even if it cannot, to be freed
 * @memory: bytes that the run has
 *
 * Messages are written.  Return: 0 or -errno.
 */
int base_open(struct base **base, const char *path, enum base_archives archives, u64 memory);
/* Bytes of its metadata that are in memory. */
u64 base_cache(u64 memory);
/* Nothing more is read of its metadata. */
void base_close(struct base *base);
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
 * tree_load - make the tree of the generation that is looked at
 * @root: its root; that of @t, or one of zeros
 *
 * All files keep their content: they are marked, and each node has its inode in @old.
 *
 * Messages are written.  Return: 0 or -errno.
 */
int tree_load(struct tree *t, struct base *base, struct node *root);

/**
 * tree_join - let the tree be that of several roots
 * @names: what messages call each of them
 *
 * The attributes of a directory are those that the first root has.  Its nodes have no @old then.
 * Messages are written.  Return: 0; -EEXIST: a name comes twice; or another -errno.
 */
int tree_join(struct tree *t, const struct node *roots, const char *const *names, u32 n);

/**
 * base_match - find each file in the image; mark those that have not changed
 *
 * @by_time: a file of the same size and time has not changed
 * @t: ordered.  Its nodes get their @old: a regular file the inode that may have the same content.
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

#endif /* DSFS_BASE_H */
