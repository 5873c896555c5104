// SPDX-License-Identifier: GPL-2.0
/*
 * A directory as a source: opening, names in messages, freeing.
 */
#include <stdlib.h>

#include "directory.h"
#include "../file.h"
#include "msg.h"

static void directory_name(const struct source *src, const struct dir *dir,
			   const struct node *node, struct source_name *name)
{
	name->subject = tree_path(src->tree, dir, node, false);
}

static void directory_free(struct source *src)
{
	struct directory *d = (struct directory *)src;

	dirfd_free(&d->dirs);
	free(d->pattern_used);
	free(d);
}

static const struct source_ops directory_ops = {
	.list = scan_tree,
	.input_new = directory_input_new,
	.input_free = directory_input_free,
	.open = directory_open,
	.read = file_read,
	.next_data = file_next_data,
	.unchanged = file_unchanged,
	.close = directory_close,
	.recheck = directory_recheck,
	.name = directory_name,
	.free = directory_free,
};

int source_directory(struct source **src, const struct options *o,
		     struct tree *t, unsigned int threads)
{
	struct directory *d;
	int ret;

	*src = source_alloc(sizeof(*d), &directory_ops, o, t, threads);
	if (!*src)
		return -ENOMEM;
	d = (struct directory *)*src;
	d->pattern_used = calloc(o->npatterns + 1, sizeof(bool));
	if (!d->pattern_used) {
		msg_error(NULL, "out of memory");
		return -ENOMEM;
	}
	ret = dirfd_init(&d->dirs, t->root_dir, o->source, threads);
	if (ret)
		msg_error(o->source, "cannot open: %s", msg_why(-ret));
	return ret;
}
