// SPDX-License-Identifier: GPL-2.0
/*
 * What of the metadata a mount will have in memory, said before it is mounted: the sizes of the
 * regions are in the superblock.  The kernel goes on with less where that is not free, and
 * says so.  And on which NUMA nodes that memory is.
 */
#include <argz.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/*
 * The kernel allocates the metadata of a mount on behalf of the task that mounts, by the NUMA
 * policy of that.  Lookups come from all nodes, and gigabytes on one node would leave it short of
 * memory, so the memory is spread.  A policy that the caller set, such as by numactl(8), stays.
 */

#define BITS		(8 * sizeof(unsigned long))

/* As many as a kernel can be built for */
#define NODES		1024

/* Nodes without processors have slow memory, behind CXL or on an accelerator. */
static void add_nodes_with_cpus(unsigned long *nodes)
{
	char list[4096], *p = list;
	FILE *f = fopen("/sys/devices/system/node/has_cpu", "re");
	unsigned long node, last;

	if (!f)
		return;
	if (!fgets(list, sizeof(list), f))
		*list = '\0';
	fclose(f);
	/* such as "0-3,8" */
	while (*p >= '0' && *p <= '9') {
		node = strtoul(p, &p, 10);
		last = *p == '-' ? strtoul(p + 1, &p, 10) : node;
		for (; node <= last && node < NODES; node++)
			nodes[node / BITS] |= 1UL << node % BITS;
		p += *p == ',';
	}
}

void nodes_spread(void)
{
	unsigned long allowed[NODES / BITS] = { 0 }, nodes[NODES / BITS] = { 0 };
	int policy = 0;

	if (syscall(SYS_get_mempolicy, &policy, NULL, 0UL, NULL, 0UL) ||
	    policy != MPOL_DEFAULT ||
	    syscall(SYS_get_mempolicy, NULL, allowed, (unsigned long)NODES, NULL,
		    (unsigned long)MPOL_F_MEMS_ALLOWED))
		return;
	add_nodes_with_cpus(nodes);
	for (size_t i = 0; i < NODES / BITS; i++)
		nodes[i] &= allowed[i];
	/* fails without harm: for no nodes, or in a sandbox */
	syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, nodes, (unsigned long)NODES + 1);
}
