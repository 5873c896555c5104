// SPDX-License-Identifier: GPL-2.0
/*
 * Open regular files.  The inode and its extents are decoded when a file is opened.  A read
 * only looks extents up, so it allocates nothing unless chunks are large.
 */
#include "api.h"
#include "stored.h"

/**
 * struct dsfs_file - an open file
 * @stored: of @attr, with @extra
 * @check: compare data with its checksums
 */
struct dsfs_file {
	struct dsfs_attr attr;
	struct dsfs_extra_info extra;
	struct stored stored;
	bool check;
	size_t count;
	struct dsfs_extent extents[];
};

/* The content of a compressed file is one extent, which says no more than where its bytes are. */
static void add_encoded(struct dsfs_file *file)
{
	const bool shared = file->attr.flags & DSFS_INODE_SHARED;

	file->count = 1;
	file->extents[0] = (struct dsfs_extent){
		.physical = file->attr.start,
		.length = file->attr.size,
		.flags = DSFS_EXTENT_ENCODED | (shared ? DSFS_EXTENT_SHARED : 0),
	};
}

static int add_extents(struct dsfs_file *file, size_t room, struct dsfs_err *err)
{
	struct dsfs_source *src = file->stored.src;
	const struct dsfs_attr *attr = &file->attr;
	struct dsfs_mapping map;
	int ret;

	for (u64 pos = 0; pos < attr->size; pos += map.len) {
		ret = pos ? dsfs_map_next(src, attr, &file->extra, &map, err) :
		      dsfs_map(src, attr, &file->extra, pos, &map, err);
		if (ret)
			return ret;
		if (map.hole)
			continue;
		if (file->count == room)
			return dsfs_bad(err, "extents", file->count + 1, room, -EUCLEAN);
		file->extents[file->count++] = (struct dsfs_extent){
			.logical = map.logical,
			.physical = attr->start + map.stored,
			.length = map.len,
			.flags = attr->flags & DSFS_INODE_SHARED ? DSFS_EXTENT_SHARED : 0,
		};
	}
	return 0;
}

static int new_file(struct dsfs_image *image, const struct image_node *node,
		    unsigned int flags, struct dsfs_file **out, struct dsfs_err *err)
{
	const size_t room = node->attr.flags & DSFS_INODE_HOLES ? node->extra.extents : 1;
	struct dsfs_file *file = NULL;
	size_t bytes;
	int ret;

	if (!__builtin_mul_overflow(room, sizeof(file->extents[0]), &bytes) &&
	    !__builtin_add_overflow(bytes, sizeof(*file), &bytes))
		file = malloc(bytes);
	if (!file)
		return dsfs_bad(err, "memory for extents", room, 0, -ENOMEM);
	*file = (struct dsfs_file){
		.attr = node->attr,
		.extra = node->extra,
		.stored = {
			.src = image->src,
			.attr = &file->attr,
			.bytes = image_stored_bytes(&node->attr, &node->extra),
		},
		.check = !(flags & DSFS_UNCHECKED),
	};
	ret = 0;
	if (file->attr.flags & DSFS_INODE_COMPRESSED)
		add_encoded(file);
	else
		ret = add_extents(file, room, err);
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
		return api_fail(error, -EINVAL, NULL, "inode %llu: no regular file", (u64)ino);
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

const struct dsfs_extent *dsfs_file_extents(const struct dsfs_file *file, size_t *count)
{
	*count = file->count;
	return file->extents;
}

size_t file_extent_at(const struct dsfs_file *file, u64 pos)
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

/* Offset of byte @pos in the stored data; for a byte of a hole, that of the next stored one. */
static u64 stored_at(const struct dsfs_file *file, u64 pos)
{
	const size_t i = file_extent_at(file, pos);
	const struct dsfs_extent *e = &file->extents[i];

	if (i == file->count)
		return file->stored.bytes;
	return e->physical - file->attr.start + (e->logical < pos ? pos - e->logical : 0);
}

/* The stored bytes that a read of @pos to @end needs; of a broken file none: the read will tell. */
static void stored_range(const struct dsfs_file *file, u64 pos, u64 end, u64 *at, u64 *to)
{
	struct dsfs_err err;

	*at = 0;
	*to = 0;
	if (!(file->attr.flags & DSFS_INODE_COMPRESSED)) {
		*at = stored_at(file, pos);
		*to = stored_at(file, end);
	} else if (pos < end && units_range(&file->stored, pos, end, at, to, &err)) {
		*to = *at;
	}
}

/* Bring in the ranges that a read will ask for: whole chunks, by steps (batch_add()). */
static void file_ahead(const struct dsfs_file *file, u64 pos, u64 end)
{
	u64 at, to, from, n;

	stored_range(file, pos, end, &at, &to);
	if (at < to)
		batch_round(&file->stored, file->check, &at, &to);
	for (from = at; from < to; from += n) {
		n = STORED_STEP - from % STORED_STEP;
		if (n > to - from)
			n = to - from;
		image_ahead(file->stored.src->img, file->attr.start + from, n);
	}
}

static bool file_is_coming(const struct dsfs_file *file, u64 pos)
{
	const struct image *img = file->stored.src->img;
	u64 at, end;

	if (!img->reader->far || pos >= file->attr.size)
		return false;
	stored_range(file, pos, file->attr.size, &at, &end);
	if (at >= end)
		return false;
	batch_round(&file->stored, file->check, &at, &end);
	return image_has(img, file->attr.start + at);
}

static int read_range(const struct dsfs_file *file, unsigned int flags, u8 *buf, u64 len,
		      u64 pos, struct dsfs_err *err)
{
	struct batch b;
	size_t i = file_extent_at(file, pos);
	const struct dsfs_extent *e;
	ssize_t n;

	batch_init(&b, &file->stored, file->check, flags);
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
		n = batch_add(&b, e->physical - file->attr.start + (pos - e->logical), buf, n, err);
		if (n < 0)
			return n;
		if (pos + n == e->logical + e->length)
			i++;
	}
	return batch_flush(&b, err);
}

