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

int image_open_part(const char *path, const struct mount_opts *o, struct image *img)
{
	const u64 first = o->offset & ~(u64)4095, end = o->offset + DSFS_SB_POS(DSFS_SB_SLOTS);
	const char *what;
	int ret;

	*img = (struct image){ .path = path };
	ret = reader_file(path, &img->reader, &what);
	if (ret)
		return ret;
	img->start = o->offset < img->reader->bytes ? o->offset : img->reader->bytes;
	img->bytes = img->reader->bytes - img->start;
	/* The cache of a device may be older than what another node wrote. */
	img->reader->ops->drop(img->reader, first, end - first);
	image_load(img);
	img->reader->ops->drop(img->reader, first, end - first);
	return 0;
}

bool image_look(const char *path, const struct mount_opts *o, struct image *img)
{
	if (image_open_part(path, o, img))
		return false;
	image_close(img);
	return true;
}

u64 generation_wanted(const struct image *img, const struct mount_opts *o)
{
	/* an invalid image is reported by the kernel */
	return o->generation || img->ret || !img->geo ? o->generation : img->geo->generation;
}

int device_name(dev_t dev, char *name, size_t size)
{
	char path[64], target[256];
	const char *last;
	ssize_t len;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return -1;
	target[len] = '\0';
	last = strrchr(target, '/');
	snprintf(name, size, "%s", last ? last + 1 : target);
	return 0;
}

u64 generation_mounted(dev_t dev)
{
	char path[64], name[33], text[32];
	u64 generation = 0;
	FILE *f;

	if (device_name(dev, name, sizeof(name)))
		return 0;
	snprintf(path, sizeof(path), "/sys/fs/dsfs/%s/generation", name);
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
