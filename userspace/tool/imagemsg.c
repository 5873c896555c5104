// SPDX-License-Identifier: GPL-2.0
/*
 * Messages about an image.  libdsfs prints nothing and returns errors; the
 * texts are made here, so that they are the same in all tools.
 */
#include <stdio.h>
#include <unistd.h>

#include "imagemsg.h"
#include "msg.h"
#include "origin.h"
#include "stop.h"

/* Bytes of an address in a message */
#define NAME_SHOWN	256

/* Judge the slots of an image.  @ret, @what: the error of opening its reader */
static int load(struct image *img, const char *path, int ret, const char *what)
{
	if (ret == -ENOTBLK)
		msg_error(path, "%s", what);
	else if (ret)
		msg_error(path, "%s: %s", what, msg_why(-ret));
	if (ret)
		return ret;
	img->path = img->reader->name ? img->reader->name : path;
	if (img->reader->warning)
		msg_warn(img->path, "%s", img->reader->warning);
	img->bytes = img->reader->bytes;
	image_load(img);
	return 0;
}

int image_open(struct image *img, const char *path)
{
	const char *what;
	int ret;

	memset(img, 0, sizeof(*img));
	ret = reader_file(path, &img->reader, &what);
	return load(img, path, ret, what);
}

int image_open_fd(struct image *img, int fd, const char *path)
{
	const char *what;
	int ret;

	memset(img, 0, sizeof(*img));
	ret = reader_fd(fd, &img->reader, &what);
	return load(img, path, ret, what);
}

static void say_again(const char *address, const char *why)
{
	msg_warn(address, "%s: it is asked again", why);
}

void image_tell_waits(void)
{
	if (isatty(STDERR_FILENO))
		origin_tell(say_again);
}

int image_open_at(struct image *img, const char *address, const char *source)
{
	char name[NAME_SHOWN];
	const char *what;
	int ret;

	memset(img, 0, sizeof(*img));
	image_tell_waits();
	ret = origin_open(address, source, img, &what);
	if (!ret)
		img->reader->stop = stop_asked;
	return load(img, origin_name(address, name, sizeof(name)), ret, what);
}

int image_generation(struct image *img, u64 generation)
{
	int ret = image_use_generation(img, generation);
	char text[256];

	if (ret == -ENOENT) {
		msg_error(img->path, "generation %llu: not in the image", generation);
	} else if (ret) {
		err_text(&img->older.err, ret, text, sizeof(text));
		msg_error(img->path, "generation %llu: on the way there: %s", generation, text);
	}
	return ret;
}

int image_as_expected(const struct image *img, struct dsfs_source *src)
{
	char text[EXPECTED_TEXT] = "digest: there is no superblock";
	int ret = img->expected.any ? -EMEDIUMTYPE : 0;

	if (img->geo)
		ret = expected_check(img, src, &img->expected, text);
	if (ret)
		msg_error(img->path, "%s: %s", text, msg_why(-ret));
	return ret;
}

void image_slot_text(const struct dsfs_slot *slot, char *buf, size_t size)
{
	if (slot->ret == -EINVAL)
		snprintf(buf, size, "no DSFS superblock: %s %#llx, expected %#llx",
			 slot->err.what, slot->err.value, slot->err.limit);
	else
		err_text(&slot->err, slot->ret, buf, size);
}

int image_report_slots(const struct image *img)
{
	char text[256];
	int i, bad = 0;

	if (image_is_foreign(img)) {
		msg_error(img->path, "not a DSFS image");
		return DSFS_SB_SLOTS;
	}
	if (image_is_short(img)) {
		err_text(&img->slots[0].err, img->slots[0].ret, text, sizeof(text));
		msg_error(img->path, "%s", text);
		return DSFS_SB_SLOTS;
	}
	for (i = 0; i < DSFS_SB_SLOTS; i++) {
		const struct dsfs_slot *slot = &img->slots[i];

		if (slot->ret) {
			image_slot_text(slot, text, sizeof(text));
			msg_error(img->path, "superblock slot %d: %s", i, text);
			bad++;
		} else if (slot->geo.generation < img->geo->generation) {
			msg_error(img->path,
				  "superblock slot %d: generation %llu, the other has %llu", i,
				  slot->geo.generation, img->geo->generation);
			bad++;
		}
	}
	if (!img->geo) {
		msg_error(img->path, "no valid superblock");
	} else if (img->ret && !bad) {
		err_text(&img->err, img->ret, text, sizeof(text));
		msg_error(img->path, "%s", text);
		bad++;
	}
	return bad;
}
