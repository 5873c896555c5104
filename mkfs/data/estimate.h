/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What --compress would make of a tree that is listed.
 */
#ifndef MKFS_ESTIMATE_H
#define MKFS_ESTIMATE_H

#include "../options/options.h"
#include "../source/source.h"

/**
 * struct estimate - contents and what is stored of them
 * @bytes: contents of all files that the image does not have yet
 * @stored: what they would take, each by itself; nothing is said of duplicates
 * @samples: units that this is estimated by; 0: all files were compressed
 */
struct estimate {
	u64 bytes;
	u64 stored;
	u64 samples;
};

/* Compress some of all files, or all.  Messages are written.  Return: 0 or -errno. */
int estimate_make(struct estimate *e, struct source *src, const struct pack_rules *rules);

#endif /* MKFS_ESTIMATE_H */
