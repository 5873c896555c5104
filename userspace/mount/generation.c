// SPDX-License-Identifier: GPL-2.0
/*
 * The generation that a mount selects, and the one that a device shows already.
 * All mounts of a device share one super block, which shows one generation.
 * Another generation needs another device, so the generation of existing mounts
 * is checked before a device is shared.
 */
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "internal.h"
#include "mount.h"
#include "parse.h"

u64 generation_wanted(int fd, const struct mount_opts *o)
{
	struct image img = { .fd = fd, .start = o->offset };
	const char *what;

	if (o->generation)
		return o->generation;
	if (image_io_length(&img, &what) || o->offset > img.bytes)
		return 0;
	img.bytes -= o->offset;
	image_load(&img);
	/* an invalid image is reported by the kernel */
	return img.ret ? 0 : img.geo->generation;
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
