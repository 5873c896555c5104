/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dsfs warmup: what its two halves share, contents and metadata.
 */
#ifndef DSFS_WARMUP_H
#define DSFS_WARMUP_H

#include "dsfs_platform.h"

/**
 * struct warmup_options - the command line
 * @paths: ends with NULL
 * @list: or NULL
 */
struct warmup_options {
	char **paths;
	const char *list;
	u64 jobs;
	bool null;
	bool metadata;
	bool quiet;
	bool json;
};

/** warmup_metadata - --metadata-only; returns the exit status */
int warmup_metadata(const struct warmup_options *o);

#endif /* DSFS_WARMUP_H */
