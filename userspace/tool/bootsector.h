/* SPDX-License-Identifier: GPL-2.0 */
/* The first sector of an image with a boot signature: a master boot record without partitions. */
#ifndef DSFS_BOOTSECTOR_H
#define DSFS_BOOTSECTOR_H

#include "dsfs_platform.h"

#define BOOTSECTOR_BYTES	512

/** bootsector_fill - make the sector */
void bootsector_fill(u8 sector[BOOTSECTOR_BYTES]);

/** bootsector_is - whether a sector is exactly this one */
bool bootsector_is(const u8 sector[BOOTSECTOR_BYTES]);

#endif /* DSFS_BOOTSECTOR_H */
