// SPDX-License-Identifier: GPL-2.0
/*
 * Reading an archive.  libarchive decompresses; what is not compressed is read
 * without it.  A pipe may say nothing for hours while the run has failed already, so
 * each read waits for the end of the run, too.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef DSFS_NO_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#include "tar_bytes.h"

#define BUFFER_BYTES	(256 << 10)	/* stays in a processor's cache */

static int bad(struct tar_bytes *b, const char *why, int ret)
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
			return bad(b, "cannot read", -errno);
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

/* Get bytes as they are in the file.  Return: their number, 0 at the end, or -errno. */
static ssize_t read_raw(struct tar_bytes *b, const char **p, size_t min)
{
	size_t have = 0;
	ssize_t n = 1;

	if (b->nraw) {
		have = b->nraw;
		*p = b->raw;
		b->nraw = 0;
		return have;
	}
	while (n && have < min) {
		int ret = wait_input(b);

		if (ret)
			return ret;
		n = read_file(b, b->buf + have, BUFFER_BYTES - have);
		if (n < 0 && errno != EINTR)
			return bad(b, "cannot read", -errno);
		if (n > 0)
			have += n;
	}
	*p = b->buf;
	return have;
}

#ifndef DSFS_NO_LIBARCHIVE

static la_ssize_t filter_read(struct archive *a, void *bytes, const void **p)
{
	struct tar_bytes *b = bytes;
	ssize_t n = read_raw(b, (const char **)p, 1);

	if (n < 0)
		archive_set_error(a, -n, "%s", b->why);
	return n;
}

static int filter_failed(struct tar_bytes *b)
{
	const char *why = archive_error_string(b->filter);

	if (archive_errno(b->filter) == ECANCELED)
		return -ECANCELED;
	return bad(b, why ? why : "cannot decompress", -EINVAL);
}

/* Get decompressed bytes.  Return: their number, 0 at the end, or -errno. */
static ssize_t read_filter(struct tar_bytes *b, const char **p)
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

static int open_filter(struct tar_bytes *b)
{
	struct archive_entry *entry;
	struct archive *a = archive_read_new();

	b->filter = a;
	if (!a)
		return bad(b, "cannot decompress", -ENOMEM);
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_format_raw(a);
	if (archive_read_open(a, b, NULL, filter_read, NULL) != ARCHIVE_OK ||
	    archive_read_next_header(a, &entry) != ARCHIVE_OK)
		return filter_failed(b);
	/* The filter itself, and reading: a bomb in a bomb would take days. */
	if (archive_filter_count(a) > 2)
		return bad(b, "is compressed more than once", -EINVAL);
	return 0;
}

static void close_filter(struct tar_bytes *b)
{
	if (b->filter)
		archive_read_free(b->filter);
}

#else

static ssize_t read_filter(struct tar_bytes *b, const char **p)
{
	(void)p;
	return bad(b, "is compressed", -EINVAL);
}

static int open_filter(struct tar_bytes *b)
{
	return bad(b, "is compressed: mkfs.dsfs was built without libarchive", -EINVAL);
}

static void close_filter(struct tar_bytes *b)
{
	(void)b;
}

#endif

bool tar_is_compressed(const char *p, size_t n)
{
	static const char *const magics[] = { "\x1f\x8b", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd" };

	for (unsigned int i = 0; i < 3; i++) {
		if (n >= TAR_MAGIC_BYTES && !memcmp(p, magics[i], strlen(magics[i])))
			return true;
	}
	return false;
}

/* The descriptor is open, or was not opened. */
static int begin(struct tar_bytes *b)
{
	struct stat st;

	if (b->fd < 0 || fstat(b->fd, &st))
		return bad(b, "cannot open", -errno);
	b->wait = !b->part && !S_ISREG(st.st_mode);
	b->buf = malloc(BUFFER_BYTES);
	if (!b->buf)
		return bad(b, "cannot open", -ENOMEM);
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

int tar_bytes_begin(struct tar_bytes *b)
{
	ssize_t n = read_raw(b, &b->raw, TAR_MAGIC_BYTES);

	if (n < 0)
		return n;
	b->nraw = n;
	return tar_is_compressed(b->raw, n) ? open_filter(b) : 0;
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
		got = b->filter ? read_filter(b, &b->at) : read_raw(b, &b->at, 1);
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
	const bool all = b->filter || b->wait;
	int ret;

	*other = 0;
	do {
		ret = tar_bytes_skip(b, all ? UINT64_MAX : BUFFER_BYTES, other);
	} while (!ret && !*other);
	return ret == -ENODATA ? 0 : ret;
}

void tar_bytes_close(struct tar_bytes *b)
{
	close_filter(b);
	free(b->buf);
	if (b->fd >= 0)
		close(b->fd);
	*b = (struct tar_bytes){ .fd = -1 };
}
