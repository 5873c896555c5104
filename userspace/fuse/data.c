// SPDX-License-Identifier: GPL-2.0
/*
 * Contents of files.  A file that the kernel asks for as a whole is read and forgotten; one
 * that it asks for in pieces is read as a whole and held (held.c), unless it is larger than
 * wholefile=.  What needs no check against checksums goes from the image's page cache to
 * the kernel without a copy of ours.
 */
#include <unistd.h>

#include "held.h"
#include "image.h"

/* Get the only extent of a file, if it holds @len bytes at @pos as they are; else NULL. */
static const struct dsfs_extent *only_extent(const struct dsfs_file *file, u64 pos, u64 len)
{
	const struct dsfs_extent *e;
	size_t n;

	e = dsfs_file_extents(file, &n);
	if (n != 1 || e->flags & DSFS_EXTENT_ENCODED)
		return NULL;
	return pos >= e->logical && pos + len <= e->logical + e->length ? e : NULL;
}

/*
 * Whether these bytes of the image are not read again, because the kernel keeps them.  A part
 * of a chunk is read again: the rest can be checked only with it.
 */
static bool is_final(const struct fuse_fs *fs, const struct dsfs_file *file, u64 pos, u64 len)
{
	const u64 mask = (fs->info.chunk_bytes ? fs->info.chunk_bytes : 4096) - 1;

	return !(pos & mask) && (!((pos + len) & mask) || pos + len == dsfs_file_size(file));
}

/*
 * Answer from the page cache without a copy, if the image is in it or is to stay in it.  Pages
 * that were handed to the kernel are not dropped here: it may have taken the pages themselves.
 */
static bool reply_spliced(fuse_req_t req, const struct fuse_fs *fs,
			  const struct dsfs_file *file, u64 pos, u64 len)
{
	const struct image *img = image_of(fs->image);
	const struct dsfs_extent *e = only_extent(file, pos, len);
	struct fuse_bufvec v = FUSE_BUFVEC_INIT(len);
	u64 at;

	if (!e || fs->fd < 0)
		return false;
	at = e->physical + (pos - e->logical);
	if (!fs->opt.keep_image && !image_has(img, at))
		return false;
	v.buf[0].flags = FUSE_BUF_IS_FD | FUSE_BUF_FD_SEEK;
	v.buf[0].fd = fs->fd;
	v.buf[0].pos = img->start + at;
	fuse_reply_data(req, &v, fs->opt.keep_image ? 0 : FUSE_BUF_SPLICE_MOVE);
	if (!fs->opt.keep_image && is_final(fs, file, pos, len))
		image_drop(img, at, len);
	return true;
}

/* Find and report the unreadable bytes of a range, after a read of it failed. */
static void report_range(const struct fuse_fs *fs, u64 ino, const struct dsfs_file *file,
			 u8 *buf, u64 pos, u64 len)
{
	const u64 unit = fs->info.chunk_bytes ? fs->info.chunk_bytes : 4096;
	const u64 end = pos + len;
	struct dsfs_error error;
	u64 n;

	for (; pos < end; pos += n) {
		n = unit - pos % unit;
		if (n > end - pos)
			n = end - pos;
		if (dsfs_pread(file, buf, n, pos, &error) < 0)
			report_once(ino, pos - pos % unit, n + pos % unit, &error);
	}
}

/* Answer with @len bytes at @pos, which lie in the file. */
static void reply_piece(fuse_req_t req, u64 ino, const struct dsfs_file *file, u64 pos, u64 len)
{
	const struct fuse_fs *fs = fs_of(req);
	struct dsfs_error error;
	ssize_t n;
	u8 *buf;

	if (!fs->opt.check && reply_spliced(req, fs, file, pos, len))
		return;
	buf = buffer_get(len);
	if (!buf) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	n = file_pread(file, is_final(fs, file, pos, len) ? READ_ONCE : 0, buf, len, pos, &error);
	if (n == -EREMOTEIO) {
		report_once(ino, pos, len, &error);
		fuse_reply_err(req, EREMOTEIO);
	} else if (n == -EINTR) {
		fuse_reply_err(req, EINTR);
	} else if (n < 0) {
		report_range(fs, ino, file, buf, pos, len);
		fuse_reply_err(req, -n);
	} else {
		fuse_reply_buf(req, (char *)buf, n);
	}
	free(buf);
}

