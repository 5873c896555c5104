/* SPDX-License-Identifier: GPL-2.0 */
/* Samples of a data set: the files of a tree that share a key, as WebDataset has it. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "array.h"
#include "filter.h"
#include "paths.h"
#include "walk.h"

/**
 * struct sample_file - a file of the tree
 * @path: its path, see samples_path()
 * @ino: of the entry, maybe of a hard-link entry
 */
struct sample_file {
	const struct path_part *path;
	u32 ino;
};

/**
 * struct sample - files that share a key
 * @first: the first of them, of @count
 * @rank: number of its entry in a list; UINT64_MAX: it is in none
 */
struct sample {
	u64 first;
	u64 count;
	u64 rank;
};

/**
 * struct samples - all samples of a tree
 * @files: struct sample_file, by key and then by path
 * @list: struct sample, in the order that is wanted
 * @others: objects that are neither files nor directories
 */
struct samples {
	struct array files;
	struct array list;
	struct paths paths;
	u64 others;
};

/**
 * samples_collect - find the files that @f selects, and order them by key
 * @s: all zero
 *
 * Return: 0, or as view_walk(); samples_free() is needed after an error, too.
 */
int samples_collect(struct samples *s, struct view *v, struct filter *f);

/**
 * samples_order - move samples to the front, in the order of a list
 * @list: a file with a key or a path an entry; - is standard input
 * @null: entries end with NUL
 *
 * Entries that are no sample are warned about.
 *
 * Return: 0, or a negative errno after a message.
 */
int samples_order(struct samples *s, const char *list, bool null);
void samples_free(struct samples *s);

static inline const struct sample *samples_at(const struct samples *s, u64 n)
{
	return (const struct sample *)s->list.p + n;
}

/** samples_file - file @n of a sample */
static inline const struct sample_file *samples_file(const struct samples *s,
						     const struct sample *of, u64 n)
{
	return (const struct sample_file *)s->files.p + of->first + n;
}

/** samples_path - the path of a file, "/" first, valid until the next call */
static inline const char *samples_path(const struct samples *s, const struct sample_file *f)
{
	return paths_text(&s->paths, f->path, 0);
}

#endif /* SAMPLES_H */
