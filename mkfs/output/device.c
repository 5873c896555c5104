// SPDX-License-Identifier: GPL-2.0
/*
 * What the device says of the store below it.  A read of RBD that crosses from
 * one object into the next is two operations, often of two disks.
 *
 * krbd takes requests up to a set of objects: that is the largest piece of the
 * image that is kept together.  Its optimal_io_size is that on some kernels only.  Of
 * other devices optimal_io_size says what is kept together: a stripe of a RAID,
 * say.  A small one is left alone, as keeping to it would waste much room.
 */
#include <stdio.h>
#include <unistd.h>

#include "../options.h"
#include "output.h"
#include "parse.h"

#define STRIPE_MIN	(1024 * 1024)

/* A number in a file below @dir; 0: none. */
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

	/* A partition has no queue: it may begin anywhere in an object. */
	if (!strncmp(name, "rbd", 3)) {
		bytes = read_number(dir, "queue/max_hw_sectors_kb") * 1024;
	} else {
		bytes = read_number(dir, "queue/optimal_io_size");
		if (bytes < STRIPE_MIN)
			return 0;
	}
	if (!bytes || bytes & (bytes - 1) ||
	    bytes < 1ULL << DSFS_OBJECT_BITS_MIN ||
	    bytes > 1ULL << DSFS_OBJECT_BITS_MAX)
		return 0;
	return __builtin_ctzll(bytes);
}
