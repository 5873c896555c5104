// SPDX-License-Identifier: GPL-2.0
/*
 * Messages about an image.  libdsfs prints nothing and returns errors; the
 * texts are made here, so that they are the same in all tools.
 */
#include <fcntl.h>
#include <unistd.h>

#include "imagemsg.h"
#include "io.h"
#include "msg.h"
#include "origin.h"
#include "part.h"
#include "pieces.h"
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
	if (!img->start)
		img->bytes = img->reader->bytes;
	image_load(img);
	return 0;
}

int image_open_fd(struct image *img, int fd, const char *path)
{
	const struct pieces_way way = { .address = path };
	const char *what;
	int ret;

	memset(img, 0, sizeof(*img));
	ret = fd < 0 ? part_open(path, img, &what) : reader_fd(fd, &img->reader, &what);
	if (!ret && fd < 0 && !img->start)
		ret = reader_pieces(&img->reader, &way, &img->expected, &what);
	ret = ret < 0 ? ret : 0;
	return load(img, path, ret, what);
}

int image_open(struct image *img, const char *path)
{
	return image_open_fd(img, -1, path);
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

const char *image_why(const struct dsfs_err *err, int ret)
{
	static __thread char text[256];

	err_text(err, ret, text, sizeof(text));
	return text;
}

int image_generation(struct image *img, u64 generation)
{
	const int ret = image_use_generation(img, generation);

	if (ret == -ENOENT)
		msg_error(img->path, "generation %llu: not in the image", generation);
	else if (ret)
		msg_error(img->path, "generation %llu: on the way there: %s", generation,
			  image_why(&img->older.err, ret));
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

static int read_whole(int fd, char **text, size_t *len)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size > PIECES_TEXT_MAX)
		return -EFBIG;
	*len = st.st_size;
	*text = malloc(*len + 1);
	if (!*text)
		return -ENOMEM;
	return io_pread(fd, *text, *len, 0) == *len ? 0 : -EIO;
}

int list_read_pieces(int dir, const char *name, struct pieces *list)
{
	const int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	size_t len = 0;
	int ret;

	*list = (struct pieces){ };
	if (fd < 0)
		return errno == ENOENT ? -ENOENT : msg_error(name, "%s", msg_why(errno));
	ret = read_whole(fd, &text, &len);
	close(fd);
	if (ret)
		ret = msg_error(name, "%s", msg_why(-ret));
	else if (pieces_parse(text, len, list, err_far()))
		ret = msg_error(name, "%s", err_far());
	free(text);
	return ret;
}

const char *image_slot_why(const struct dsfs_slot *slot)
{
	static __thread char text[256];

	if (slot->ret != -EINVAL)
		return image_why(&slot->err, slot->ret);
	snprintf(text, sizeof(text), "no DSFS superblock: %s %#llx, expected %#llx",
		 slot->err.what, slot->err.value, slot->err.limit);
	return text;
}

/* What begins a file that is taken for an image, by its name or in a wrong order of arguments */
static const struct {
	unsigned int at;
	unsigned int len;
	const char *magic;
	const char *what;
} others[] = {
	{ 257, 5, "ustar", "a tar archive: mkfs.dsfs --tar=FILE packs it" },
	{ 0, strlen(PIECES_BEGIN), PIECES_BEGIN,
	  "a list of pieces, where an image is expected" },
	{ 0, 2, "\x1f\x8b", "a file of gzip" },
	{ 0, 4, "\x28\xb5\x2f\xfd", "a file of zstd" },
	{ 0, 4, "PK\x03\x04", "a file of zip" },
	{ 0, 4, "hsqs", "an image of squashfs" },
	{ 1024, 4, "\xe2\xe1\xf5\xe0", "an image of EROFS" },
	{ 1080, 2, "\x53\xef", "an image of ext4" },
};

static const char *other_kind(const struct image *img)
{
	char head[1088] = "";

	if (!img->bytes)
		return "an empty file";
	if (image_pread(img, head, img->bytes < sizeof(head) ? img->bytes : sizeof(head), 0))
		return NULL;
	for (unsigned int i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!memcmp(head + others[i].at, others[i].magic, others[i].len))
			return others[i].what;
	return NULL;
}

static void say_foreign(const struct image *img)
{
	const char *kind = other_kind(img);

	msg_error(img->path, "not a DSFS image%s%s", kind ? ": " : "", kind ?: "");
}

int image_report_slots(const struct image *img)
{
	int i, bad = 0;

	if (image_is_foreign(img)) {
		say_foreign(img);
		return DSFS_SB_SLOTS;
	}
	if (image_is_short(img)) {
		msg_error(img->path, "%s", image_why(&img->slots[0].err, img->slots[0].ret));
		return DSFS_SB_SLOTS;
	}
	for (i = 0; i < DSFS_SB_SLOTS; i++) {
		const struct dsfs_slot *slot = &img->slots[i];

		if (slot->ret) {
			msg_error(img->path, "superblock slot %d: %s", i, image_slot_why(slot));
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
		msg_error(img->path, "%s", image_why(&img->err, img->ret));
		bad++;
	}
	return bad;
}
