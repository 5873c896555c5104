/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports: of the plan with --dry-run, and of the result.
 */
#ifndef MKFS_REPORT_H
#define MKFS_REPORT_H

#include "../base/kept.h"
#include "../data/store.h"
#include "../meta/meta.h"
#include "../plan/plan.h"
#include "../../userspace/digest/digest.h"

/**
 * struct report - what is told, and of what
 * @store, @meta: of the result alone
 * @base: NULL: there is none
 * @kept: the generations of --keep; NULL: it was not given
 * @dead_of: what has bytes that packing anew gets rid of; NULL: a plan tells of none
 * @keeps: files keep the content that the image has of them
 * @once: later entries of the source may replace earlier ones
 * @archives: archives stay as they are
 * @in_place: they lie in the target
 */
struct report {
	const struct options *o;
	const struct params *params;
	const struct tree *tree;
	const struct source *source;
	const struct plan *plan;
	const struct store *store;
	const struct meta *meta;
	const struct base *base;
	const struct kept *kept;
	const char *dead_of;
	bool keeps;
	bool once;
	bool archives;
	bool in_place;
};

/* Reports go to standard output, as text or JSON; --quiet leaves them out. */
void report_plan(const struct report *r);
void report_done(const struct report *r);
/* The digest is what was asked for, so --quiet does not leave it out. */
void report_digest(const struct options *o, const struct source *src,
		   const struct digest_result *result);

#endif /* MKFS_REPORT_H */
