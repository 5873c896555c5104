/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was done, or would be.
 */
#ifndef MKFS_REPORT_H
#define MKFS_REPORT_H

#include "meta/meta.h"
#include "plan/plan.h"

/* On standard output, as text or JSON; nothing with --quiet. */
void report_plan(const struct mkfs *mkfs, const struct plan *p);
void report_done(const struct mkfs *mkfs, const struct plan *p,
		 const struct stream *s, const struct meta *m);

#endif /* MKFS_REPORT_H */
