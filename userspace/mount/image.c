// SPDX-License-Identifier: GPL-2.0
/*
 * What the image says before it is mounted, and the generation that a device shows already.
 * All mounts of a device share one super block, which shows one generation.
 * Another generation needs another device, so the generation of existing mounts
 * is checked before a device is shared.
 */
#include <argz.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mount.h"
#include "msg.h"
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

static int device_name(dev_t dev, char *name, size_t size)
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
	snprintf(name, size, "%.*s", (int)size - 1, last ? last + 1 : target);
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

/*
 * Option digest=: the image is asked for the digest that it keeps before it is mounted.  The
 * kernel never sees the option; of a kernel alone (mount -i) it is refused as unknown.  A remount
 * changes no image, so what is compared then is what is mounted.
 */

/* Return: 0, or -1 after a message about @spec. */
static int compare(const char *spec, struct image *img, const struct mount_opts *o)
{
	char text[EXPECTED_TEXT] = "digest: the superblock cannot be used";
	int ret = img->ret;

	if (!ret && o->generation) {
		snprintf(text, sizeof(text), "digest: generation %llu", o->generation);
		ret = image_use_generation(img, o->generation);
	}
	if (!ret) {
		/* as for superblocks: what is cached may be older */
		image_drop(img, img->geo->meta_start, img->geo->meta_bytes);
		ret = expected_check(img, NULL, &o->digest, text);
	}
	if (ret)
		msg_error(spec, "%s: %s", text, msg_why(-ret));
	return ret ? -1 : 0;
}

/* The generation that was looked at is the one to mount, whatever comes meanwhile. */
static int pin(const struct image *img, struct mount_opts *o)
{
	char option[32];

	if (o->generation)
		return 0;
	o->generation = img->geo->generation;
	snprintf(option, sizeof(option), "generation=%llu", o->generation);
	return argz_add(&o->fs, &o->fs_len, option) ? no_memory() : 0;
}

int digest_check(const char *path, struct mount_opts *o)
{
	struct image img;
	int ret;

	if (!o->digest.any)
		return 0;
	if (image_open_part(path, o, &img))
		return msg_error(path, "digest: the image cannot be read");
	ret = compare(path, &img, o) ?: pin(&img, o);
	image_close(&img);
	return ret;
}

int device_path(dev_t dev, char *path, size_t size)
{
	char name[64];

	if (device_name(dev, name, sizeof(name)))
		return -1;
	for (char *slash = name; (slash = strchr(slash, '!')); )
		*slash = '/';
	snprintf(path, size, "/dev/%s", name);
	return 0;
}

int digest_check_mounted(const char *dir, const struct mount_opts *o)
{
	struct mount_opts now = { .digest = o->digest };
	char device[80];
	struct image img;
	struct stat st;
	int ret;

	if (!o->digest.any)
		return 0;
	if (stat(dir, &st))
		return msg_error(dir, "mount point: %s", msg_why(errno));
	now.generation = generation_mounted(st.st_dev);
	if (!now.generation || device_path(st.st_dev, device, sizeof(device)) ||
	    image_open_part(device, &now, &img))
		return msg_error(dir, "digest: the image that is mounted cannot be read");
	ret = compare(dir, &img, &now);
	image_close(&img);
	return ret;
}
