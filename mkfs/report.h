/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports: of the plan with --dry-run, and of the result.
 */
#ifndef MKFS_REPORT_H
#define MKFS_REPORT_H

#include "../userspace/digest/digest.h"

struct run;

/* Reports go to standard output, as text or JSON; --quiet leaves them out. */
void report_plan(const struct run *r);
/* The digest is what was asked for, so --quiet does not leave it out. */
void report_digest(const struct run *r, const struct digest_result *result);
void report_done(const struct run *r);

#endif /* MKFS_REPORT_H */
