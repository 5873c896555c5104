/* SPDX-License-Identifier: GPL-2.0 */
/* Interface between the threads of the reader and the forms of a data set. */
#ifndef READER_H
#define READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIECE_MAX	(1 << 20)

/**
 * struct sample - what is read for one
 * @path:	a file
 * @offset:	where it begins there
 * @length:	bytes of it; 0: all of the file
 */
struct sample {
	const char *path;
	uint64_t offset, length;
};

/**
 * struct reader - a thread
 * @buf:	PIECE_MAX bytes
 * @fd:		open file of a pack or a shard, or -1
 * @ahead:	bytes that a shard is read ahead
 * @bytes:	of samples so far
 * @errors:	samples that could not be read whole
 * @deliver:	called for each sample of a shard; @read_one returns for the others
 */
struct reader {
	char *buf;
	int fd;
	uint64_t ahead, bytes, errors;
	void (*deliver)(struct reader *r);
	struct shuffle *shuffle;
};

/**
 * struct form - how a data set is stored
 * @name:	as on the command line
 * @read:	a sample; of shards, all samples of one
 * @need:	have a sample read in, without waiting
 */
struct form {
	const char *name;
	void (*read)(struct reader *r, const struct sample *s);
	void (*need)(const struct sample *s);
};

extern const struct form forms[];

/* NULL: no such form */
const struct form *find_form(const char *name);

void die(const char *what);
void *allocate(size_t len);
void shuffle_free(struct shuffle *s);
uint64_t next_random(uint64_t *state);

#endif
