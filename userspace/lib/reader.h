/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A reader: the bytes of an image, whatever holds them.
 *
 * The library reads an image through struct dsfs_reader_ops and in no other way.  A file or a
 * block device is behind it today (reader_file.c), memory in the fuzzers.  Every function may
 * be called by any number of threads at once, so that requests of several threads are under
 * way together.  Who knows what will be read next says so by @ahead, range by range, before
 * it waits for the first one: a reader that is far away can bring in all ranges at once.
 */
#ifndef DSFS_READER_H
#define DSFS_READER_H

#include <sys/uio.h>

#include "dsfs_platform.h"

/* What is read with this flag is not asked for again. */
#define READ_ONCE	1u
/* What was read is bad by its checksum: ask the origin once more, past all caches. */
#define READ_AGAIN	2u
/* Who reads compares it with a checksum and asks again if it is wrong: nobody else needs to. */
#define READ_CHECKED	4u
/* Offset and buffer of such a read, if it is not to go through the page cache */
#define READ_ALIGN	4096

struct dsfs_reader;

/**
 * struct dsfs_reader_ops - what a reader can do; those marked so may be NULL
 * @read: @len bytes at @pos into @n buffers, whose lengths add up to @len and which may be
 *	empty; 0, -EIO where the bytes end, or another negative errno
 * @ahead: begin to bring in a range; does not wait (optional)
 * @drop: forget a range that was read (optional)
 * @has: whether the first byte of a range is in memory, as far as can be told (optional)
 * @next_data: the first byte from @pos on that is stored; UINT64_MAX: there is none.  Bytes
 *	between are zero. (optional)
 * @close: free the reader
 */
struct dsfs_reader_ops {
	int (*read)(struct dsfs_reader *r, const struct iovec *iov, int n, size_t len, u64 pos,
		    unsigned int flags);
	void (*ahead)(struct dsfs_reader *r, u64 pos, u64 len);
	void (*drop)(struct dsfs_reader *r, u64 pos, u64 len);
	bool (*has)(struct dsfs_reader *r, u64 pos);
	u64 (*next_data)(struct dsfs_reader *r, u64 pos);
	void (*close)(struct dsfs_reader *r);
};

/**
 * struct dsfs_reader - an open reader
 * @bytes: how many there are
 * @name: what messages call it, without anything secret; NULL: the path that it was opened by
 * @identity: a text; readers with the same one have the same bytes, on any node; NULL: unknown
 * @far: a read waits for a network, so that few large ones cost less than many small ones,
 *	and what the origin sends may be another thing the next time: READ_AGAIN is worth a try
 * @keeps: what it read is kept on this node
 * @warning: what it was asked for and cannot do, though it works, for one message; or NULL
 * @stop: non-zero once waits are to end with -EINTR; NULL: signals alone end them
 *
 * @name, @identity and @warning are the reader's own, which @close frees.
 */
struct dsfs_reader {
	const struct dsfs_reader_ops *ops;
	u64 bytes;
	const char *name;
	const char *identity;
	bool far;
	bool keeps;
	const char *warning;
	int (*stop)(void);
};

/**
 * reader_file - a reader of a file or a block device
 * @path: its name
 * @out: gets the reader
 * @what: gets what failed, for a message
 *
 * Return: 0 or a negative errno; -ENOTBLK for what is neither a file nor a block device,
 * which @what says, too.
 */
int reader_file(const char *path, struct dsfs_reader **out, const char **what);

/** reader_fd - the same for an open descriptor, which stays the caller's */
int reader_fd(int fd, struct dsfs_reader **out, const char **what);

/** reader_descriptor - that of a file's reader, which stays the reader's; -1: it is another one */
int reader_descriptor(const struct dsfs_reader *r);

/** reader_file_once - have READ_ONCE of a file's reader leave nothing in the page cache */
void reader_file_once(struct dsfs_reader *r);

#endif /* DSFS_READER_H */
