/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree of an image in other forms: files in a directory, a tar archive, shards of a
 * WebDataset, a manifest, an artifact for registries.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include "open.h"
#include "walk.h"

/* Each writes what @f selects, and returns 0, or -1 after a message. */

/**
 * export_files - restore the tree in a directory
 * @dir: new or empty
 * @resume: what is there already may be the tree's
 */
int export_files(struct view *v, const char *dir, struct filter *f, bool resume);

#define WDS_SIZE	1073741824ULL	/* of a shard, unless an option says it */

/**
 * struct shards_request - how shards are made
 * @prefix: of the names of shards, maybe with a directory
 * @size: bytes that a shard may have; 0: WDS_SIZE
 * @samples: samples that a shard may have; 0: any number
 * @order: a list of samples that come first, or NULL
 * @null: its entries end with NUL
 */
struct shards_request {
	const char *prefix;
	const char *order;
	u64 size;
	u64 samples;
	bool null;
};

/** export_shards - write shards, and a report, in JSON if @j is not NULL */
int export_shards(struct view *v, struct json *j, const struct shards_request *r, struct filter *f);

/**
 * struct pieces_request - how pieces are made
 * @dir: the folder of the list, made if it does not exist
 * @size: bytes that a piece may have, at least 65,536
 * @each: the command that gets each piece and the list, with %n for their name; NULL: the folder
 * @name: of the list, without its suffix; NULL: that of the image
 * @of: the list whose pieces are taken, which a verb has locked; NULL: the one of that name.  If
 *	it has another name, there must be none of that name.
 * @jobs: pieces at a time
 * @last: called in front of the list, from which on nothing is taken back; or NULL
 */
struct pieces_request {
	const char *dir;
	const char *each;
	const char *name;
	const char *of;
	u64 size;
	u64 jobs;
	void (*last)(void);
};

#define PIECES_SIZE	(4ULL << 30)	/* of a piece, unless an option says it */
#define PIECES_JOBS	4

/** export_pieces - write pieces and their list, and a report, in JSON if @j is not NULL */
int export_pieces(struct view *v, struct json *j, const struct pieces_request *r);

/** export_generation - the same of an image that was written just now, in silence */
int export_generation(struct view *v, const struct pieces_request *r);

/** export_unused - print the names of pieces in a folder that no list there has */
int export_unused(const char *dir);

/* Of the next ones @arg is a struct view_options, for view_verb(). */

/** export_tar - write what is selected to standard output */
view_fn export_tar;

/** export_manifest - write a manifest for mkfs.dsfs, of all of the tree, to standard output */
view_fn export_manifest;

/** export_oci - make a layout of the OCI's in a new folder, and a report as export_shards() */
view_fn export_oci;

#endif /* EXPORT_H */
