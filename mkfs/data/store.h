/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of an image: places, checksums, extents, and what equals what.
 */
#ifndef MKFS_STORE_H
#define MKFS_STORE_H

#include "base.h"
#include "output.h"
#include "../options/options.h"
#include "draft.h"
#include "place.h"
#include "../source/source.h"
#include "arena.h"
#include "content.h"
#include "progress.h"
#include "ring.h"

/**
 * struct store_figures - what the report says of the data
 * @stored: bytes that all files of the image store
 * @dead: bytes that were stored and that no name is left of
 * @packed_files: compressed files, of @packed_bytes, which are stored as @packed_stored
 * @archives: --tar-index: archives
 * @cloned: bytes of them whose blocks the target shares with their files
 */
struct store_figures {
	u64 dup_files;
	u64 dup_bytes;
	u64 sparse_files;
	u64 packed_files;
	u64 packed_bytes;
	u64 packed_stored;
	u64 stored;
	u64 dead;
	u64 archives;
	u64 cloned;
};

/**
 * struct store - the data of an image
 * @base: NULL: there is none
 * @start: where data goes that is added
 * @dedup: stored files, by the hash of their stored bytes: index in @stored plus one
 * @stored: struct node *, in @arena
 * @dups: struct dup
 * @content: hashes over the contents in order, for a derived UUID
 */
struct store {
	const struct options *o;
	const struct draft *draft;
	struct tree *tree;
	struct source *source;
	struct base *base;
	struct output *out;
	u64 start;
	struct place place;
	struct hash dedup;
	struct blocks stored;
	struct arena arena;
	struct array dups;
	struct progress progress;
	struct store_figures figures;
	struct content_rules rules;
	u64 content[2];
};

/* Fields up to @out are set, and how contents are compressed, all others are zero. */
void store_init(struct store *s);
void store_free(struct store *s);

/* Store all files of a job.  Messages are written.  Return: 0 or -errno. */
int store_job(struct store *s, struct job *job);

/**
 * store_in_place - a content that is in the target already, where its node says
 * @it: with all that is known of it
 *
 * Return: 0 or -errno.
 */
int store_in_place(struct store *s, struct item *it, const u32 *sums);

/*
 * Called after the last file: copies NODE_SHARED to duplicates.  No node may have been
 * moved in memory before.
 */
void store_end(struct store *s);

#endif /* MKFS_STORE_H */
