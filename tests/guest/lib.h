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

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "../harness/cases.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct t_case {
	const char *name;
	unsigned long checks;
	unsigned long failures;
	const char *skip;	/* why it can't be checked here */
};

/* One that t_report_all() tells, by its name */
#define T_CASE(var, text)						\
	static struct t_case var = { .name = text };			\
	__attribute__((constructor)) static void will_tell_##var(void)	\
	{								\
		t_will_tell(&var);					\
	}

extern bool t_strict;

void t_init(const char *program);
void t_failed(struct t_case *c, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int t_report(struct t_case **cases, size_t count);
int t_report_all(void);
void t_will_tell(struct t_case *c);
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

/* A call has to fail with @err, or not to fail. */
#define t_fails(c, err, path, call)				\
	t_check(c, (errno = 0, (call)) != 0 && errno == (err), path, "%s: %s, not " #err, #call, \
		strerror(errno))
#define t_works(c, path, call)					\
	t_check(c, !(call), path, "%s: %s", #call, strerror(errno))

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
	uint64_t sample;
	void (*visit)(const struct t_object *o);
};

void t_walk(const struct t_walk *w);

/* Opens a file in a process of these ids.  Return: 0 or an errno. */
int t_open_as(const char *file, uid_t uid, gid_t gid);

struct file_handle;

/* A handle of an object, to be freed; or the failure told, and NULL. */
struct file_handle *t_handle(struct t_case *c, const struct t_object *o, int flags);
/* Checks that a handle is stale; @what it is. */
void t_stale(struct t_case *c, int root, struct file_handle *h, const char *path,
	     const char *what, uint32_t number);

/* Names in an open directory without . and .., sorted; free with t_free_names(). */
size_t t_names(int fd, const char *path, char ***names);
void t_free_names(char **names, size_t count);

void *t_alloc(size_t len);

/**
 * struct t_option - an option of a program: --NAME, --NAME=TEXT or --NAME=NUMBER
 * @flag, @text, @number: where it goes, one of them
 */
struct t_option {
	const char *name;
	bool *flag;
	const char **text;
	uint64_t *number;
};

/*
 * Takes the options, the last of which has no name.  Return: the operands, which are as many
 * as @operands, or if that is -1, some; else the program ends with @usage.
 */
char **t_options(int argc, char **argv, const struct t_option *options, int operands,
		 const char *usage);
void t_usage(const char *usage) __attribute__((noreturn));

/* Writes a setting of the kernel's. */
void t_write(const char *file, const char *text);
/* Of a file of /proc: the number, of KiB, in the line that begins with @key; in bytes */
uint64_t t_kib(const char *file, const char *key);
/* Of "1": pages, "2": names and inodes, "3": both */
void t_drop_caches(const char *what);

/* A generator of our own: the same numbers everywhere. */
uint64_t t_random(uint64_t *seed);
/* One that gives the number at any place. */
uint64_t t_mix(uint64_t x);

/* Files in an order. */
struct t_files {
	char **paths;
	size_t count;
};

void t_add_file(struct t_files *f, const char *path);
/* Those of a file that has their names, one a line, relative to @tree. */
void t_read_list(struct t_files *f, const char *tree, const char *list);
void t_shuffle(struct t_files *f, uint64_t seed);

/* What the device below a path has read so far; all zero if there is none. */
struct t_counts {
	uint64_t requests, merges, sectors;
};

struct t_counts t_device_counts(const char *path);

#endif
