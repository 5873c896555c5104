/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways of reading that tests/guest/reads checks; each file reads_*.c has
 * some of them.  A check gets one regular file with the contents that it is to
 * have, and leaves the page cache as it likes.
 */
#ifndef READS_H
#define READS_H

#include "lib.h"
#include "ways.h"

#define PAGE		4096	/* that many bytes are a block; and a small read */
#define CANARY		0xa5	/* what buffers hold before a call */

/**
 * struct reads_file - a regular file under test
 * @fd: open for reading
 * @want: @size bytes that it must have
 */
struct reads_file {
	const char *path;
	int dir;
	const char *name;
	int fd;
	uint64_t size;
	const unsigned char *want;
};

/**
 * struct reads_opts - what the caller knows of the mount
 * @dev: the block device, open, to compare FIEMAP's answers with; or -1
 * @wholefile: files up to this size come in whole at the first read; 0: unknown
 * @chunk: files up to this size are one chunk, all of which a part brings in; 0: none are
 * @unit: bytes that are compressed together, which a read of one of them needs; 0: none
 * @holes: this many zeros in whole blocks are a hole for sure; 0: unknown
 */
struct reads_opts {
	int dev;
	uint64_t wholefile;
	uint64_t chunk;
	uint64_t holes;
	uint64_t unit;
};

extern struct reads_opts reads_opts;

/* @run, or a way by which the whole file is read */
struct reads_check {
	struct t_case c;
	void (*run)(struct t_case *c, const struct reads_file *f);
	way_fn way;
};

extern struct reads_check reads_plain[], reads_pages[], reads_direct[], reads_ring[],
			  reads_extents[], reads_tail[];

/* Forget the file's pages, so that the next read goes to the device. */
void reads_drop(const struct reads_file *f);
/* Whether @len bytes at @pos are the file's and @room - @len behind them untouched. */
void reads_compare(struct t_case *c, const struct reads_file *f, const void *buf,
		   uint64_t pos, int64_t len, size_t room, const char *what);
/* How many bytes a read of @len at @pos has to return. */
size_t reads_expect(const struct reads_file *f, uint64_t pos, size_t len);

/*
 * A file, and a whole one to compare it with; @spec is FROM-TO:ERRNO, in whole
 * pages.  Prints the cases; 1 if one failed.
 */
int reads_bad(const char *path, const char *ref, const char *spec);

#endif
