/* SPDX-License-Identifier: GPL-2.0 */
/* Names of regions, as format.rst and the tools write them. */
#ifndef DSFS_REGION_H
#define DSFS_REGION_H

#include "format.h"

/** region_name - "inodes", or "unknown" */
const char *region_name(unsigned int id);
/** region_record - bytes of a record; 1 for regions without a fixed size */
unsigned int region_record(unsigned int id);

#endif /* DSFS_REGION_H */
