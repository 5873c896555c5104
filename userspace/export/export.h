/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree of an image in other forms: files in a directory, a tar archive, shards of a
 * WebDataset, a manifest.
 *
 * The folder has the writers of these.  It uses walk/, lib/ and tool/; dump.dsfs uses it.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include "filter.h"
#include "walk.h"

/* Each writes what @f selects, and returns 0, or -1 after a message. */

/**
 * dump_extract - restore the tree in a directory
 * @dir: new or empty
 * @resume: what is there already may be the tree's
 */
int dump_extract(struct view *v, const char *dir, struct filter *f, bool resume);

/** dump_tar - write it to standard output */
int dump_tar(struct view *v, struct filter *f);

#define WDS_SIZE	1073741824ULL	/* of a shard, unless an option says it */

/**
 * struct wds_request - options of --wds
 * @prefix: of the names of shards, maybe with a directory; NULL: not given
 * @size: bytes that a shard may have; 0: WDS_SIZE
 * @samples: samples that a shard may have; 0: any number
 * @order: a list of samples that come first, or NULL
 * @null: its entries end with NUL
 */
struct wds_request {
	const char *prefix;
	const char *order;
	u64 size;
	u64 samples;
	bool null;
};

/** dump_wds - write shards, and a report, in JSON if @j is not NULL */
int dump_wds(struct view *v, struct json *j, const struct wds_request *r, struct filter *f);

/** dump_manifest - write a manifest for mkfs.dsfs, of all of the tree */
int dump_manifest(struct view *v, struct json *j);

#endif /* EXPORT_H */