/* Answer a request from the memory of a held file, or without it by a read of these bytes. */
static void answer(const struct fuse_fs *fs, u64 ino, struct held *h, const struct held_wait *w)
{
	const u8 *data = held_data(h);

	if (data)
		fuse_reply_buf(w->req, (const char *)data + w->pos, w->len);
	else
		reply_piece(w->req, ino, held_file(h), w->pos, w->len);
	held_put(fs->held, h, data ? w->len : 0);
}

/* Answer with @len bytes at @pos, which lie in the file, by reading it as a whole. */
static void reply_whole(fuse_req_t req, u64 ino, struct held *h, u64 pos, u64 len)
{
	const struct fuse_fs *fs = fs_of(req);
	struct held_wait *w = malloc(sizeof(*w)), *next;

	if (!w) {
		fuse_reply_err(req, ENOMEM);
		held_put(fs->held, h, 0);
		return;
	}
	*w = (struct held_wait){ .req = req, .pos = pos, .len = len };
	for (w = held_read(fs->held, h, w); w; w = next) {
		next = w->next;
		answer(fs, ino, h, w);
		free(w);
	}
}

static void reply_held(fuse_req_t req, u64 ino, struct held *h, u64 pos, u64 len)
{
	const struct fuse_fs *fs = fs_of(req);
	const u64 size = dsfs_file_size(held_file(h));

	if (len > size - pos)
		len = size - pos;
	if (pos < size && size <= fs->opt.wholefile) {
		reply_whole(req, ino, h, pos, len);
		return;
	}
	if (pos < size)
		reply_piece(req, ino, held_file(h), pos, len);
	else
		fuse_reply_buf(req, NULL, 0);
	held_put(fs->held, h, 0);
}

/* Open a file.  NULL: the request was answered. */
static struct dsfs_file *open_file(fuse_req_t req, u64 ino)
{
	const struct fuse_fs *fs = fs_of(req);
	struct dsfs_file *file;
	struct dsfs_error error;
	int ret = dsfs_file_open(fs->image, ino, fs->opt.check ? 0 : DSFS_UNCHECKED, &file, &error);

	if (!ret)
		return file;
	reply_failed(req, ino, ret, &error);
	return NULL;
}

void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	const struct fuse_fs *fs = fs_of(req);
	struct held *h = held_find(fs->held, ino);
	struct dsfs_file *file;

	if (!h) {
		file = open_file(req, ino);
		if (!file)
			return;
		if (!off && dsfs_file_size(file) <= size) {
			reply_piece(req, ino, file, 0, dsfs_file_size(file));
			dsfs_file_close(file);
			return;
		}
		h = held_add(fs->held, ino, file);
	}
	if (h)
		reply_held(req, ino, h, off, size);
	else
		fuse_reply_err(req, ENOMEM);
}

/* The first byte at @pos or behind it that is data, or is in a hole; the end is a hole. */
static u64 seek(const struct dsfs_file *file, u64 pos, bool data)
{
	size_t n, i = file_extent_at(file, pos);
	const struct dsfs_extent *e = dsfs_file_extents(file, &n);

	if (data && i == n)
		return dsfs_file_size(file);
	if (data)
		return e[i].logical > pos ? e[i].logical : pos;
	for (; i < n && e[i].logical <= pos; i++)
		pos = e[i].logical + e[i].length;
	return pos;
}

/* Who looks for holes does so from extent to extent, so the file is held. */
void op_lseek(fuse_req_t req, fuse_ino_t ino, off_t off, int whence, struct fuse_file_info *fi)
{
	const struct fuse_fs *fs = fs_of(req);
	struct dsfs_file *file;
	struct held *h;
	u64 size, pos;

	if (whence != SEEK_DATA && whence != SEEK_HOLE) {
		fuse_reply_err(req, EINVAL);
		return;
	}
	h = held_find(fs->held, ino);
	if (!h) {
		file = open_file(req, ino);
		if (!file)
			return;
		h = held_add(fs->held, ino, file);
	}
	if (!h) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	size = dsfs_file_size(held_file(h));
	pos = off < 0 || off >= size ? size : seek(held_file(h), off, whence == SEEK_DATA);
	held_put(fs->held, h, 0);
	if (off < 0 || off >= size || (whence == SEEK_DATA && pos == size))
		fuse_reply_err(req, ENXIO);
	else
		fuse_reply_lseek(req, pos);
}
