/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree of an image in other forms: files in a directory, a tar archive, shards of a
 * WebDataset, a manifest, an artifact for registries.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include "filter.h"
#include "walk.h"

/* Each writes what @f selects, and returns 0, or -1 after a message. */

/**
 * export_files - restore the tree in a directory
 * @dir: new or empty
 * @resume: what is there already may be the tree's
 */
int export_files(struct view *v, const char *dir, struct filter *f, bool resume);

/** export_tar - write it to standard output */
int export_tar(struct view *v, struct filter *f);

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

/** export_manifest - write a manifest for mkfs.dsfs, of all of the tree, to standard output */
int export_manifest(struct view *v);

/** export_oci - make a layout of the OCI's in a new folder, and a report as export_shards() */
int export_oci(struct view *v, struct json *j, const char *path);

#endif /* EXPORT_H */
