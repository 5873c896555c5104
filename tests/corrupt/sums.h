/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checksums of metadata made right again, in an image in memory: a defect that
 * a checksum finds tests nothing but checksums.
 */
#ifndef CORRUPT_SUMS_H
#define CORRUPT_SUMS_H

#include "format.h"

/**
 * struct sums_area - where the metadata and its BLOCKSUMS lie
 * All of it lies in the image; the caller has made sure.
 */
struct sums_area {
	u64 meta_start;
	u64 meta_bytes;
	u64 pos;
	u64 bytes;
};

/** sums_blocks - the entries of BLOCKSUMS, as far as it goes */
void sums_blocks(u8 *image, const struct sums_area *area);

/** sums_sums - what both slots say of the blocks of BLOCKSUMS */
void sums_sums(u8 *image, const struct sums_area *area);

/** sums_super - the checksum of a slot */
void sums_super(u8 *image, int slot);

#endif /* CORRUPT_SUMS_H */
