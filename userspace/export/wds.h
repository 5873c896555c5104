/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --wds: the files of an image as shards of a WebDataset.
 */
#ifndef DUMP_WDS_H
#define DUMP_WDS_H

#include "filter.h"

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

/** dump_wds - write the shards; Return: 0, or -1 after a message */
int dump_wds(struct dump *d, const struct wds_request *r, struct filter *f);

#endif /* DUMP_WDS_H */
