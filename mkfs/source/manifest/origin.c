// SPDX-License-Identifier: GPL-2.0
/*
 * The files that a manifest names, and parts of which are contents: looked at when their lines
 * are read, opened when the contents are, and looked at again at the end.
 */
#include <unistd.h>

#include "manifest.h"
#include "msg.h"
#include "work.h"

#define BATCH		256	/* records */
#define ORIGIN_BYTES	100	/* more or less */

/* Report a file that cannot be read.  Errors of this process, such as ENOMEM, are always fatal. */
static int bad_origin(struct manifest *m, struct node *n, const char *path, const char *why,
		      int err)
{
	const char *shown = manifest_show(m, path), *colon = *why && err ? ": " : "";
	const char *text = err ? msg_why(-err) : "";

	if (!source_own_trouble(err))
		return manifest_leave_out(m, n, m->line, "source: %s: %s%s%s", shown, why, colon,
					  text);
	return msg_fail(-EIO, m->src.o->manifest, "line %u: source: %s: %s%s%s", m->line, shown,
			why, colon, text);
}

static int add_origin(struct manifest *m, const struct holder *o)
{
	const struct holder **last;

	if (m->origins.n == RECORD_ORIGIN)
		return manifest_fail(m, m->line, "source: %s: one more: the limit is %u files",
				     manifest_show(m, o->path), RECORD_ORIGIN);
	last = blocks_add(&m->origins, &m->src.tree->arena);
	if (!last)
		return -ENOMEM;
	*last = o;
	m->origin = o;
	return 0;
}

/*
 * Set m->origin to the file of a content; it is often that of the line before.
 * A node that is left out is marked.
 */
static int get_origin(struct manifest *m, struct node *n, const char *path)
{
	struct holder *o;
	const char *why;
	struct stat st;
	int err;

	if (m->origin && !strcmp(m->origin->path, path))
		return 0;
	if (fstatat(m->dirfd, path, &st, 0))
		return bad_origin(m, n, path, "", -errno);
	if (!S_ISREG(st.st_mode))
		return manifest_fail(m, m->line, "source: %s: not a regular file",
				     manifest_show(m, path));
	if (source_is_image(&m->src, &st))
		return manifest_fail(m, m->line, "source: %s: is the image itself",
				     manifest_show(m, path));
	why = empty_check(&m->src, m->dirfd, path, true, &st, &err);
	if (why)
		return bad_origin(m, n, path, why, err);
	o = arena_zalloc(&m->src.tree->arena, sizeof(*o) + strlen(path) + 1);
	if (!o)
		return -ENOMEM;
	o->size = st.st_size;
	o->check = file_check(&st);
	memcpy(o->path, path, strlen(path));
	return add_origin(m, o);
}

int manifest_set_origin(struct manifest *m, struct node *n, const struct entry *e)
{
	int ret = get_origin(m, n, e->source);
	const struct holder *o = m->origin;
	struct record *r;

	if (ret || n->flags & NODE_GONE)
		return ret;
	if (e->offset > o->size)
		return manifest_leave_out(m, n, m->line, "offset: %llu: %s has %llu bytes",
					  e->offset, manifest_show(m, o->path), o->size);
	n->size = entry_has(e, ENTRY_SIZE) ? e->size : o->size - e->offset;
	if (n->size > o->size - e->offset)
		return manifest_leave_out(m, n, m->line,
					  "size: %llu from %llu on: %s has %llu bytes",
					  n->size, e->offset, manifest_show(m, o->path), o->size);
	if (n->size >= DSFS_MAX_OFFSET)
		return manifest_fail(m, m->line, "size: %llu bytes: the limit is %llu", n->size,
				     DSFS_MAX_OFFSET - 1);
	r = manifest_record(m, n);
	r->origin = m->origins.n;
	r->offset = e->offset;
	return 0;
}

void manifest_leave(struct input *in)
{
	struct manifest_input *mi = (struct manifest_input *)in;

	if (mi->origin)
		close(mi->file.fd);
	mi->origin = NULL;
}

bool manifest_open(struct input *in)
{
	struct manifest_input *mi = (struct manifest_input *)in;
	const struct manifest *m = (const struct manifest *)in->src;
	const struct record *r = manifest_record(m, in->node);
	const struct holder *o = manifest_origin(m, r);

	/* Only a file without contents has none, and nobody opens that. */
	if (!o)
		return input_fail(in, "no source", -EINVAL);
	mi->file.base = r->offset;
	mi->file.asked = false;
	if (mi->origin == o)
		return true;
	manifest_leave(in);
	mi->file.fd = openat(m->dirfd, o->path, FILE_FLAGS);
	if (mi->file.fd < 0)
		return input_fail(in, "cannot open", -errno);
	mi->origin = o;
	mi->file.size = o->size;
	mi->file.check = o->check;
	return true;
}

/* struct holder_recheck - the second look at all files */
struct holder_recheck {
	struct manifest *m;
	struct progress progress;
};

static void check_origin(struct manifest *m, const struct holder *o, u32 line)
{
	const char *why = "changed during the run";
	struct stat st;
	char *subject;
	int ret = file_stat(m->dirfd, o->path, 0, &st);

	if (!ret && file_same(o->check, &st, m->dirfd, o->path, 0))
		return;
	if (ret)
		why = ret == -ENOENT ? "vanished during the run" : "cannot read attributes";
	if (asprintf(&subject, "%s: line %u: source: %s", m->src.o->manifest, line, o->path) < 0)
		subject = NULL;
	source_changed(&m->src, subject, why, ret == -ENOENT ? 0 : ret);
	free(subject);
}

/* Lines that follow one another and name one file have one origin. */
static void check_batch(void *arg, size_t batch)
{
	struct holder_recheck *rc = arg;
	const struct manifest *m = rc->m;
	const size_t from = batch * BATCH, left = m->records.n - from;
	const size_t end = from + (left < BATCH ? left : BATCH);
	const struct holder *last = NULL;

	if (from)
		last = manifest_origin(m, blocks_at(&m->records, from - 1));
	for (size_t i = from; i < end; i++) {
		const struct record *r = blocks_at(&m->records, i);
		const struct holder *o = manifest_origin(m, r);

		if (!o || o == last)
			continue;
		last = o;
		check_origin(rc->m, last, r->line);
	}
	overflow_pass(m->src.tree->overflow, BATCH * (sizeof(struct record) + ORIGIN_BYTES));
	progress_add(&rc->progress, end - from);
}

int manifest_recheck(struct source *src)
{
	struct holder_recheck rc = { .m = (struct manifest *)src };
	const size_t n = rc.m->records.n;

	progress_start_count(&rc.progress, "checking the source", n);
	work_run(src->threads, (n + BATCH - 1) / BATCH, check_batch, &rc);
	progress_end(&rc.progress);
	return 0;
}
