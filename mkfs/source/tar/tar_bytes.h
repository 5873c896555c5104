/* SPDX-License-Identifier: GPL-2.0 */
/* The bytes of an archive, decompressed, from its beginning to its end. */
#ifndef MKFS_TAR_BYTES_H
#define MKFS_TAR_BYTES_H

#include <sys/types.h>

#include "dsfs_platform.h"

/* How a file is decompressed; TAR_PLAIN: it is not */
enum tar_codec { TAR_PLAIN, TAR_GZIP, TAR_BZIP2, TAR_XZ, TAR_ZSTD, TAR_LZ4, TAR_LZIP };

/* The kind of file that begins with these bytes.  NULL: not known. */
const char *tar_kind(const void *p, size_t n, enum tar_codec *codec);

struct archive;
struct tar_gzip;

/**
 * struct tar_bytes - an open archive
 * @path: for messages
 * @stop: reading ends when this can be read from
 * @wait: it is a pipe or a device, which may keep a reader waiting
 * @part: it is a part of a file, from @pos up to @end
 * @watch: gets all bytes as they are taken; NULL: nobody does
 * @codec: of a file that is compressed, by @kind
 * @filter, @gzip: what decompresses; NULL: nothing
 * @raw, @nraw: read from @fd, and not given on yet
 * @at, @left: decompressed, and not taken yet
 * @taken: bytes before @at
 * @why: what is wrong
 */
struct tar_bytes {
	const char *path;
	int fd;
	int stop;
	bool wait;
	bool part;
	u64 pos;
	u64 end;
	void (*watch)(void *watcher, const char *p, size_t n);
	void *watcher;
	enum tar_codec codec;
	const char *kind;
	struct archive *filter;
	struct tar_gzip *gzip;
	char *buf;
	const char *raw;
	size_t nraw;
	const char *at;
	size_t left;
	u64 taken;
	char why[256];
};

/*
 * All functions return 0 or -errno, and @why is set: -ECANCELED when reading is to stop,
 * -ENODATA at the end.
 */
int tar_bytes_open(struct tar_bytes *b, const char *path, int stop);
/* Read the first bytes, and prepare to decompress what is compressed. */
int tar_bytes_begin(struct tar_bytes *b);
/* Open the bytes [@pos, @end) of @fd; @path is for messages. */
int tar_bytes_part(struct tar_bytes *b, const char *path, int fd, u64 pos, u64 end);
/* Take some bytes where they are in memory: at least one, at most @max. */
int tar_bytes_some(struct tar_bytes *b, u64 max, const char **p, size_t *n);
int tar_bytes_get(struct tar_bytes *b, void *to, size_t bytes);
/*
 * Skip bytes.  @other: NULL; or 0, and it becomes the place of the first one that is not zero,
 * if there is one.
 */
int tar_bytes_skip(struct tar_bytes *b, u64 bytes, u64 *other);
/*
 * Skip all, up to the end: a program that writes a pipe can finish, and a filter checks its
 * checksum.  A file that is not compressed is read up to the first byte that is not zero.
 */
int tar_bytes_drain(struct tar_bytes *b, u64 *other);
void tar_bytes_close(struct tar_bytes *b);

/* For those who decompress: set @b->why, by @ret, too, but for -EINVAL.  Return: @ret. */
int tar_bytes_bad(struct tar_bytes *b, const char *why, int ret);
/* Some bytes as they are in the file: their number, 0 at the end, or -errno. */
ssize_t tar_bytes_raw(struct tar_bytes *b, const char **p);

/* gzip.c */
int tar_gzip_open(struct tar_bytes *b);
ssize_t tar_gzip_read(struct tar_bytes *b, const char **p);
void tar_gzip_close(struct tar_bytes *b);

#endif /* MKFS_TAR_BYTES_H */
