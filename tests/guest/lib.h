/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test programs of the guests share: named cases that count their
 * checks, and a walk over a tree and its reference side by side.
 *
 * A program prints "ok - NAME" or "not ok - NAME" a case at its end, each
 * failed check before that as "# PROGRAM: NAME: path: text", and exits 1 if a
 * case failed.  A case that came to check nothing proves nothing: it is told
 * as such, and fails under t_strict.
 */
#ifndef GUEST_LIB_H
#define GUEST_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "../harness/cases.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct t_case {
	const char *name;
	unsigned long checks;
	unsigned long failures;
	const char *skip;	/* why it can't be checked here */
};

extern bool t_strict;

void t_init(const char *program);
void t_failed(struct t_case *c, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int t_report(struct t_case **cases, size_t count);
void t_die(const char *path, const char *what) __attribute__((noreturn));
bool t_kernel_before(int major, int minor);

/* One check: counts, and on failure tells; true if it holds. */
#define t_check(c, cond, path, ...)				\
({								\
	bool t_holds = (cond);					\
								\
	(c)->checks++;						\
	if (!t_holds)						\
		t_failed(c, path, __VA_ARGS__);			\
	t_holds;						\
})

/**
 * struct t_object - an object of the tree, and its counterpart
 * @path: from the tree's root, "/" for that
 * @dir: open directory that @name is in
 * @name: relative to @dir
 * @ref_dir: the same directory of the reference, or -1
 */
struct t_object {
	const char *path;
	int dir;
	const char *name;
	int ref_dir;
	struct stat st;
	struct stat ref_st;
};

/**
 * struct t_walk - how to walk
 * @root: the tree
 * @ref: its reference, or NULL
 * @sample: of a directory with more entries take about this many; 0: all
 * @visit: called for each object, directories ahead of what they hold
 */
struct t_walk {
	const char *root;
	const char *ref;
	size_t sample;
	void (*visit)(const struct t_object *o);
};

void t_walk(const struct t_walk *w);

/* Names in an open directory without . and .., sorted; free with t_free_names(). */
size_t t_names(int fd, const char *path, char ***names);
void t_free_names(char **names, size_t count);

void *t_alloc(size_t len);

#endif
