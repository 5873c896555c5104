// SPDX-License-Identifier: GPL-2.0
/*
 * Code that all sources use: memory, and messages of objects that cannot be
 * read.
 */
#include <stdlib.h>

#include "msg.h"
#include "source.h"

#define CHANGED_MAX	10	/* names in messages */
#define BATCH		256	/* nodes */

struct source *source_alloc(size_t bytes, const struct source_ops *ops,
			    const struct options *o, struct tree *t,
			    unsigned int threads)
{
	struct source *src = calloc(1, bytes);

	if (!src) {
		msg_error(NULL, "out of memory");
		return NULL;
	}
	src->ops = ops;
	src->o = o;
	src->tree = t;
	src->threads = threads;
	return src;
}

void source_free(struct source *src)
{
	if (src)
		src->ops->free(src);
}

/* Whether an error is one of this process and not of the file. */
static bool own_trouble(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

int source_unreadable(struct source *src, const struct dir *dir,
		      const struct node *node, const char *why, int err)
{
	struct source_name name = { .hint = "" };
	/* leaving out the source itself would give an empty image */
	bool all = !node && !dir->parent;
	bool skip = src->o->skip_unreadable && !own_trouble(err) && !all;

	src->ops->name(src, dir, node, &name);
	(skip ? msg_warn : msg_error)(name.subject ? name.subject : src->o->source,
				      "%s%s%s%s%s%s",
				      name.detail ? name.detail : "", why,
				      err ? ": " : "", err ? msg_why(-err) : "",
				      name.hint, skip ? ": left out" : "");
	free(name.subject);
	free(name.detail);
	return skip ? 0 : err ? err : -EIO;
}

int source_leave_out(struct source *src, const struct dir *dir, struct node *node,
		     const char *why, int err)
{
	int ret = source_unreadable(src, dir, node, why, err);

	if (ret)
		return ret;
	if (node->flags & NODE_LINK)
		node->u.link->gone = true;
	node->flags |= NODE_GONE;
	src->tree->gone++;
	src->skipped++;
	return 0;
}

int input_pass(struct input *in, char *buf, size_t room,
	       int (*emit)(void *ctx, const char *p, u64 bytes), void *ctx)
{
	const struct source_ops *ops = in->src->ops;
	const u64 size = in->node->size;
	u64 pos = 0, end = size <= room ? size : 0;
	int ret = 0;

	while (!ret && pos < size) {
		u64 from = pos, want;

		if (pos >= end) {
			end = ops->next_data(in, &pos);
			if (pos > from)
				ret = emit(ctx, NULL, pos - from);
			continue;
		}
		want = end - pos < room ? end - pos : room;
		if (!ops->read(in, buf, want, pos))
			return -EIO;
		ret = emit(ctx, buf, want);
		pos += want;
	}
	return ret;
}

void source_changed(struct source *src, const char *subject, const char *why, int err)
{
	if (__atomic_fetch_add(&src->changed, 1, __ATOMIC_RELAXED) >= CHANGED_MAX)
		return;
	(src->o->skip_unreadable ? msg_warn : msg_error)(subject ? subject : src->o->source,
			"%s%s%s", why, err ? ": " : "", err ? msg_why(-err) : "");
}

int source_run(unsigned int n, void *(*work)(void *arg), void *args, size_t size)
{
	pthread_t *threads = calloc(n, sizeof(*threads));
	unsigned int started = 0;
	int ret = threads ? 0 : ENOMEM;

	while (!ret && started < n) {
		ret = pthread_create(&threads[started], NULL, work,
				     (char *)args + started * size);
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
		b->dir++;
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

int source_recheck(struct source *src)
{
	const bool skip = src->o->skip_unreadable;
	int ret;

	if (!src->ops->recheck || src->o->no_recheck)
		return 0;
	ret = src->ops->recheck(src);
	if (ret == -ENOMEM)
		msg_error(NULL, "out of memory");
	if (ret || !src->changed)
		return ret;
	(skip ? msg_warn : msg_error)(*src->o->source ? src->o->source : NULL,
			"changes during the run: %llu%s: %s", src->changed,
			src->changed > CHANGED_MAX ? ", the first 10 of them listed" : "",
			skip ? "the image has what was read" : "no image is made");
	return skip ? 0 : -EAGAIN;
}
