/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports: of the plan with --dry-run, and of the result.
 */
#ifndef MKFS_REPORT_H
#define MKFS_REPORT_H

#include "meta/meta.h"
#include "plan/plan.h"
#include "../userspace/digest/digest.h"

/* Reports go to standard output, as text or JSON; --quiet leaves them out. */
void report_plan(const struct mkfs *mkfs, const struct plan *p);
/* The digest is what was asked for, so --quiet does not leave it out. */
void report_digest(const struct mkfs *mkfs, const struct digest_result *result);
void report_done(const struct mkfs *mkfs, const struct plan *p,
		 const struct stream *s, const struct meta *m);

#endif /* MKFS_REPORT_H */
