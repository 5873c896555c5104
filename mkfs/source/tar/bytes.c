// SPDX-License-Identifier: GPL-2.0
/*
 * Reading an archive.  libarchive decompresses all but gzip; what is not compressed is read
 * without it.  A pipe may say nothing for hours while the run has failed already, so
 * each read waits for the end of the run, too.
 */
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#ifndef DSFS_NO_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#include "tar.h"

#define BUFFER_BYTES	(256 << 10)	/* stays in a processor's cache */
#define FRAME_HEAD	8
#define FRAME_SKIPPED	0x184d2a50U	/* and 15 more */

int tar_bytes_bad(struct tar_bytes *b, const char *why, int ret)
{
	snprintf(b->why, sizeof(b->why), "%s%s%s", why, ret == -EINVAL ? "" : ": ",
		 ret == -EINVAL ? "" : strerror(-ret));
	return ret;
}

/* Wait until there is something to read. */
static int wait_input(struct tar_bytes *b)
{
	struct pollfd fds[2] = { { .fd = b->fd, .events = POLLIN },
				 { .fd = b->stop, .events = POLLIN } };

	while (b->wait && poll(fds, 2, -1) < 0) {
		if (errno != EINTR)
			return tar_bytes_bad(b, "cannot read", -errno);
	}
	return fds[1].revents ? -ECANCELED : 0;
}

/* read(2), or pread(2) within the part that is to be read. */
static ssize_t read_file(struct tar_bytes *b, char *to, size_t room)
{
	ssize_t n;

	if (!b->part)
		return read(b->fd, to, room);
	n = pread(b->fd, to, room < b->end - b->pos ? room : b->end - b->pos, b->pos);
	b->pos += n > 0 ? n : 0;
	return n;
}

/* Have @min bytes at b->raw, if there are as many. */
static int look(struct tar_bytes *b, size_t min)
{
	ssize_t n = 1;
	int ret = 0;

	if (b->nraw >= min)
		return 0;
	memmove(b->buf, b->raw, b->nraw);
	b->raw = b->buf;
	while (!ret && n && b->nraw < min) {
		ret = wait_input(b);
		n = ret ? 0 : read_file(b, b->buf + b->nraw, BUFFER_BYTES - b->nraw);
		if (n < 0 && errno != EINTR)
			ret = tar_bytes_bad(b, "cannot read", -errno);
		b->nraw += n > 0 ? n : 0;
	}
	return ret;
}

ssize_t tar_bytes_raw(struct tar_bytes *b, const char **p)
{
	int ret = look(b, 1);
	const size_t n = b->nraw;

	*p = b->raw;
	b->nraw = 0;
	return ret ? ret : (ssize_t)n;
}

#ifndef DSFS_NO_LIBARCHIVE

static la_ssize_t filter_read(struct archive *a, void *bytes, const void **p)
{
	struct tar_bytes *b = bytes;
	ssize_t n = tar_bytes_raw(b, (const char **)p);

	if (n < 0)
		archive_set_error(a, -n, "%s", b->why);
	return n;
}

static int filter_failed(struct tar_bytes *b)
{
	const char *why = archive_error_string(b->filter);

	if (archive_errno(b->filter) == ECANCELED)
		return -ECANCELED;
	return tar_bytes_bad(b, why ? why : "cannot decompress", -EINVAL);
}

/* Get decompressed bytes.  Return: their number, 0 at the end, or -errno. */
static ssize_t read_archive(struct tar_bytes *b, const char **p)
{
	la_int64_t offset;
	size_t n = 0;
	int ret;

	do {
		ret = archive_read_data_block(b->filter, (const void **)p, &n, &offset);
	} while ((ret == ARCHIVE_OK && !n) || ret == ARCHIVE_RETRY);
	if (ret == ARCHIVE_EOF)
		return 0;
	return ret == ARCHIVE_OK ? n : filter_failed(b);
}

/* Those that have no library here are not run as programs. */
static int add_filter(struct tar_bytes *b, struct archive *a)
{
	static int (*const filters[])(struct archive *a) = {
		[TAR_BZIP2] = archive_read_support_filter_bzip2,
		[TAR_XZ] = archive_read_support_filter_xz,
		[TAR_ZSTD] = archive_read_support_filter_zstd,
		[TAR_LZ4] = archive_read_support_filter_lz4,
		[TAR_LZIP] = archive_read_support_filter_lzip,
	};

	if (filters[b->codec](a) == ARCHIVE_OK)
		return 0;
	snprintf(b->why, sizeof(b->why), "is compressed by %s: libarchive was built without it",
		 b->kind);
	return -EINVAL;
}

static int open_archive(struct tar_bytes *b)
{
	struct archive_entry *entry;
	struct archive *a = archive_read_new();

	b->filter = a;
	if (!a)
		return tar_bytes_bad(b, "cannot decompress", -ENOMEM);
	if (add_filter(b, a))
		return -EINVAL;
	archive_read_support_format_raw(a);
	if (archive_read_open(a, b, NULL, filter_read, NULL) != ARCHIVE_OK ||
	    archive_read_next_header(a, &entry) != ARCHIVE_OK)
		return filter_failed(b);
	/* The filter itself, and reading: a bomb in a bomb would take days. */
	if (archive_filter_count(a) > 2)
		return tar_bytes_bad(b, "is compressed more than once", -EINVAL);
	return 0;
}

static void close_archive(struct tar_bytes *b)
{
	if (b->filter)
		archive_read_free(b->filter);
}

#else

static ssize_t read_archive(struct tar_bytes *b, const char **p)
{
	return tar_bytes_bad(b, "is compressed", -EINVAL);
}

static int open_archive(struct tar_bytes *b)
{
	return tar_bytes_bad(b, "is compressed: mkfs.dsfs was built without libarchive", -EINVAL);
}

