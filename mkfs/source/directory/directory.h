/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A directory as a source: declarations for its source files.
 */
#ifndef MKFS_DIRECTORY_H
#define MKFS_DIRECTORY_H

#include <pthread.h>

#include "dirfd.h"
#include "progress.h"
#include "../file.h"
#include "../xattr.h"

/**
 * struct directory - a directory tree
 * @pattern_used: for each --exclude, whether it has matched
 */
struct directory {
	struct source src;
	struct dirfd_cache dirs;
	bool *pattern_used;
};

/**
 * struct directory_input - open file and directory of a thread
 * @dir: directory of the last file; NULL: none
 * @dirfd: of @dir, or -errno
 */
struct directory_input {
	struct file_input file;
	struct dir *dir;
	int dirfd;
};

/* struct task - work: stat @count nodes of @dir from @from on; 0: list the directory */
struct task {
	struct dir *dir;
	u32 from;
	u32 count;
};

struct scan {
	struct source *src;
	struct directory *d;
	struct progress progress;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct array tasks;	/* struct task */
	unsigned int running;
	int err;
	u64 root_dev;
	bool ids_left;
};

/* A name of a listing */
struct found {
	u64 key;
	char *name;
};

/**
 * struct worker - data of a thread
 * @cwd: the thread has a working directory of its own, for system calls without a
 *	directory descriptor
 */
struct worker {
	struct scan *s;
	struct arena arena;
	struct xattr_reader xattr;
	struct array found;	/* struct found */
	char *dents;
	char path[64 + DSFS_NAME_MAX];
	u64 skipped;
	u64 clamped;
	u64 gone;
	u64 links;
	u32 uid;
	u32 gid;
	u32 owner;
	bool owner_known;
	bool cwd;
};

/* What a thread needs; 0 or -ENOMEM.  It is to be freed even then. */
int scan_worker_init(struct worker *w, struct scan *s);
void scan_worker_free(struct worker *w);

/**
 * scan_names - the names of a directory, without what --exclude leaves out
 * @fd: of @dir
 *
 * Return: 0, w->found has them; -errno.
 */
int scan_names(struct worker *w, struct dir *dir, int fd);

/**
 * stat_fill - set the attributes of a node (stat.c)
 * @fd: descriptor of its directory
 * @st: result of stat()
 *
 * Return: 0 or -errno.
 */
int stat_fill(struct worker *w, struct dir *dir, struct node *n, int fd, const char *name,
	      const struct stat *st);

/**
 * stat_fill_again - set those of a directory that is not the one that stat() saw: a file
 *	system was mounted there when it was entered
 * @fd: the directory itself
 *
 * Return: 0 or -errno.
 */
int stat_fill_again(struct worker *w, struct dir *dir, int fd, const struct stat *st);

/* Of struct source_ops: scan.c, directory_input.c and recheck.c */
int scan_tree(struct source *src);
bool directory_open(struct input *in);
void directory_close(struct input *in);
void directory_leave(struct input *in);
int directory_recheck(struct source *src);

#endif /* MKFS_DIRECTORY_H */
