// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that take the next part until there is none.  What they wait for is a
 * device, so there may be many more of them than processors.
 */
#include <pthread.h>

#include "stop.h"
#include "work.h"

struct work {
	void (*fn)(void *ctx, size_t i);
	void *ctx;
	size_t nr;
	size_t next;
};

static void *work_thread(void *arg)
{
	struct work *w = arg;
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
	struct work w = { .fn = fn, .ctx = ctx, .nr = nr };
	pthread_t threads[WORK_JOBS_MAX];
	unsigned int started = 0;

	while (started + 1 < jobs && started + 1 < nr &&
	       !pthread_create(&threads[started], NULL, work_thread, &w))
		started++;
	work_thread(&w);
	while (started)
		pthread_join(threads[--started], NULL);
}
