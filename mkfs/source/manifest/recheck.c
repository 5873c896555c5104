// SPDX-License-Identifier: GPL-2.0
/*
 * A check, after all contents have been read, that the files that a manifest names are
 * still what they were when their lines were read.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../file.h"
#include "manifest.h"

#define BATCH	256	/* records */

/**
 * struct recheck - the phase
 * @next: record that no thread has
 */
struct recheck {
	struct manifest *m;
	struct progress progress;
	size_t next;
};

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

/* Lines that follow one another and name one file have one origin. */
static void *work(void *arg)
{
	struct recheck *rc = arg;
	const struct record *r = (const struct record *)rc->m->records.p;
	const size_t all = rc->m->records.n;
	size_t i, end;

	while ((i = __atomic_fetch_add(&rc->next, BATCH, __ATOMIC_RELAXED)) < all) {
		end = all - i < BATCH ? all : i + BATCH;
		progress_add(&rc->progress, end - i);
		for (; i < end; i++) {
			if (!r[i].link && r[i].origin && (!i || r[i].origin != r[i - 1].origin))
				check_origin(rc->m, r[i].origin, r[i].line);
		}
	}
	return NULL;
}

int manifest_recheck(struct source *src)
{
	struct recheck rc = { .m = (struct manifest *)src };
	int ret;

	progress_start_count(&rc.progress, "checking the source", rc.m->records.n);
	ret = source_run(src->threads, work, &rc, 0);
	progress_end(&rc.progress);
	return ret;
}
