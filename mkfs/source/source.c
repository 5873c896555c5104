// SPDX-License-Identifier: GPL-2.0
/*
 * Code that all sources use: memory, and messages of objects that cannot be
 * read.
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
				      err ? ": " : "", err ? strerror(-err) : "",
				      name.hint, skip ? ": left out" : "");
	free(name.subject);
	free(name.detail);
	return skip ? 0 : err ? err : -EIO;
}
