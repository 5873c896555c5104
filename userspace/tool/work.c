// SPDX-License-Identifier: GPL-2.0
/*
 * Work that several threads do, in two forms.
 *
 * work_run(): threads take the next part until there is none.  What they wait for is a device, so
 * there may be many more of them than processors.
 *
 * struct work: tasks go in, and results come out in the same order, so what is made of them does
 * not depend on who did what.  A line of tasks is bounded, and with it memory.  Several lines may
 * share threads.  Whoever waits for a task may do another one instead: with no thread at all, each
 * task is done by who put it.
 */
#include "msg.h"
#include "stop.h"
#include "work.h"

struct work_parts {
	void (*fn)(void *ctx, size_t i);
	void *ctx;
	size_t nr;
	size_t next;
};

static void *parts_thread(void *arg)
{
	struct work_parts *w = arg;
	size_t i;

	while (!stop_asked()) {
		i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED);
		if (i >= w->nr)
			break;
		w->fn(w->ctx, i);
	}
	return NULL;
}

void work_run(unsigned int jobs, size_t nr, void (*fn)(void *ctx, size_t i), void *ctx)
{
	struct work_parts w = { .fn = fn, .ctx = ctx, .nr = nr };
	pthread_t threads[WORK_JOBS_MAX];
	unsigned int started = 0;

	while (started + 1 < jobs && started + 1 < nr &&
	       !pthread_create(&threads[started], NULL, parts_thread, &w))
		started++;
	parts_thread(&w);
	while (started)
		pthread_join(threads[--started], NULL);
}

struct work_thread {
	struct work *work;
	void *own;
	pthread_t thread;
};

/* A task is done: tell who waits for it; lock held. */
static void done(struct work_task *task)
{
	task->done = true;
	if (task->line->awaited == task)
		pthread_cond_broadcast(&task->line->change);
}

/* Do the oldest task that waits; lock held, except for meanwhile. */
static void run_one(struct work *w, void *own)
{
	struct work_task *task = w->first;

	w->first = task->next;
	if (!w->first)
		w->last = &w->first;
	w->waiting--;
	pthread_mutex_unlock(&w->lock);
	task->run(task, own);
	pthread_mutex_lock(&w->lock);
	done(task);
}

static void *work_thread(void *arg)
{
	const struct work_thread *t = arg;
	struct work *w = t->work;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		if (w->first)
			run_one(w, t->own);
		else
			pthread_cond_wait(&w->more, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Return: 0 or -errno. */
static int start_one(struct work *w, struct work_thread *t)
{
	int err;

	*t = (struct work_thread){ .work = w, .own = w->begin(w->ctx) };
	if (!t->own)
		return -ENOMEM;
	err = pthread_create(&t->thread, NULL, work_thread, t);
	if (err)
		w->end(t->own);
	return -err;
}

/* Start as many threads as can be had; lock held. */
static void start(struct work *w)
{
	w->started = true;
	w->threads = calloc(w->most, sizeof(*w->threads));
	w->err = w->threads || !w->most ? 0 : -ENOMEM;
	while (!w->err && w->nthreads < w->most) {
		w->err = start_one(w, &w->threads[w->nthreads]);
		w->nthreads += !w->err;
	}
}

void work_init(struct work *w)
{
	w->last = &w->first;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->more, NULL);
}

unsigned int work_start(struct work *w)
{
	pthread_mutex_lock(&w->lock);
	if (!w->started)
		start(w);
	pthread_mutex_unlock(&w->lock);
	return w->nthreads;
}

void work_end(struct work *w)
{
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->more);
	pthread_mutex_unlock(&w->lock);
	for (unsigned int i = 0; i < w->nthreads; i++) {
		pthread_join(w->threads[i].thread, NULL);
		w->end(w->threads[i].own);
	}
	free(w->threads);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->more);
}

void work_line_init(struct work_line *l)
{
	l->last = &l->first;
	pthread_cond_init(&l->change, NULL);
}

/* Take back the tasks of a line that nobody has begun; lock held. */
static void take_back(struct work_line *l)
{
	struct work *w = l->work;
	struct work_task **at = &w->first;

	while (*at) {
		if ((*at)->line != l) {
			at = &(*at)->next;
			continue;
		}
		(*at)->done = true;
		*at = (*at)->next;
		w->waiting--;
	}
	w->last = at;
}

/* Wait for a task, of which it is enough that it is there if it is an early one; lock held. */
static void await(const struct work_task *task, bool early, void *own)
{
	struct work_line *l = task->line;

	while (!task->done && !(early && task->early) && !l->stop) {
		if (own && l->work->first) {
			run_one(l->work, own);
		} else {
			l->awaited = task;
			pthread_cond_wait(&l->change, &l->work->lock);
		}
	}
	l->awaited = NULL;
}

