/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A new generation of an image that is there: what of it stays.
 */
#ifndef MKFS_UPDATE_H
#define MKFS_UPDATE_H

#include "../options.h"
#include "../source/scan.h"
#include "image.h"

struct stream;

/**
 * struct update - the image as it is
 * @past: its metadata, for the main thread
 * @old: by new inode number: the inode that was at this path, 0 for none; of
 *	regular files only those that may have the same content
 * @contents: inodes of the image that store something, by what they store: a hash
 *	table of @contents_mask + 1, @ncontents of them taken
 * @start: where what is new begins
 * @kept_files, @kept_bytes: contents that stay where they are
 * @stored: bytes that the files of the new generation store, each once
 * @packed: about where metadata would begin if the image were packed anew
 */
struct update {
	struct image img;
	struct dsfs_source *past;
	u32 *old;
	u32 *contents;
	size_t contents_mask;
	size_t ncontents;
	u64 start;
	u64 kept_files;
	u64 kept_bytes;
	u64 stored;
	u64 packed;
};

/* Past this share of bytes that nobody refers to, packing anew pays. */
#define UPDATE_DEAD_PERCENT	25

/**
 * update_open - read what must stay as it is
 * @o: gets what the image has: alignment, checksums, objects, label, UUID
 * @path: of the image
 *
 * Messages are written.  Return: 0 or -errno.
 */
int update_open(struct source *src, struct options *o, const char *path);

/**
 * update_match - find each file in the image; mark those that have not changed
 *
 * The tree is numbered by it.  Messages are written.  Return: 0 or -errno.
 */
int update_match(struct source *src);

/* A file has the content of update_old(): nothing of it is written. */
void update_keep(struct update *u, struct node *n);

/**
 * update_adopt - give the files that stay what the image has of their contents
 *
 * Behind the data phase.  Messages are written.  Return: 0 or -errno.
 */
int update_adopt(struct stream *s);	/* adopt.c */
void update_free(struct source *src);

/* The superblock that the update is based on. */
static inline const struct dsfs_slot *update_slot(const struct update *u)
{
	return &u->img.slots[u->img.use];
}

static inline u32 *update_slot_of(const struct update *u, const struct dir *dir,
				  const struct node *n)
{
	return &u->old[n->flags & NODE_LINK ? n->u.link->number :
		       dir->first + (u32)(n - dir->nodes)];
}

/* The inode in the image that a file may have the content of; 0: none. */
static inline u32 update_old(const struct update *u, const struct dir *dir,
			     const struct node *n)
{
	return *update_slot_of(u, dir, n);
}

/* Bytes of an image that packing anew its newest generation gets rid of. */
u64 update_dead(const struct update *u, const struct dsfs_super *sb);

/* found.c: a table of contents; -ENOMEM is said */
int found_init(struct update *u);

/**
 * found_next - the next inode of the image that may store the same bytes
 * @stored: how many
 * @sum: checksum of the first chunk of them
 * @cursor: 0 to begin
 * @start: where that inode has them
 *
 * What is found is a guess: the caller compares bytes.
 * Return: 0 at the end.
 */
u32 found_next(struct update *u, u64 stored, u32 sum, size_t *cursor, u64 *start);

/**
 * struct same - compares what a file stores with what the image has of it
 * @sum: of the chunk at hand, @left bytes before its end
 * @at: stored bytes so far
 * @differs: it is another content
 */
struct same {
	struct update *u;
	struct dsfs_source *past;
	struct dsfs_attr attr;
	struct dsfs_ext_info ext;
	u64 stored;
	u64 at;
	u64 left;
	u32 sum;
	bool differs;
};

/* same.c */
void same_begin(struct same *s, struct update *u, struct dsfs_source *past,
		u32 ino);
/* Like an emit function of struct holes; -ECANCELED once it differs. */
int same_data(void *same, const char *p, u64 bytes);
/* @n @segments; none if the file has no holes. */
bool same_end(struct same *s, bool sparse, const struct dsfs_segment *segments,
	      u32 n);

#endif /* MKFS_UPDATE_H */
