// SPDX-License-Identifier: GPL-2.0
/*
 * Whether the files that a manifest takes contents from are still what they were when
 * their lines were read, once all is read.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../file.h"
#include "manifest.h"

struct recheck {
	struct manifest *m;
	struct progress progress;
	struct batches batches;
};

static const struct origin *origin_of(const struct manifest *m, const struct node *n)
{
	const struct record *r = manifest_record(m, n);

	return r->kind == RECORD_PART ? r->origin : NULL;
}

static void check_origin(struct manifest *m, const struct origin *o, u32 line)
{
	const char *why = "changed during the run";
	struct stat st;
	char *subject;
	int ret = file_stat(m->dirfd, o->path, 0, &st);

	if (!ret && file_check(&st) == o->check)
		return;
	if (ret == -ENOENT)
		why = "vanished during the run";
	else if (ret)
		why = "cannot read attributes";
	if (asprintf(&subject, "%s: line %u: source: %s", m->src.o->manifest, line,
		     o->path) < 0)
		subject = NULL;
	source_changed(&m->src, subject, why, ret == -ENOENT ? 0 : ret);
	free(subject);
}

/* Contents of one file have one origin if their lines followed one another. */
static void check_batch(struct recheck *rc, const struct dir *dir, u32 from, u32 count)
{
	struct manifest *m = rc->m;
	const struct origin *last = from ? origin_of(m, &dir->nodes[from - 1]) : NULL;

	for (const struct node *n = dir->nodes + from; n < dir->nodes + from + count; n++) {
		const struct origin *o = origin_of(m, n);

		if (o && o != last)
			check_origin(m, o, manifest_record(m, n)->line);
		last = o;
	}
	progress_add(&rc->progress, count);
}

static void *work(void *arg)
{
	struct recheck *rc = arg;
	struct dir *dir;
	u32 from, count;

	while (batches_next(&rc->batches, &dir, &from, &count))
		check_batch(rc, dir, from, count);
	return NULL;
}

int manifest_recheck(struct source *src)
{
	struct recheck rc = {
		.m = (struct manifest *)src,
		.batches = { .tree = src->tree },
	};
	int ret;

	pthread_mutex_init(&rc.batches.lock, NULL);
	progress_start_count(&rc.progress, "checking the source", src->tree->inodes);
	ret = source_run(src->threads, work, &rc, 0);
	progress_end(&rc.progress);
	pthread_mutex_destroy(&rc.batches.lock);
	return ret;
}
