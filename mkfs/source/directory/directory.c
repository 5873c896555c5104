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
}

static int directory_init(struct source *src)
{
	struct directory *d = (struct directory *)src;
	int ret;

	d->pattern_used = calloc(src->o->npatterns + 1, sizeof(bool));
	if (!d->pattern_used)
		return no_memory();
	ret = dirfd_init(&d->dirs, src->tree->root_dir, src->o->source, src->threads);
	if (ret)
		msg_error(src->o->source, "cannot open: %s", msg_why(-ret));
	return ret;
}

const struct source_ops directory_ops = {
	.bytes = sizeof(struct directory),
	.input_bytes = sizeof(struct directory_input),
	.init = directory_init,
	.list = scan_tree,
	.open = directory_open,
	.read = file_read,
	.next_data = file_next_data,
	.unchanged = file_unchanged,
	.close = directory_close,
	.leave = directory_leave,
	.recheck = directory_recheck,
	.name = directory_name,
	.free = directory_free,
};
