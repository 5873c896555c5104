// SPDX-License-Identifier: GPL-2.0
/*
 * Names of regions.
 */
#include "region.h"

static const char * const names[DSFS_REGIONS_USED] = {
	[DSFS_REGION_BLOCKSUMS]	= "blocksums",
	[DSFS_REGION_INODES]	= "inodes",
	[DSFS_REGION_DIRS]	= "dirs",
	[DSFS_REGION_NAMES]	= "names",
	[DSFS_REGION_INDEX]	= "index",
	[DSFS_REGION_OWNERS]	= "owners",
	[DSFS_REGION_EXTRAS]	= "extras",
	[DSFS_REGION_SYMLINKS]	= "symlinks",
	[DSFS_REGION_XATTRS]	= "xattrs",
	[DSFS_REGION_EXTENTS]	= "extents",
	[DSFS_REGION_FILESUMS]	= "filesums",
	[DSFS_REGION_CHUNKSUMS]	= "chunksums",
	[DSFS_REGION_HISTORY]	= "history",
};

const char *region_name(unsigned int id)
{
	return id < DSFS_REGIONS_USED ? names[id] : "unknown";
}

unsigned int region_record(unsigned int id)
{
	return id < DSFS_REGIONS_USED ? dsfs_record_bytes[id] : 1;
}
