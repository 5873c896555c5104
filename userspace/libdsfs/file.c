// SPDX-License-Identifier: GPL-2.0
/*
 * Regular files.  The inode and its extents are decoded when a file is opened; a read only
 * looks extents up, so it allocates nothing unless chunks are large.
 *
 * The stored bytes of a file are one run in the image, whatever holes it has: what a read
 * wants of several extents is one range of them, brought in by one call and scattered over
 * the buffer.  A checksum covers a whole chunk, so what is missing at the ends of the
 * range is read into memory aside.
 */
#include <stdlib.h>

#include "api.h"

#define WINDOW		1048576	/* read at a time; a multiple of every chunk size */
#define PIECES		32	/* of the buffer, in a window */
#define ASIDE		65536	/* on the stack: twice the chunk size that mkfs takes */

/**
 * struct dsfs_file - an open file
 * @stored: bytes that it stores, from @attr.start on
 * @check: compare data with its checksums
 */
struct dsfs_file {
	struct dsfs_image *image;
	struct dsfs_attr attr;
	u64 stored;
	bool check;
	size_t count;
	struct dsfs_extent extents[];
};

static int add_extents(struct dsfs_file *file, const struct dsfs_ext_info *ext,
		       size_t room, struct dsfs_err *err)
{
	struct dsfs_source *src = file->image->src;
	const struct dsfs_attr *attr = &file->attr;
	struct dsfs_run run;
	u64 pos;
	int ret;

	for (pos = 0; pos < attr->size; pos += run.len) {
		ret = pos ? dsfs_map_next(src, attr, ext, &run, err) :
		      dsfs_map(src, attr, ext, pos, &run, err);
		if (ret)
			return ret;
		if (run.hole)
			continue;
		if (file->count == room)
			return dsfs_bad(err, "segments", file->count + 1, room, -EUCLEAN);
		file->extents[file->count++] = (struct dsfs_extent){
			.logical = run.logical,
			.physical = attr->start + run.stored,
			.length = run.len,
			.flags = attr->flags & DSFS_INODE_SHARED ? DSFS_EXTENT_SHARED : 0,
		};
	}
	return 0;
}

static int new_file(struct dsfs_image *image, const struct image_node *node,
		    unsigned int flags, struct dsfs_file **out, struct dsfs_err *err)
{
	const size_t room = node->attr.flags & DSFS_INODE_HOLES ? node->ext.segments : 1;
	struct dsfs_file *file = NULL;
	size_t bytes;
	int ret;

	if (!__builtin_mul_overflow(room, sizeof(file->extents[0]), &bytes) &&
	    !__builtin_add_overflow(bytes, sizeof(*file), &bytes))
		file = malloc(bytes);
	if (!file)
		return dsfs_bad(err, "memory for extents", room, 0, -ENOMEM);
	*file = (struct dsfs_file){
		.image = image,
		.attr = node->attr,
		.stored = image_stored_bytes(&node->attr, &node->ext),
		.check = !(flags & DSFS_UNCHECKED) && image->img.geo->chunk_bits,
	};
	ret = add_extents(file, &node->ext, room, err);
	if (ret)
		free(file);
	else
		*out = file;
	return ret;
}

int dsfs_file_open(struct dsfs_image *image, uint64_t ino, unsigned int flags,
		   struct dsfs_file **file, struct dsfs_error *error)
{
	struct dsfs_err err = { };
	struct image_node node;
	int ret;

	if (flags & ~DSFS_UNCHECKED)
		return api_fail(error, -EINVAL, NULL, "flags %#x, known are %#x", flags,
				DSFS_UNCHECKED);
	ret = api_node(image, ino, &node, error);
	if (ret)
		return ret;
	if (S_ISDIR(node.attr.mode))
		return api_fail(error, -EISDIR, NULL, "inode %llu", (u64)ino);
	if (!S_ISREG(node.attr.mode))
		return api_fail(error, -EINVAL, NULL, "inode %llu: no regular file",
				(u64)ino);
	ret = new_file(image, &node, flags, file, &err);
	return ret ? api_fail(error, ret, &err, "inode %llu", (u64)ino) : 0;
}

void dsfs_file_close(struct dsfs_file *file)
{
	free(file);
}

uint64_t dsfs_file_size(const struct dsfs_file *file)
{
	return file->attr.size;
}

const struct dsfs_extent *dsfs_file_extents(const struct dsfs_file *file,
					    size_t *count)
{
	*count = file->count;
	return file->extents;
}

/**
 * struct batch - a range of stored bytes to be brought in
 * @iov: where they go, @n pieces behind the first entry, which is for the bytes in front
 *	of them, as the one behind is for those that follow
 * @from: first of them; @len: how many
 */
struct batch {
	const struct dsfs_file *file;
	struct iovec iov[PIECES + 2];
	int n;
	bool check;
	u64 from;
	u64 len;
};

/* Compare what was read of @at on, which @b->iov refers to, with its checksums. */
static int batch_check(const struct batch *b, u64 at, u64 end, struct dsfs_err *err)
{
	const struct dsfs_file *file = b->file;
	struct dsfs_source *src = file->image->src;
	const u8 chunk_bits = file->image->img.geo->chunk_bits;
	const struct iovec *v = b->iov;
	size_t used = 0, n;
	u64 next;
	u32 have, want;
	int ret;

	while (at < end) {
		next = ((at >> chunk_bits) + 1) << chunk_bits;
		if (next > end)
			next = end;
		ret = dsfs_chunk_sum(src, &file->attr, file->stored, at >> chunk_bits, &want,
				     err);
		if (ret)
			return ret;
		for (have = 0; at < next; at += n, used += n) {
			for (; used == v->iov_len; v++)
				used = 0;
			n = v->iov_len - used;
			if (n > next - at)
				n = next - at;
			have = dsfs_crc32c(have, (u8 *)v->iov_base + used, n);
		}
		if (have != want)
			return dsfs_bad(err, "data checksum", have, want, -EBADMSG);
	}
	return 0;
}