void work_line_clear(struct work_line *l)
{
	pthread_mutex_lock(&l->work->lock);
	take_back(l);
	for (const struct work_task *task = l->first; task; task = task->after)
		await(task, false, NULL);
	l->first = NULL;
	l->last = &l->first;
	l->held = 0;
	pthread_mutex_unlock(&l->work->lock);
}

void work_line_free(struct work_line *l)
{
	pthread_cond_destroy(&l->change);
}

bool work_fits(struct work_line *l, bool wait)
{
	bool fits;

	pthread_mutex_lock(&l->work->lock);
	while (wait && l->held == l->room && !l->stop)
		pthread_cond_wait(&l->change, &l->work->lock);
	fits = l->held < l->room && !l->stop;
	pthread_mutex_unlock(&l->work->lock);
	return fits;
}

/* Put a task into the queue of the threads; lock held. */
static void queue(struct work *w, struct work_task *task, void *own)
{
	if (!w->started)
		start(w);
	task->next = NULL;
	*w->last = task;
	w->last = &task->next;
	/* each thread has one to do and one to go on with */
	if (++w->waiting > 2 * w->nthreads && own)
		run_one(w, own);
	else
		pthread_cond_signal(&w->more);
}

void work_put(struct work_line *l, struct work_task *task, void *own)
{
	pthread_mutex_lock(&l->work->lock);
	task->line = l;
	task->after = NULL;
	task->done = !task->run && !task->early;
	if (!l->first)
		pthread_cond_broadcast(&l->change);
	*l->last = task;
	l->last = &task->after;
	l->held++;
	if (task->run)
		queue(l->work, task, own);
	pthread_mutex_unlock(&l->work->lock);
}

void work_done(struct work_task *task)
{
	pthread_mutex_lock(&task->line->work->lock);
	done(task);
	pthread_mutex_unlock(&task->line->work->lock);
}

void work_close(struct work_line *l, bool stop)
{
	pthread_mutex_lock(&l->work->lock);
	l->fed = false;
	l->stop |= stop;
	pthread_cond_broadcast(&l->change);
	pthread_mutex_unlock(&l->work->lock);
}

struct work_task *work_take(struct work_line *l, void *own)
{
	struct work_task *task;

	pthread_mutex_lock(&l->work->lock);
	while (!l->first && l->fed && !l->stop)
		pthread_cond_wait(&l->change, &l->work->lock);
	task = l->first;
	if (task)
		await(task, true, own);
	if (l->stop)
		task = NULL;
	if (task) {
		l->first = task->after;
		if (!l->first)
			l->last = &l->first;
	}
	pthread_mutex_unlock(&l->work->lock);
	return task;
}

void work_wait(struct work_task *task, void *own)
{
	struct work *w = task->line->work;

	pthread_mutex_lock(&w->lock);
	await(task, false, own);
	pthread_mutex_unlock(&w->lock);
}

void work_free(struct work_line *l)
{
	pthread_mutex_lock(&l->work->lock);
	l->held--;
	pthread_cond_broadcast(&l->change);
	pthread_mutex_unlock(&l->work->lock);
}

int work_need(struct work *w)
{
	if (work_start(w))
		return 0;
	if (w->err == -ENOMEM)
		return no_memory();
	return msg_fail(w->err, NULL, "cannot start a thread: %s", strerror(-w->err));
}

/* Put as many tasks as there is room for.  Return: whether there may be more. */
static bool put_next(struct work_line *l, const struct work_pass *p, char *tasks, size_t *put)
{
	while (work_fits(l, false)) {
		struct work_task *task = (void *)(tasks + *put % p->room * p->bytes);

		memset(task, 0, p->bytes);
		task->run = p->run;
		if (!p->next(l->work->ctx, task))
			return false;
		work_put(l, task, NULL);
		++*put;
	}
	return true;
}

static int pass(struct work_line *l, const struct work_pass *p, char *tasks)
{
	struct work_task *task;
	bool more = true;
	size_t put = 0;
	int ret = 0;

	while (!ret) {
		more = more && put_next(l, p, tasks, &put);
		task = work_take(l, NULL);
		if (!task)
			break;
		ret = p->take ? p->take(l->work->ctx, task) : 0;
		work_free(l);
	}
	return ret;
}

int work_pass(struct work *w, const struct work_pass *p)
{
	struct work_line l = { .work = w, .room = p->room };
	char *tasks = calloc(p->room, p->bytes);
	int ret;

	work_init(w);
	work_line_init(&l);
	ret = tasks ? work_need(w) ?: pass(&l, p, tasks) : no_memory();
	work_end(w);
	work_line_free(&l);
	free(tasks);
	return ret;
}
