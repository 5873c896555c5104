// SPDX-License-Identifier: GPL-2.0
/*
 * What all sources have in common: their memory, and what is said of something
 * that cannot be read.
 */
#include <stdlib.h>

#include "msg.h"
#include "source.h"

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

/* What this process lacks says nothing about a file. */
static bool own_trouble(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

int source_unreadable(struct source *src, const struct dir *dir,
		      const struct node *node, const char *why, int err)
{
	struct source_name name = { .hint = "" };
	/* an image without all of the source would be an empty one */
	bool all = !node && !dir->parent;
	bool skip = src->o->skip_unreadable && !own_trouble(err) && !all;

	src->ops->name(src, dir, node, &name);
	(skip ? msg_warn : msg_error)(name.subject ? name.subject : src->o->source,
				      "%s%s%s%s%s%s",
				      name.detail ? name.detail : "", why,
				      err ? ": " : "", err ? strerror(-err) : "",
				      name.hint, skip ? ": left out" : "");
	free(name.subject);
	free(name.detail);
	return skip ? 0 : err ? err : -EIO;
}
