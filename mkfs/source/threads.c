// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that share work on a source.
 */
#include <stdlib.h>

#include "msg.h"
#include "source.h"

#define BATCH		256	/* nodes */

int source_run(unsigned int n, void *(*work)(void *arg), void *args, size_t size)
{
	pthread_t *threads = calloc(n, sizeof(*threads));
	unsigned int started = 0;
	int ret = threads ? 0 : ENOMEM;

	while (!ret && started < n) {
		ret = pthread_create(&threads[started], NULL, work, (char *)args + started * size);
		started += !ret;
	}
	for (unsigned int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	if (started)
		return 0;
	msg_error(NULL, "cannot start a thread: %s", strerror(ret));
	return -ret;
}

bool batches_next(struct batches *b, struct dir **dir, u32 *from, u32 *count)
{
	const u32 most = b->most ? b->most : BATCH;
	const struct tree *t = b->tree;
	bool more;

	pthread_mutex_lock(&b->lock);
	while (b->dir < t->ndirs && b->from == t->dirs[b->dir]->count) {
		tree_pass(t, t->dirs[b->dir++]);
		b->from = 0;
	}
	more = b->dir < t->ndirs;
	if (more) {
		*dir = t->dirs[b->dir];
		*from = b->from;
		*count = (*dir)->count - b->from < most ? (*dir)->count - b->from : most;
		b->from += *count;
	}
	pthread_mutex_unlock(&b->lock);
	return more;
}
