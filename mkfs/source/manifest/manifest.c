// SPDX-License-Identifier: GPL-2.0
/*
 * A manifest as a source: a list becomes a tree.  A data set may be in an object store, in
 * archives or in files of another layout; a manifest packs it without a directory tree.
 *
 * Besides the tree, memory is needed for a record of each line: its number, for messages,
 * and the place of the content.
 */
#include <fcntl.h>
#include <unistd.h>

#include "list.h"
#include "manifest.h"
#include "msg.h"

#define PROGRESS_LINES	4096

/* Add a line.  A bad line does not end the run yet, so that all errors of a list are reported. */
static int add_line(void *ctx, char *line, size_t len, u64 number)
{
	struct manifest *m = ctx;
	int ret = entry_parse(&m->entry, line, len);

	m->line = number < U32_MAX ? number : U32_MAX;
	if (number % PROGRESS_LINES == 0)
		progress_add(&m->progress, PROGRESS_LINES);
	if (ret < 0)
		manifest_fail(m, m->line, "%s", m->entry.why);
	else if (ret)
		ret = manifest_add(m, line, len);
	return ret == -EINVAL ? 0 : ret;
}

static int manifest_list(struct source *src)
{
	struct manifest *m = (struct manifest *)src;
	int ret;

	progress_start_count(&m->progress, "reading the manifest", 0);
	ret = list_read(src->o->manifest, false, add_line, m);
	progress_end(&m->progress);
	if (!ret)
		ret = manifest_finish(m);
	src->xattrs_ignored = m->list.left_out;
	manifest_count_errors(m);
	return ret == -ENOMEM ? no_memory() : ret;
}

/* Name a node in a message: the line, and the file that it refers to. */
static void manifest_name(const struct source *src, const struct dir *dir,
			  const struct node *node, struct source_name *name)
{
	char shown[MANIFEST_SHOWN], from[MANIFEST_SHOWN];
	const struct holder *o;
	const struct record *r;
	char *path;

	name->subject = strdup(src->o->manifest);
	if (!node)
		return;
	r = manifest_record((const struct manifest *)src, node);
	o = manifest_origin((const struct manifest *)src, r);
	path = tree_path(src->tree, dir, node, true);
	if (asprintf(&name->detail, "line %u: /%s%s%s: ", r->line,
		     msg_escape(shown, sizeof(shown), path ? path : ""),
		     o ? ": " : "", msg_escape(from, sizeof(from), o ? o->path : "")) < 0)
		name->detail = NULL;
	free(path);
}

static void manifest_free(struct source *src)
{
	struct manifest *m = (struct manifest *)src;

	grow_free(&m->grow);
	blocks_free(&m->records);
	blocks_free(&m->origins);
	sorter_free(&m->later);
	array_free(&m->defaults);
	entry_free(&m->entry);
	array_free(&m->list.items);
	free(m->set);
	if (m->dirfd >= 0)
		close(m->dirfd);
}

static int manifest_init(struct source *src)
{
	struct manifest *m = (struct manifest *)src;

	m->records.size = sizeof(struct record);
	m->origins.size = sizeof(struct holder *);
	m->defaults.size = sizeof(struct entry_attrs);
	sorter_init(&m->later, src->o->limits.memory);
	xattr_list_init(&m->list);
	m->entry.defaults = (struct entry_attrs){ .mode = 0644, .dirmode = 0755 };
	m->dirfd = open(src->o->source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m->dirfd >= 0)
		return grow_init(&m->grow, src->tree, &manifest_rules, m) ? no_memory() : 0;
	return msg_fail(-EIO, src->o->source, "cannot open: %s", msg_why(errno));
}

const struct source_ops manifest_ops = {
	.bytes = sizeof(struct manifest),
	.input_bytes = sizeof(struct manifest_input),
	.init = manifest_init,
	.list = manifest_list,
	.open = manifest_open,
	.read = file_read,
	.next_data = file_next_data,
	.unchanged = file_unchanged,
	.leave = manifest_leave,
	.recheck = manifest_recheck,
	.name = manifest_name,
	.free = manifest_free,
};