static void close_archive(struct tar_bytes *b)
{
}

#endif

#ifdef DSFS_NO_ZLIB

int tar_gzip_open(struct tar_bytes *b)
{
	return tar_bytes_bad(b, "is compressed: mkfs.dsfs was built without zlib", -EINVAL);
}

ssize_t tar_gzip_read(struct tar_bytes *b, const char **p)
{
	return read_archive(b, p);
}

void tar_gzip_close(struct tar_bytes *b)
{
}

#endif

static ssize_t read_filter(struct tar_bytes *b, const char **p)
{
	return b->codec == TAR_GZIP ? tar_gzip_read(b, p) : read_archive(b, p);
}

/* The descriptor is open, or was not opened. */
static int begin(struct tar_bytes *b)
{
	struct stat st;

	if (b->fd < 0 && errno == ENOENT && strstr(b->path, "://"))
		return tar_bytes_bad(b, "is an address, where an archive is expected", -EINVAL);
	if (b->fd < 0 || fstat(b->fd, &st))
		return tar_bytes_bad(b, "cannot open", -errno);
	if (S_ISDIR(st.st_mode))
		return tar_bytes_bad(b, "is a directory, where an archive is expected", -EINVAL);
	b->wait = !b->part && !S_ISREG(st.st_mode);
	b->buf = malloc(BUFFER_BYTES);
	b->raw = b->buf;
	if (!b->buf)
		return tar_bytes_bad(b, "cannot open", -ENOMEM);
	posix_fadvise(b->fd, b->pos, b->end - b->pos, POSIX_FADV_SEQUENTIAL);
	return 0;
}

int tar_bytes_open(struct tar_bytes *b, const char *path, int stop)
{
	bool std = !strcmp(path, "-");

	*b = (struct tar_bytes){ .path = std ? "standard input" : path, .stop = stop };
	b->fd = std ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	return begin(b);
}

static u32 word(const char *p)
{
	__le32 v;

	memcpy(&v, p, sizeof(v));
	return le32_to_cpu(v);
}

/* Frames of zstd and lz4 that say nothing, which some programs write first, as pzstd. */
static int skip_frames(struct tar_bytes *b)
{
	int ret = look(b, FRAME_HEAD);

	while (!ret && b->nraw >= FRAME_HEAD && (word(b->raw) & ~0xfU) == FRAME_SKIPPED) {
		for (u64 bytes = FRAME_HEAD + word(b->raw + 4); !ret && bytes && b->nraw;) {
			const u64 n = bytes < b->nraw ? bytes : b->nraw;

			b->raw += n;
			b->nraw -= n;
			bytes -= n;
			ret = look(b, bytes ? 1 : FRAME_HEAD);
		}
	}
	return ret;
}

int tar_bytes_begin(struct tar_bytes *b)
{
	int ret = look(b, TAR_BLOCK);

	/* a name may begin as any file does */
	if (ret || (b->nraw >= TAR_BLOCK && tar_is_header(b->raw)))
		return ret;
	ret = skip_frames(b);
	if (ret)
		return ret;
	b->kind = tar_kind(b->raw, b->nraw, &b->codec);
	return b->codec == TAR_PLAIN ? 0 : b->codec == TAR_GZIP ? tar_gzip_open(b) :
	       open_archive(b);
}

int tar_bytes_part(struct tar_bytes *b, const char *path, int fd, u64 pos, u64 end)
{
	*b = (struct tar_bytes){ .path = path, .part = true, .pos = pos, .end = end };
	b->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return begin(b);
}

int tar_bytes_some(struct tar_bytes *b, u64 max, const char **p, size_t *n)
{
	ssize_t got;

	if (!b->left) {
		got = b->codec ? read_filter(b, &b->at) : tar_bytes_raw(b, &b->at);
		if (!got)
			return -ENODATA;
		if (got < 0)
			return got;
		b->left = got;
	}
	*n = b->left < max ? b->left : max;
	*p = b->at;
	b->at += *n;
	b->left -= *n;
	b->taken += *n;
	if (b->watch)
		b->watch(b->watcher, *p, *n);
	return 0;
}

int tar_bytes_get(struct tar_bytes *b, void *to, size_t bytes)
{
	const char *p;
	size_t n = 0;
	int ret = 0;

	for (; bytes; bytes -= n, to = (char *)to + n) {
		ret = tar_bytes_some(b, bytes, &p, &n);
		if (ret)
			break;
		memcpy(to, p, n);
	}
	return ret;
}

int tar_bytes_skip(struct tar_bytes *b, u64 bytes, u64 *other)
{
	const char *p;
	size_t n = 0, i;
	int ret = 0;

	for (; !ret && bytes; bytes -= n) {
		const u64 at = b->taken;

		ret = tar_bytes_some(b, bytes, &p, &n);
		/* in a row of zeros each byte is as the next one */
		if (ret || !other || *other || (!p[0] && !memcmp(p, p + 1, n - 1)))
			continue;
		for (i = 0; !p[i]; i++)
			;
		*other = at + i;
	}
	return ret;
}

int tar_bytes_drain(struct tar_bytes *b, u64 *other)
{
	const bool all = b->codec || b->wait;
	int ret;

	*other = 0;
	do {
		ret = tar_bytes_skip(b, all ? UINT64_MAX : BUFFER_BYTES, other);
	} while (!ret && !*other);
	return ret == -ENODATA ? 0 : ret;
}

void tar_bytes_close(struct tar_bytes *b)
{
	close_archive(b);
	tar_gzip_close(b);
	free(b->buf);
	if (b->fd >= 0)
		close(b->fd);
	*b = (struct tar_bytes){ .fd = -1 };
}
