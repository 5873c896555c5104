// SPDX-License-Identifier: GPL-2.0
/*
 * What the image says before it is mounted, and the generation that a device shows already.
 * All mounts of a device share one super block, which shows one generation.
 * Another generation needs another device, so the generation of existing mounts
 * is checked before a device is shared.
 */
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mount.h"
#include "parse.h"

bool image_look(const char *path, const struct mount_opts *o, struct image *img)
{
	const u64 first = o->offset & ~(u64)4095, end = o->offset + DSFS_SB_POS(DSFS_SB_SLOTS);
	const char *what;

	*img = (struct image){ .path = path };
	if (reader_file(path, &img->reader, &what))
		return false;
	img->start = o->offset < img->reader->bytes ? o->offset : img->reader->bytes;
	img->bytes = img->reader->bytes - img->start;
	/* The cache of a device may be older than what another node wrote. */
	img->reader->ops->drop(img->reader, first, end - first);
	image_load(img);
	img->reader->ops->drop(img->reader, first, end - first);
	image_close(img);
	return true;
}

u64 generation_wanted(const struct image *img, const struct mount_opts *o)
{
	/* an invalid image is reported by the kernel */
	return o->generation || img->ret || !img->geo ? o->generation : img->geo->generation;
}

u64 generation_mounted(dev_t dev)
{
	char path[64], target[256], text[32];
	const char *name;
	u64 generation = 0;
	ssize_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return 0;
	target[len] = '\0';
	name = strrchr(target, '/');
	snprintf(path, sizeof(path), "/sys/fs/dsfs/%.32s/generation", name ? name + 1 : target);
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
