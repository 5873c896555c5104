// SPDX-License-Identifier: GPL-2.0
/*
 * A generation of an image that lies in pieces beside its list.  Pieces are never changed, so what
 * would be written behind the end of the image goes to a file without a name, and the superblocks
 * into memory.  When all is there it is cut as dsfs pieces cuts, and the list is replaced last:
 * until then the old one is whole, and a run that is cut off leaves pieces that no list names.
 */
#include <unistd.h>

#include "export.h"
#include "imagemsg.h"
#include "io.h"
#include "msg.h"
#include "output.h"
#include "pieces.h"

/**
 * struct list_target - such an image
 * @lock: the list, which is open and locked
 * @img: the image of before
 * @r: reader of the image with what was written behind it, to @out
 * @head: its superblocks
 */
struct list_target {
	int lock;
	struct image img;
	struct dsfs_reader r;
	const struct output *out;
	char head[DSFS_DATA_START_MIN];
};

bool listed_is(int fd)
{
	char head[sizeof(PIECES_BEGIN) - 1];

	return io_pread(fd, head, sizeof(head), 0) == sizeof(head) &&
	       !memcmp(head, PIECES_BEGIN, sizeof(head));
}

/* Whether it is cut so that the first piece alone has what a generation changes */
static int check_list(struct list_target *l, const char *path)
{
	const struct image *img = &l->img;
	const char *text, *end = strrchr(path, '.');
	size_t len;
	const struct pieces *list = reader_list(img->reader, &text, &len);

	if (!end || strcmp(end, PIECES_SUFFIX))
		return msg_fail(-EINVAL, path, "its name does not end with %s", PIECES_SUFFIX);
	if (!list || !img->geo || list->v[0].bytes != sizeof(l->head) ||
	    img->geo->image_bytes != list->bytes)
		return msg_fail(-EINVAL, path,
				"not as dsfs pieces makes a list, which can make another one of it");
	return image_pread(img, l->head, sizeof(l->head), 0) ?
	       msg_fail(-EIO, path, "cannot read its superblocks") : 0;
}

int listed_open(struct output *out)
{
	struct list_target *l = calloc(1, sizeof(*l));
	int ret;

	if (!l)
		return no_memory();
	l->lock = out->fd;
	out->fd = -1;
	out->listed = l;
	out->guard = NULL;
	ret = image_open(&l->img, out->path);
	if (ret)
		l->img.reader = NULL;
	ret = ret ?: check_list(l, out->path);
	if (ret)
		return ret;
	out->length = l->img.bytes;
	out->zeros = l->img.bytes;
	out->at = -l->img.bytes;
	return 0;
}

void listed_free(struct output *out)
{
	struct list_target *l = out->listed;

	if (!l)
		return;
	if (l->img.reader)
		image_close(&l->img);
	close(l->lock);
	free(l);
}

int listed_pread(const struct output *out, char *p, size_t bytes, u64 pos)
{
	const int ret = image_pread(&out->listed->img, p, bytes, pos);

	return ret ? msg_fail(ret, out->path, "bytes from %llu on: %s", pos, err_why(ret)) : 0;
}

/* Read from one of the three places that have bytes.  Return: how many; 0: it failed. */
static size_t read_some(const struct list_target *l, char *p, size_t len, u64 pos)
{
	const u64 end = pos < sizeof(l->head) ? sizeof(l->head) : l->img.bytes;

	if (pos >= l->img.bytes)
		return io_pread(l->out->fd, p, len, l->out->at + pos);
	if (len > end - pos)
		len = end - pos;
	if (pos < sizeof(l->head))
		memcpy(p, l->head + pos, len);
	else if (image_pread(&l->img, p, len, pos))
		return 0;
	return len;
}

static int joined_read(struct dsfs_reader *r, const struct iovec *iov, int n, size_t len, u64 pos,
		       unsigned int flags)
{
	const struct list_target *l = container_of(r, struct list_target, r);
	size_t some;

	for (int i = 0; i < n; i++) {
		for (size_t at = 0; at < iov[i].iov_len; at += some, pos += some) {
			some = read_some(l, (char *)iov[i].iov_base + at, iov[i].iov_len - at, pos);
			if (!some)
				return -EIO;
		}
	}
	return 0;
}

static const struct dsfs_reader_ops ops = { .read = joined_read };

static int put(struct list_target *l, const char *dir, const char *path)
{
	const struct pieces_request r = {
		.dir = dir, .name = l->out->list_name, .of = path + strlen(dir),
		.size = PIECES_SIZE, .jobs = PIECES_JOBS, .last = signals_ignore,
	};
	struct errors errors = { 0 };
	struct view v = {
		.errors = &errors,
		.img = { .path = path, .reader = &l->r, .bytes = l->r.bytes },
	};

	image_load(&v.img);
	return v.img.geo && !export_generation(&v, &r) ? 0 : -EIO;
}

int listed_commit(struct output *out, const struct dsfs_super *super)
{
	struct list_target *l = out->listed;
	char *dir = strndup(out->path, strrchr(out->path, '/') + 1 - out->path);
	int ret;

	for (unsigned int i = 0; i < DSFS_SB_SLOTS; i++)
		memcpy(l->head + DSFS_SB_POS(i), super, DSFS_SB_SIZE);
	l->r = (struct dsfs_reader){ .ops = &ops, .bytes = le64_to_cpu(super->image_bytes) };
	l->out = out;
	ret = dir ? put(l, dir, out->path) : no_memory();
	free(dir);
	return ret;
}
