/* SPDX-License-Identifier: GPL-2.0 */
/* The digest of a data set: for that of an image this header suffices. */
#ifndef DIGEST_H
#define DIGEST_H

#include "imagemsg.h"

struct view;

/**
 * struct digest_request - options
 * @threads: number of threads that read files; 0: one for each processor
 * @kind: DSFS_DIGEST_*: with FULL attributes are included
 * @text: print the text instead of its digest
 */
struct digest_request {
	u64 threads;
	u8 kind;
	bool text;
};

/**
 * struct digest_result - a digest
 * @sum: the SHA-256; not valid with text
 * @objects: lines of the text
 * @files: regular files, those of several names once; @bytes: of their contents
 */
struct digest_result {
	u8 sum[DSFS_DIGEST_BYTES];
	u64 objects;
	u64 files;
	u64 bytes;
};

/**
 * digest_image - compute the digest of the generation that is looked at
 * @img: with a generation
 *
 * All files are read and verified.  Messages are written.
 * Return: 0 or a negative errno: after an error there is no digest; -ECANCELED: it was
 * asked to stop (stop.h).
 */
int digest_image(const struct image *img, const struct digest_request *r,
		 struct digest_result *result);

/** digest_make - the same of a view, which counts the errors */
int digest_make(struct view *v, const struct digest_request *r, struct digest_result *result);

#endif /* DIGEST_H */
