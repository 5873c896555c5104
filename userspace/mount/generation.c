// SPDX-License-Identifier: GPL-2.0
/*
 * Which generation a mount is to show, and which one a device shows already.
 *
 * All mounts of a device share one super block, which shows one generation.  Who
 * wants another one needs another device; so before a device is shared it has to be
 * known what is mounted there.
 */
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mount.h"
#include "parse.h"

u64 generation_wanted(int fd, const struct mount_opts *o)
{
	struct dsfs_slot slots[DSFS_SB_SLOTS];
	struct dsfs_err err;
	int use, i;

	if (o->generation)
		return o->generation;
	memset(slots, 0, sizeof(slots));
	for (i = 0; i < DSFS_SB_SLOTS; i++) {
		slots[i].ret = -EIO;
		if (pread(fd, &slots[i].raw, sizeof(slots[i].raw),
			  o->offset + DSFS_SB_POS(i)) == sizeof(slots[i].raw))
			slots[i].ret = dsfs_super_decode(&slots[i].raw, 0,
							 &slots[i].geo,
							 &slots[i].err);
	}
	/* What is wrong with it is the kernel's to say. */
	return dsfs_super_choose(slots, &use, &err) ? 0 :
	       slots[use].geo.generation;
}

u64 generation_mounted(dev_t dev)
{
	char path[64], target[256], text[32];
	const char *name;
	u64 generation = 0;
	ssize_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(dev),
		 minor(dev));
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return 0;
	target[len] = '\0';
	name = strrchr(target, '/');
	snprintf(path, sizeof(path), "/sys/fs/dsfs/%.32s/generation",
		 name ? name + 1 : target);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = '\0';
		if (parse_u64(text, &generation))
			generation = 0;
	}
	fclose(f);
	return generation;
}
