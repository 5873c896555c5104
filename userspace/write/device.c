// SPDX-License-Identifier: GPL-2.0
/*
 * The object size of the store below a device.  A read of RBD that crosses from
 * one object into the next is two operations, often on two disks.
 *
 * krbd accepts requests up to a set of objects, which is the largest part of the image that the
 * store keeps together.  Its optimal_io_size has that value on some kernels only.  Of other
 * devices, optimal_io_size is such a size, for example a stripe of a RAID.  A small one is ignored,
 * because aligning to it would waste much space.
 */
#include <unistd.h>

#include "output.h"
#include "parse.h"

#define STRIPE_MIN	(1024 * 1024)

/* Read a number from a file below @dir; 0: none. */
static u64 read_number(const char *dir, const char *name)
{
	unsigned long long v = 0;
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%.3000s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%llu", &v) != 1)
		v = 0;
	fclose(f);
	return v;
}

unsigned int device_object_bits(const char *dir)
{
	const char *slash = strrchr(dir, '/');
	const char *name = slash ? slash + 1 : dir;
	u64 bytes;

	/* a partition has no queue, and may begin anywhere in an object */
	if (!strncmp(name, "rbd", 3)) {
		bytes = read_number(dir, "queue/max_hw_sectors_kb") * 1024;
	} else {
		bytes = read_number(dir, "queue/optimal_io_size");
		if (bytes < STRIPE_MIN)
			return 0;
	}
	if (!bytes || bytes & (bytes - 1) || bytes < 1ULL << DSFS_OBJECT_BITS_MIN ||
	    bytes > 1ULL << DSFS_OBJECT_BITS_MAX)
		return 0;
	return __builtin_ctzll(bytes);
}
