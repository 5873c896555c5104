// SPDX-License-Identifier: GPL-2.0
/*
 * Names of regions.
 */
#include "region.h"

static const struct {
	const char *name;
	unsigned int record;
} table[DSFS_REGIONS_USED] = {
	[DSFS_REGION_BLOCKSUMS]	= { "blocksums", sizeof(__le32) },
	[DSFS_REGION_INODES]	= { "inodes", sizeof(struct dsfs_inode) },
	[DSFS_REGION_DIRS]	= { "dirs", sizeof(struct dsfs_dir) },
	[DSFS_REGION_NAMES]	= { "names", 1 },
	[DSFS_REGION_INDEX]	= { "index", sizeof(struct dsfs_bucket) },
	[DSFS_REGION_OWNERS]	= { "owners", sizeof(struct dsfs_owner) },
	[DSFS_REGION_EXTRAS]	= { "extras", sizeof(struct dsfs_extra) },
	[DSFS_REGION_SYMLINKS]	= { "symlinks", 1 },
	[DSFS_REGION_XATTRS]	= { "xattrs", sizeof(__le32) },
	[DSFS_REGION_EXTENTS]	= { "extents", sizeof(struct dsfs_extent_record) },
	[DSFS_REGION_FILESUMS]	= { "filesums", sizeof(__le32) },
	[DSFS_REGION_CHUNKSUMS]	= { "chunksums", sizeof(__le32) },
	[DSFS_REGION_HISTORY]	= { "history", 1 },
};

const char *region_name(unsigned int id)
{
	return id < DSFS_REGIONS_USED ? table[id].name : "unknown";
}

unsigned int region_record(unsigned int id)
{
	return id < DSFS_REGIONS_USED ? table[id].record : 1;
}
