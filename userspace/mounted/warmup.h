/* SPDX-License-Identifier: GPL-2.0 */
/* dsfs warmup: what its two halves share, files of mounts and images on servers. */
#ifndef DSFS_WARMUP_H
#define DSFS_WARMUP_H

#include "dsfs_platform.h"

/**
 * struct warmup_options - the command line
 * @paths: ends with NULL
 * @list: or NULL
 * @source: options of the way to an image on a server, or NULL
 */
struct warmup_options {
	char **paths;
	const char *list;
	const char *source;
	u64 jobs;
	bool null;
	bool quiet;
	bool json;
};

/**
 * warmup_far - bring an image on a server into the cache of this node
 * @o: with its address as the only path; @list has paths in the image
 *
 * Return: the exit status.
 */
int warmup_far(const struct warmup_options *o);

#endif /* DSFS_WARMUP_H */
