/* SPDX-License-Identifier: GPL-2.0 */
/* Work of many parts, done by several threads. */
#ifndef DSFS_WORK_H
#define DSFS_WORK_H

#include <pthread.h>

#include "dsfs_platform.h"

#define WORK_JOBS_MAX	1024

/**
 * work_run - call a function for 0 to @nr - 1
 * @jobs: threads, 1 to WORK_JOBS_MAX, the caller's one of them; fewer if no more can be made
 * @nr: parts, which are begun in their order
 * @fn: does a part; several are done at once
 *
 * Ends early if it was asked to stop (stop.h).
 */
void work_run(unsigned int jobs, size_t nr, void (*fn)(void *ctx, size_t i), void *ctx);

/**
 * struct work_task - a part of work, at the beginning of a structure of who has it done
 * @run: does it, with what the thread has of its own; NULL: who has put it does it
 * @early: who takes it gets it before it is done
 */
struct work_task {
	void (*run)(struct work_task *task, void *own);
	bool early;
	bool done;
	struct work_line *line;
	struct work_task *next;
	struct work_task *after;
};

/**
 * struct work - threads, and the tasks that wait for one
 * @begin: makes what a thread has of its own; NULL: no memory; @end frees it
 * @most: how many threads there may be; they start with the first task
 * @first, @last, @waiting: tasks that nobody has begun, in the order in which they came
 * @err: -errno, why there are not as many as there may be
 */
struct work {
	void *(*begin)(void *ctx);
	void (*end)(void *own);
	void *ctx;
	unsigned int most;
	unsigned int nthreads;
	struct work_thread *threads;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct work_task *first;
	struct work_task **last;
	unsigned int waiting;
	int err;
	bool started;
	bool stop;
};

/* Its first four fields are set, and the others are zero. */
void work_init(struct work *w);
/* Start the threads now.  Return: how many there are; none: w->err says why. */
unsigned int work_start(struct work *w);
/* The same, where at least one is needed.  Messages are written.  Return: 0 or -errno. */
int work_need(struct work *w);
/* Let threads end what they do; what nobody has begun is left. */
void work_end(struct work *w);

/**
 * struct work_line - tasks that go in, and come out in the same order, done
 * @fed: another thread puts tasks than the one that takes them, up to work_close()
 * @first, @last: tasks that nobody has taken
 * @held: tasks that were put and are not freed; no more than @room
 * @awaited: whoever takes tasks waits for this one
 */
struct work_line {
	struct work *work;
	unsigned int room;
	bool fed;
	pthread_cond_t change;
	struct work_task *first;
	struct work_task **last;
	const struct work_task *awaited;
	unsigned int held;
	bool stop;
};

/* Its first three fields are set, and the others are zero.  @w: begun before, and ended later */
void work_line_init(struct work_line *l);
/* Nobody works on its tasks any more: those that were begun end.  It is empty then. */
void work_line_clear(struct work_line *l);
void work_line_free(struct work_line *l);

/* Whether one more task may be put; @wait: once it may; false: nothing more is wanted. */
bool work_fits(struct work_line *l, bool wait);

/**
 * work_put - have a task done
 * @own: of the caller, who does one himself if many wait; NULL: he does not
 */
void work_put(struct work_line *l, struct work_task *task, void *own);
/* A task without @run, which was put early, is done. */
void work_done(struct work_task *task);
/* Nobody puts more into a line; @stop: nothing more is wanted, and nobody waits any more. */
void work_close(struct work_line *l, bool stop);

/**
 * work_take - the oldest task, once it is done
 * @own: of the caller, who does others meanwhile; NULL: he does not
 *
 * Return: NULL: there is no more, or nothing more is wanted.
 */
struct work_task *work_take(struct work_line *l, void *own);
/* Wait until a task is done, as in work_take(); it is not taken by that. */
void work_wait(struct work_task *task, void *own);
/* The place of the oldest one that was taken may have another task. */
void work_free(struct work_line *l);

/**
 * struct work_pass - tasks that are made one after the other, and whose results are taken so
 * @bytes: of a task, which begins with struct work_task; @room: as many at a time
 * @run: does one
 * @next: makes the next one, where all is zero; false: there are no more
 * @take: gets one that is done; an error ends the pass; NULL: nobody has to
 */
struct work_pass {
	size_t bytes;
	unsigned int room;
	void (*run)(struct work_task *task, void *own);
	bool (*next)(void *ctx, struct work_task *task);
	int (*take)(void *ctx, struct work_task *task);
};

/**
 * work_pass - make tasks, have them done, and take them
 * @w: its first four fields are set; @w->ctx is that of @p's functions, which this thread calls
 *
 * Return: 0; the error of @p->take; -errno: there are no threads, which has been said.
 */
int work_pass(struct work *w, const struct work_pass *p);

#endif /* DSFS_WORK_H */
