/* SPDX-License-Identifier: GPL-2.0 */
/* A directory as a source: declarations for its source files. */
#ifndef MKFS_DIRECTORY_H
#define MKFS_DIRECTORY_H

#include <pthread.h>

#include "progress.h"
#include "work.h"
#include "../file.h"
#include "../xattr.h"

#define DIRFD_SLOTS	1024

struct dirfd_slot {
	struct dir *dir;
	int fd;
	u32 users;
	bool recent;
};

struct dirfd_cache {
	pthread_mutex_t lock;
	unsigned int hand;
	unsigned int nslots;
	struct dirfd_slot slots[DIRFD_SLOTS];
};

/* A directory tree */
struct directory {
	struct source src;
	struct dirfd_cache dirs;
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
	unsigned int workers;
	int err;
	u64 root_dev;
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
	u32 uid;
	u32 gid;
	u32 owner;
	bool owner_known;
	bool cwd;
};

/*
 * Let workers do the tasks of a pass; before, one does what is for one alone.  Messages
 * are written.  Return: 0 or -errno.
 */
int scan_run(struct scan *s, int (*first)(struct worker *w), const struct work_pass *pass);

/**
 * scan_names - the names of a directory, without what --exclude leaves out
 * @fd: of @dir
 *
 * Return: 0, w->found has them; -errno.
 */
int scan_names(struct worker *w, struct dir *dir, int fd);

/* only.c: of struct options: whether a directory is above such paths; @below: its own */
bool only_above(const struct options *o, const char *below);
/*
 * The next name in it, of DSFS_NAME_MAX bytes at most, that leads to such paths; @at is 0 at first.
 * Return: false: there is none.
 */
bool only_next(const struct options *o, const char *below, size_t *at, char *name);

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

/* dirfd.c: descriptors of the directories, as many as there is room for */

/**
 * dirfd_init - open the source
 * @threads: number of threads that use directories and files
 * Return: 0 or -errno.
 */
int dirfd_init(struct dirfd_cache *c, struct dir *root, const char *source, unsigned int threads);
void dirfd_free(struct dirfd_cache *c);

/**
 * dirfd_get - get a descriptor of a directory; release it with dirfd_put()
 * Return: the descriptor or -errno.
 */
int dirfd_get(struct dirfd_cache *c, struct dir *dir);
void dirfd_put(struct dirfd_cache *c, struct dir *dir);

/* Of struct source_ops: scan.c and recheck.c */
int scan_tree(struct source *src);
int directory_recheck(struct source *src);

#endif /* MKFS_DIRECTORY_H */
