// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that compress.  A codec is slower than the thread that reads, decompresses or lists, and
 * one large file or one archive would keep a single processor busy.  So its units, and the jobs of
 * archives, are tasks that any thread may take.  Who made a task waits for its results in order, so
 * an image does not depend on who did what.
 *
 * There are no more threads than compress at once, and whoever waits for a task does one instead:
 * with no thread at all, each task is done by who puts it.
 */
#include <stdlib.h>

#include "pack.h"
#include "pool.h"

/* Take the oldest task; lock held. */
static struct pool_task *take(struct pool *pool)
{
	struct pool_task *task = pool->first;

	pool->first = task->next;
	if (!pool->first)
		pool->last = &pool->first;
	pool->waiting--;
	return task;
}

/* Do the oldest task; lock held, except for meanwhile. */
static void run_one(struct pool *pool, struct packer *packer)
{
	struct pool_task *task = take(pool);

	pthread_mutex_unlock(&pool->lock);
	task->run(task, packer);
	pthread_mutex_lock(&pool->lock);
}

static void *pool_run(void *arg)
{
	const struct pool_thread *t = arg;
	struct pool *pool = t->pool;

	pthread_mutex_lock(&pool->lock);
	while (!pool->stop) {
		if (pool->first)
			run_one(pool, t->packer);
		else
			pthread_cond_wait(&pool->change, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static bool start_one(struct pool *pool, struct pool_thread *t)
{
	*t = (struct pool_thread){ .pool = pool, .packer = packer_new(pool->rules) };
	if (t->packer && !pthread_create(&t->thread, NULL, pool_run, t))
		return true;
	packer_free(t->packer);
	return false;
}

/* Start as many threads as can be had; lock held. */
static void start(struct pool *pool)
{
	pool->started = true;
	pool->threads = calloc(pool->most, sizeof(*pool->threads));
	while (pool->threads && pool->nthreads < pool->most &&
	       start_one(pool, &pool->threads[pool->nthreads]))
		pool->nthreads++;
}

void pool_init(struct pool *pool, const struct pack_rules *rules, unsigned int threads)
{
	*pool = (struct pool){ .rules = rules, .most = threads - 1 };
	pool->last = &pool->first;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->change, NULL);
}

void pool_free(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->change);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned int i = 0; i < pool->nthreads; i++) {
		pthread_join(pool->threads[i].thread, NULL);
		packer_free(pool->threads[i].packer);
	}
	free(pool->threads);
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->change);
}

void pool_put(struct pool *pool, struct pool_task *task, struct packer *packer)
{
	pthread_mutex_lock(&pool->lock);
	if (!pool->started)
		start(pool);
	task->next = NULL;
	*pool->last = task;
	pool->last = &task->next;
	/* each thread has one to do and one to go on with */
	if (++pool->waiting > 2 * pool->nthreads)
		run_one(pool, packer);
	else
		pthread_cond_broadcast(&pool->change);
	pthread_mutex_unlock(&pool->lock);
}

void pool_tell(struct pool *pool, bool *done)
{
	pthread_mutex_lock(&pool->lock);
	*done = true;
	pthread_cond_broadcast(&pool->change);
	pthread_mutex_unlock(&pool->lock);
}

void pool_wait(struct pool *pool, const bool *done, struct packer *packer)
{
	pthread_mutex_lock(&pool->lock);
	while (!*done) {
		if (pool->first)
			run_one(pool, packer);
		else
			pthread_cond_wait(&pool->change, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
}

void pool_cancel(struct pool *pool, struct pool_task *task, const bool *done)
{
	struct pool_task **at;

	pthread_mutex_lock(&pool->lock);
	for (at = &pool->first; *at && *at != task; at = &(*at)->next)
		;
	if (*at) {
		*at = task->next;
		if (!*at)
			pool->last = at;
		pool->waiting--;
	} else {
		while (!*done)
			pthread_cond_wait(&pool->change, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
}
