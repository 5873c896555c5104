// SPDX-License-Identifier: GPL-2.0
/* Ranges, as readers use them: allocate, wait, free. */
#include <stdlib.h>
#include <string.h>

#include "object.h"

struct http_range *range_new(struct http_object *obj, const struct iovec *iov, int n, size_t len,
			     uint64_t pos, unsigned int flags)
{
	struct http_range *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct http_range){ .obj = obj, .pos = pos, .len = len, .flags = flags,
				   .begun = now_ms() };
	r->of = pieces_at(obj, pos, &r->from);
	SLIST_INIT(&r->waiters);
	r->n = iov ? n : 1;
	r->iov = malloc(r->n * sizeof(*r->iov));
	if (!iov)
		r->own = malloc(len ? len : 1);
	if (!r->of || !r->iov || (!iov && !r->own)) {
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
	r->ret = ret;
	r->done = true;
	wake_all(&r->waiters);
}

int range_wait(struct http_range *r, int (*stop)(void))
{
	int ret;

	pthread_mutex_lock(&r->obj->lock);
	if (!r->done)
		wait_in(&r->waiters, &r->obj->lock, stop);
	ret = r->done ? r->ret : -EINTR;
	pthread_mutex_unlock(&r->obj->lock);
	return ret;
}

/* Cancel a range and wait, whatever signals come: the thread drops it at once. */
static void give_up(struct http_range *r)
{
	struct http_object *obj = r->obj;

	pthread_mutex_lock(&obj->lock);
	if (!r->done) {
		__atomic_store_n(&r->cancelled, true, __ATOMIC_RELEASE);
		__atomic_store_n(&obj->any_cancelled, true, __ATOMIC_RELEASE);
		obj->curl->multi_wakeup(obj->multi);
	}
	while (!r->done)
		wait_in(&r->waiters, &obj->lock, NULL);
	pthread_mutex_unlock(&obj->lock);
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
