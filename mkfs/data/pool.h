/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that compress what the thread which has read it hands to them.
 */
#ifndef MKFS_POOL_H
#define MKFS_POOL_H

#include <pthread.h>

#include "../options/options.h"

struct packer;

/**
 * struct pool_task - something to compress
 * @run: does it; nobody but @run and whom it tells touches the task from then on
 * @owner, @what: for @run
 */
struct pool_task {
	void (*run)(struct pool_task *task, struct packer *packer);
	void *owner;
	void *what;
	struct pool_task *next;
};

/* A thread, and what it compresses with */
struct pool_thread {
	struct pool *pool;
	struct packer *packer;
	pthread_t thread;
};

/**
 * struct pool - threads, and the tasks that wait for one
 * @change: a task has come, or was done
 * @first, @last, @waiting: tasks that nobody has begun, in the order in which they came
 * @most: how many threads there may be; they start with the first task
 * @started: whether they have
 */
struct pool {
	const struct pack_rules *rules;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct pool_task *first;
	struct pool_task **last;
	unsigned int waiting;
	struct pool_thread *threads;
	unsigned int nthreads;
	unsigned int most;
	bool started;
	bool stop;
};

/* @threads: that compress at once, the one that calls pool_put() among them */
void pool_init(struct pool *pool, const struct pack_rules *rules, unsigned int threads);
/* Nobody uses it any more; what nobody has begun is left. */
void pool_free(struct pool *pool);

/*
 * Have a task done.  If many wait already the caller does one of them by its own @packer, so there
 * need not be a thread.
 */
void pool_put(struct pool *pool, struct pool_task *task, struct packer *packer);
/* In @run: what pool_wait() waits for */
void pool_tell(struct pool *pool, bool *done);
/* Wait until @done was told, and do tasks meanwhile. */
void pool_wait(struct pool *pool, const bool *done, struct packer *packer);
/* Take a task back that tells @done, or wait for it if it was begun. */
void pool_cancel(struct pool *pool, struct pool_task *task, const bool *done);

#endif /* MKFS_POOL_H */
