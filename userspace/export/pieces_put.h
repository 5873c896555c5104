/* SPDX-License-Identifier: GPL-2.0 */
/* What making pieces is done with: a run, where it cuts, and how it puts what it cut. */
#ifndef PIECES_PUT_H
#define PIECES_PUT_H

#include <pthread.h>

#include "array.h"
#include "export.h"
#include "pieces.h"
#include "sha256.h"

/**
 * struct cut - a piece
 * @start: where it begins; @bytes: its length
 * @meta: it has metadata
 * @done: it is where it has to be, with @sum
 */
struct cut {
	u64 start;
	u64 bytes;
	u8 sum[PIECES_SUM];
	bool meta;
	bool done;
};

/**
 * struct putter - pieces that are put
 * @dir: the folder
 * @name: of the list, without its suffix
 * @old: the list that is there; @n 0: none
 * @cuts: struct cut, in order
 * @journal: what is done; @locked: the list that is there; -1: none, or a verb has locked it
 * @failed: something was said
 * @put: pieces that were put, of @put_bytes; @listed: pieces of the list
 */
struct putter {
	struct view *v;
	const struct pieces_request *r;
	int dir;
	char name[PIECES_NAME_MAX - 32];
	struct pieces old;
	struct array cuts;
	FILE *journal;
	int locked;
	pthread_mutex_t lock;
	bool failed;
	u64 put;
	u64 put_bytes;
	u64 listed;
};

static inline struct cut *cut_at(const struct putter *m, size_t i)
{
	return (struct cut *)m->cuts.p + i;
}

/* These write messages, and return 0 or a negative number, unless told. */

/*
 * pieces_cut.c: add what the old list has to @m->cuts, as it is there or not, and behind that what
 * the image has
 */
int pieces_cut_old(struct putter *m);
int pieces_cut_rest(struct putter *m);

/* pieces_put.c: the SHA-256 as a piece has it for its name */
const char *pieces_hex(const u8 *sum, char text[PIECES_HEX]);
/* Whether the folder has a piece; where a command puts them, a list is believed. */
bool pieces_has(const struct putter *m, const u8 *sum, u64 bytes);
int pieces_sum(const struct putter *m, const struct cut *c, u8 *sum);
/* Return: 1: put; 0: it was there; negative: it failed, which was said. */
int pieces_put(const struct putter *m, struct cut *c);
/* A text: to the command under a name, or in the place of the file of that name */
int pieces_pipe(const struct putter *m, const char *name, const char *text, size_t len);
int pieces_replace(const struct putter *m, const char *name, const char *text, size_t len);

#endif /* PIECES_PUT_H */
