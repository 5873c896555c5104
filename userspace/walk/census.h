/* SPDX-License-Identifier: GPL-2.0 */
/* What kinds of files a tree has, by its metadata. */
#ifndef WALK_CENSUS_H
#define WALK_CENSUS_H

#include "walk.h"

#define CENSUS_ENDING	16	/* bytes of the ending of a name that counts as one, and NUL */
#define CENSUS_TOP	10
#define CENSUS_SIZES	26	/* of 0 bytes, below 1, 4, 16, ...: all that a file may have */

struct census_sum {
	u64 files;
	u64 bytes;
};

/**
 * struct census - what was counted; a file of several names counts once
 * @others: neither files nor directories nor symbolic links
 * @sizes: by size: the first is that of empty files, then of those below 4^n bytes
 * @endings: those of most bytes, @nr of them, the largest first
 * @rest: all files of other endings, and of none
 */
struct census {
	u64 dirs;
	u64 symlinks;
	u64 others;
	struct census_sum files;
	struct census_sum sizes[CENSUS_SIZES];
	struct census_ending {
		char name[CENSUS_ENDING];
		struct census_sum sum;
	} endings[CENSUS_TOP];
	unsigned int nr;
	struct census_sum rest;
};

/** census_take - walk over the tree.  Return: 0, or -1 after a message. */
int census_take(struct view *v, struct census *c);

#endif /* WALK_CENSUS_H */
