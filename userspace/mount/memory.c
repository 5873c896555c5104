// SPDX-License-Identifier: GPL-2.0
/*
 * What of the metadata a mount will have in memory, said before it is mounted: the sizes of the
 * regions are in the superblock.  The kernel goes on with less where that is not free, and
 * says so.
 */
#include <argz.h>
#include <stdio.h>

#include "mount.h"
#include "msg.h"
#include "parse.h"

/* Those of whole blocks */
static u64 blocks(u64 bytes)
{
	return bytes & ~(u64)(DSFS_BLOCK_SIZE - 1);
}

static u64 region(const struct dsfs_geo *geo, unsigned int id)
{
	return blocks(geo->regions[id].bytes + DSFS_BLOCK_SIZE - 1);
}

/* Bytes that meta= allows; the kernel reports one that is wrong. */
static u64 budget(const struct mount_opts *o)
{
	u64 bytes = UINT64_MAX;

	for (const char *opt = o->fs; opt; opt = argz_next(o->fs, o->fs_len, opt)) {
		if (strncmp(opt, "meta=", 5))
			continue;
		if (!parse_size(opt + 5, &bytes))
			bytes = blocks(bytes);
		else
			bytes = strcmp(opt + 5, "lazy") ? UINT64_MAX : 0;
	}
	return bytes;
}

/* As fs/metaload.c: BLOCKSUMS and NUMBERS in any case, and of the other regions what fits. */
static u64 resident(const struct dsfs_geo *geo, u64 most)
{
	const u64 sums = region(geo, DSFS_REGION_BLOCKSUMS);
	const u64 always = sums + region(geo, DSFS_REGION_NUMBERS);
	u64 bytes = 0;

	if (most >= geo->meta_bytes + sums)
		return geo->meta_bytes + sums;
	for (unsigned int id = 0; id < DSFS_REGIONS_USED; id++)
		bytes += region(geo, id);
	bytes = bytes < most ? bytes : most;
	return bytes > always ? bytes : always;
}

/* KiB that programs can have; 0: unknown */
static u64 available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	unsigned long long kib = 0;

	while (f && !kib && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu", &kib) != 1)
			kib = 0;
	if (f)
		fclose(f);
	return kib;
}

void memory_say(const char *spec, const struct mount_opts *o)
{
	char name[4096];
	struct image img;

	if (image_open_part(spec, o, &img))
		return;
	if (!img.ret && (!o->generation || !image_use_generation(&img, o->generation))) {
		printf("mount.dsfs: %s: ", msg_escape(name, sizeof(name), spec));
		printf("%llu KiB of metadata, %llu KiB of memory for it, %llu KiB are available\n",
		       (unsigned long long)img.geo->meta_bytes >> 10,
		       (unsigned long long)resident(img.geo, budget(o)) >> 10,
		       (unsigned long long)available());
	}
	image_close(&img);
}
