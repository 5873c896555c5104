/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parameters of the image.  They are decided once, from the options, from the base
 * image and from the device.
 */
#ifndef MKFS_PARAMS_H
#define MKFS_PARAMS_H

#include "dsfs_platform.h"
#include "dsfs_fs.h"

struct dsfs_geo;
struct options;

/**
 * struct params - parameters that are stored in the superblock
 * @align_bits: log2 of the alignment of data
 * @chunk_bits: log2 of the bytes that a checksum covers; 0: no checksums
 * @object_bits: log2 of the size of the store's objects; 0: it has none
 * @uuid: valid with @uuid_set; otherwise it is made at the end
 */
struct params {
	char label[DSFS_LABEL_MAX];
	u8 uuid[16];
	u8 align_bits;
	u8 chunk_bits;
	u8 object_bits;
	bool uuid_set;
};

/*
 * Parameters of a new image; of an image with data that was laid out by those of @geo.
 * @object_bits: log2 of the object size that the device reports; 0: none
 */
void params_new(struct params *p, const struct options *o, unsigned int object_bits);
void params_of_image(struct params *p, const struct options *o, const struct dsfs_geo *geo,
		     unsigned int object_bits);

/* Take the label of the command line, if it has one. */
void params_label(struct params *p, const struct options *o);

#endif /* MKFS_PARAMS_H */
