/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An image without what only its older generations need.
 */
#ifndef MKFS_COMPACT_H
#define MKFS_COMPACT_H

#include "../data/stream.h"
#include "base.h"

/**
 * compact_worth - find out what the image has that nobody needs
 *
 * Without --force, less than BASE_DEAD_PERCENT of it is too little.
 * Return: 1 to go on; 0: it is left as it is, which was said; -errno.
 */
int compact_worth(struct stream *s);

#endif /* MKFS_COMPACT_H */
