/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parameters of the image: what was asked for, what the image has that a new
 * generation goes into, and what the device says, brought together once.
 */
#ifndef MKFS_PARAMS_H
#define MKFS_PARAMS_H

#include "dsfs_platform.h"
#include "dsfs_fs.h"

struct dsfs_geo;
struct options;

/**
 * struct params - what the image's superblock will say
 * @align_bits: log2 of the alignment of data
 * @chunk_bits: log2 of the bytes that a checksum covers; 0: no checksums
 * @object_bits: log2 of the size of the store's objects; 0: it has none
 * @uuid: valid with @uuid_set; else it is made in the end
 */
struct params {
	char label[DSFS_LABEL_MAX];
	u8 uuid[16];
	u8 align_bits;
	u8 chunk_bits;
	u8 object_bits;
	bool uuid_set;
};

/**
 * params_decide - bring together what is asked for and what is there
 * @base: of the base image; NULL: there is none
 * @object_bits: what the device says; 0: nothing
 */
void params_decide(struct params *p, const struct options *o,
		   const struct dsfs_geo *base, unsigned int object_bits);

#endif /* MKFS_PARAMS_H */