/* Read @from to @end; @aside has room for what is not in the batch. */
static int batch_read(struct batch *b, u64 from, u64 end, u8 *aside, struct dsfs_err *err)
{
	const struct dsfs_file *file = b->file;
	const u64 pos = file->attr.start + from;
	int ret;

	b->iov[0] = (struct iovec){ aside, b->from - from };
	b->iov[b->n + 1] = (struct iovec){ aside + (b->from - from),
					   end - (b->from + b->len) };
	ret = image_preadv(&file->image->img, b->iov, b->n + 2, end - from, pos);
	if (ret)
		return dsfs_bad(err, "data at", pos, pos + (end - from), ret);
	return b->check ? batch_check(b, from, end, err) : 0;
}

static int batch_read_chunks(struct batch *b, u64 from, u64 end, struct dsfs_err *err)
{
	const u64 aside = end - from - b->len;
	u8 small[ASIDE], *large;
	int ret;

	if (aside <= sizeof(small))
		return batch_read(b, from, end, small, err);
	large = malloc(aside);
	if (!large)
		return dsfs_bad(err, "memory for a chunk", aside, 0, -ENOMEM);
	ret = batch_read(b, from, end, large, err);
	free(large);
	return ret;
}

static int batch_flush(struct batch *b, struct dsfs_err *err)
{
	u64 from = b->from, end = b->from + b->len, chunk;
	int ret;

	if (!b->len)
		return 0;
	if (b->check) {
		chunk = 1ULL << b->file->image->img.geo->chunk_bits;
		from &= ~(chunk - 1);
		end = (end + chunk - 1) & ~(chunk - 1);
		if (end > b->file->stored)
			end = b->file->stored;
	}
	ret = batch_read_chunks(b, from, end, err);
	b->n = 0;
	b->len = 0;
	return ret;
}

/*
 * Add stored bytes, which follow those that are in already.
 *
 * Return: how many of them were taken, or a negative errno.
 */
static ssize_t batch_add(struct batch *b, u64 at, u8 *buf, u64 len, struct dsfs_err *err)
{
	u64 window;
	int ret;

	if (b->n == PIECES || (b->len && !((b->from + b->len) % WINDOW))) {
		ret = batch_flush(b, err);
		if (ret)
			return ret;
	}
	if (!b->len)
		b->from = at;
	window = WINDOW - at % WINDOW;
	if (len > window)
		len = window;
	b->iov[++b->n] = (struct iovec){ buf, len };
	b->len += len;
	return len;
}

/* The first extent that ends behind @pos; @file->count if there is none. */
static size_t find_extent(const struct dsfs_file *file, u64 pos)
{
	size_t lo = 0, hi = file->count, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (file->extents[mid].logical + file->extents[mid].length <= pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int read_range(const struct dsfs_file *file, bool check, u8 *buf, u64 len, u64 pos,
		      struct dsfs_err *err)
{
	struct batch b;
	size_t i = find_extent(file, pos);
	const struct dsfs_extent *e;
	ssize_t n;

	b.file = file;
	b.check = check;
	b.n = 0;
	b.len = 0;
	for (; len; len -= n, pos += n, buf += n) {
		e = &file->extents[i];
		if (i == file->count || e->logical > pos) {
			n = i < file->count && e->logical - pos < len ? e->logical - pos : len;
			memset(buf, 0, n);
			continue;
		}
		n = e->logical + e->length - pos;
		if (n > len)
			n = len;
		n = batch_add(&b, e->physical - file->attr.start + (pos - e->logical), buf,
			      n, err);
		if (n < 0)
			return n;
		if (pos + n == e->logical + e->length)
			i++;
	}
	return batch_flush(&b, err);
}

ssize_t dsfs_pread(const struct dsfs_file *file, void *buf, size_t len,
		   uint64_t pos, struct dsfs_error *error)
{
	struct dsfs_err err;
	int ret;

	if (pos >= file->attr.size)
		return 0;
	if (len > file->attr.size - pos)
		len = file->attr.size - pos;
	if (len > SSIZE_MAX)
		len = SSIZE_MAX;
	err.what = NULL;
	ret = read_range(file, file->check, buf, len, pos, &err);
	if (ret)
		return api_fail(error, ret, &err, "inode %u", file->attr.ino);
	return len;
}

int dsfs_file_verify(const struct dsfs_file *file, struct dsfs_error *error)
{
	const bool check = file->image->img.geo->chunk_bits;
	struct dsfs_err err = { };
	u64 i, at, n;
	u8 *buf;
	int ret = 0;

	buf = malloc(WINDOW);
	if (!buf)
		return api_fail(error, -ENOMEM, NULL, "inode %u", file->attr.ino);
	for (i = 0; !ret && i < file->count; i++)
		for (at = 0; !ret && at < file->extents[i].length; at += n) {
			n = file->extents[i].length - at;
			if (n > WINDOW)
				n = WINDOW;
			ret = read_range(file, check, buf, n, file->extents[i].logical + at,
					 &err);
		}
	free(buf);
	return ret ? api_fail(error, ret, &err, "inode %u", file->attr.ino) : 0;
}
