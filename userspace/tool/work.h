/* SPDX-License-Identifier: GPL-2.0 */
/* Work of many equal parts, done by several threads. */
#ifndef DSFS_WORK_H
#define DSFS_WORK_H

#include "dsfs_platform.h"

#define WORK_JOBS_MAX	1024

/**
 * work_run - call a function for 0 to @nr - 1
 * @jobs: threads, 1 to WORK_JOBS_MAX, the caller's one of them; fewer if no more can be made
 * @nr: parts, which are begun in their order
 * @fn: does a part; several are done at once
 *
 * Ends early if it was asked to stop (stop.h).
 */
void work_run(unsigned int jobs, size_t nr, void (*fn)(void *ctx, size_t i), void *ctx);

#endif /* DSFS_WORK_H */
