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
 * @sum: SHA-256 that the bytes have to have, which @identity tells; NULL: unknown
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
	const u8 *sum;
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

/** reader_file_at - the same for a path from an open folder */
int reader_file_at(int dir, const char *path, struct dsfs_reader **out, const char **what);

/** reader_fd - the same for an open descriptor, which stays the caller's */
int reader_fd(int fd, struct dsfs_reader **out, const char **what);

/** reader_descriptor - that of a file's reader, which stays the reader's; -1: it is another one */
int reader_descriptor(const struct dsfs_reader *r);

/* Bytes that a run reads ahead at first */
#define RUN_WINDOW	(256 << 10)

/**
 * struct reader_run - small reads in the order of the image, and what is read ahead of them
 * @busy: a thread looks at it; others do without, and so does a child that is forked meanwhile
 * @next: end of the last of them
 * @count: how many there were
 * @others: reads elsewhere since the last of them
 * @kept: begin, and
 * @ahead: end of what was read ahead and is not dropped; 0: nothing
 * @window: bytes that are read ahead next: twice as many each time, up to
 * @most
 */
struct reader_run {
	bool busy;
	u64 next;
	unsigned int count;
	unsigned int others;
	u64 kept;
	u64 ahead;
	u64 window;
	u64 most;
};

/**
 * struct reader_step - what a read has to do for the run
 * @ahead: the first of @ahead_len bytes to be read ahead
 * @drop: the first of @drop_len bytes to be forgotten
 * @inside: the read itself is of what was read ahead before it
 */
struct reader_step {
	u64 ahead;
	u64 ahead_len;
	u64 drop;
	u64 drop_len;
	bool inside;
};

/** run_init - nothing was read yet; up to @most bytes may be read ahead at a time */
void run_init(struct reader_run *run, u64 most);

/**
 * run_read - a read comes: find out whether it is one of a run
 * @here: its bytes are there or on the way, so that it counts only as one of what was read ahead
 */
void run_read(struct reader_run *run, u64 pos, size_t len, bool here, struct reader_step *step);

/** reader_file_once - have READ_ONCE of a file's reader leave nothing in the page cache */
void reader_file_once(struct dsfs_reader *r);

/**
 * reader_file_hold - of one thread: take small reads in order out of larger ones
 *
 * Nothing changes for a reader that is no file's, or where there is no memory for it.
 */
void reader_file_hold(struct dsfs_reader *r);

#endif /* DSFS_READER_H */
