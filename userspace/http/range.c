// SPDX-License-Identifier: GPL-2.0
/* Ranges, as readers use them: allocate, wait, free. */
#include <stdlib.h>
#include <string.h>

#include "object.h"
#include "sleep.h"

struct http_range *range_new(struct http_object *obj, const struct iovec *iov, int n, size_t len,
			     uint64_t pos, unsigned int flags)
{
	struct http_range *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct http_range){ .obj = obj, .pos = pos, .len = len, .flags = flags,
				   .begun = now_ms() };
	SLIST_INIT(&r->waiters);
	r->n = iov ? n : 1;
	r->iov = malloc(r->n * sizeof(*r->iov));
	if (!iov)
		r->own = malloc(len ? len : 1);
	if (!r->iov || (!iov && !r->own)) {
		free(r->own);
		free(r->iov);
		free(r);
		return NULL;
	}
	if (iov)
		memcpy(r->iov, iov, n * sizeof(*iov));
	else
		*r->iov = (struct iovec){ r->own, len };
	return r;
}

void range_finish(struct http_range *r, int ret)
{
	struct waiter *w;

	r->ret = ret;
	r->done = true;
	while ((w = SLIST_FIRST(&r->waiters))) {
		SLIST_REMOVE_HEAD(&r->waiters, link);
		sem_post(&w->done);
	}
}

int range_wait(struct http_range *r, int (*stop)(void))
{
	struct waiter w;
	int ret;

	sem_init(&w.done, 0, 0);
	pthread_mutex_lock(&r->obj->lock);
	if (!r->done) {
		SLIST_INSERT_HEAD(&r->waiters, &w, link);
		pthread_mutex_unlock(&r->obj->lock);
		ret = sleep_on(&w.done, stop) ? -EINTR : 0;
		pthread_mutex_lock(&r->obj->lock);
		if (ret && !r->done)
			SLIST_REMOVE(&r->waiters, &w, waiter, link);
	}
	ret = r->done ? r->ret : -EINTR;
	pthread_mutex_unlock(&r->obj->lock);
	sem_destroy(&w.done);
	return ret;
}

/* Cancel a range and wait, whatever signals come: the thread drops it at once. */
static void give_up(struct http_range *r)
{
	struct http_object *obj = r->obj;
	struct waiter w;

	sem_init(&w.done, 0, 0);
	pthread_mutex_lock(&obj->lock);
	if (!r->done) {
		SLIST_INSERT_HEAD(&r->waiters, &w, link);
		__atomic_store_n(&r->cancelled, true, __ATOMIC_RELEASE);
		__atomic_store_n(&obj->any_cancelled, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&obj->lock);
		obj->curl->multi_wakeup(obj->multi);
		while (sem_wait(&w.done))
			;
		pthread_mutex_lock(&obj->lock);
	}
	pthread_mutex_unlock(&obj->lock);
	sem_destroy(&w.done);
}

void range_free(struct http_range *r)
{
	if (!r)
		return;
	give_up(r);
	address_free(&r->via);
	free(r->own);
	free(r->iov);
	free(r);
}