ssize_t file_pread(const struct dsfs_file *file, unsigned int flags, void *buf, size_t len,
		   u64 pos, struct dsfs_error *error)
{
	const struct units u = { .of = file->stored, .check = file->check, .flags = flags };
	struct dsfs_err err;
	int ret;

	if (pos >= file->attr.size)
		return 0;
	if (len > file->attr.size - pos)
		len = file->attr.size - pos;
	if (len > SSIZE_MAX)
		len = SSIZE_MAX;
	err.what = NULL;
	if (file->attr.flags & DSFS_INODE_COMPRESSED)
		ret = units_read(&u, buf, len, pos, &err);
	else
		ret = read_range(file, flags, buf, len, pos, &err);
	if (ret)
		return api_fail(error, ret, &err, "inode %u", file->attr.ino);
	return len;
}

ssize_t dsfs_pread(const struct dsfs_file *file, void *buf, size_t len,
		   uint64_t pos, struct dsfs_error *error)
{
	return file_pread(file, 0, buf, len, pos, error);
}

int dsfs_file_verify(const struct dsfs_file *file, struct dsfs_error *error)
{
	struct dsfs_err err = { };
	int ret = image_stream(file->stored.src, &file->attr, &file->extra, true, NULL, NULL,
			       &err);

	return ret ? api_fail(error, ret, &err, "inode %u", file->attr.ino) : 0;
}

/*
 * dsfs_pread_many(): all reads are asked for before the first is waited for.
 *
 * The reader begins to bring in what it is told of ahead and does not wait, so that the
 * device has all requests at once.  Of a file or device, posix_fadvise(POSIX_FADV_WILLNEED)
 * does that wherever there is readahead.  Threads would need a switch for each read and be
 * lost by a fork.  io_uring hands reads of network file systems to a few threads of the
 * kernel, four a processor, and is forbidden to many containers.
 *
 * A server is not told again of what somebody asked for before, by dsfs_readahead(): what was
 * asked for twice is kept for two reads.
 *
 * What is done ahead is advice: where it has no effect, the reads wait one by one.
 */

/* Reads that are asked for ahead of the one that is waited for */
#define AHEAD		256
/* A larger one is read ahead well enough while it is read. */
#define READ_MAX	(16 << 20)

void dsfs_readahead(const struct dsfs_file *file, uint64_t pos, uint64_t len)
{
	const u64 size = dsfs_file_size(file);

	if (pos >= size)
		return;
	if (len > size - pos)
		len = size - pos;
	if (len && len <= READ_MAX)
		file_ahead(file, pos, pos + len);
}

static void advise_read(const struct dsfs_read *r)
{
	dsfs_readahead(r->file, r->pos, r->len);
}

/* All are looked at first: two of them may be of the same bytes. */
static void advise_first(const struct dsfs_read *reads, size_t n)
{
	bool coming[AHEAD];

	for (size_t i = 0; i < n; i++)
		coming[i] = file_is_coming(reads[i].file, reads[i].pos);
	for (size_t i = 0; i < n; i++)
		if (!coming[i])
			advise_read(&reads[i]);
}

int dsfs_pread_many(struct dsfs_read *reads, size_t count, struct dsfs_error *error)
{
	struct dsfs_read *r;
	int ret = 0;

	advise_first(reads, count < AHEAD ? count : AHEAD);
	for (size_t i = 0; i < count; i++) {
		r = &reads[i];
		r->result = dsfs_pread(r->file, r->buf, r->len, r->pos, ret ? NULL : error);
		if (r->result < 0 && !ret)
			ret = r->result;
		if (count - i > AHEAD &&
		    !file_is_coming(reads[i + AHEAD].file, reads[i + AHEAD].pos))
			advise_read(&reads[i + AHEAD]);
	}
	return ret;
}
