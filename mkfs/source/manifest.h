/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a manifest to a tree in memory: what a scan does for a directory.
 */
#ifndef MKFS_MANIFEST_H
#define MKFS_MANIFEST_H

#include "entry.h"
#include "source.h"

/**
 * struct origin - a file that contents come from
 * @check: tells whether it is still what it was
 */
struct origin {
	u64 size;
	u32 check;
	char path[];
};

/**
 * struct part - a file's content until it is stored
 */
struct part {
	struct origin *origin;
	u64 offset;
};

#endif /* MKFS_MANIFEST_H */
