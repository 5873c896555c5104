/* SPDX-License-Identifier: GPL-2.0 */
/* A progress bar on stderr: drawn on a terminal, never into a log file. */
#ifndef DSFS_PROGRESS_H
#define DSFS_PROGRESS_H

#include "dsfs_platform.h"

/**
 * struct progress - one bar; a tool draws one at a time
 * @done: bytes or objects so far; any thread adds to it
 * @next: time (ns, monotonic) of the next drawing
 */
struct progress {
	const char *label;
	u64 total;
	u64 done;
	s64 begun;
	s64 next;
	bool shown;
	bool bytes;
};

/* 1: draw if stderr is a terminal (the default); 0: never (--quiet, --json) */
void progress_enable(bool on);

/**
 * progress_start - begin a bar that counts bytes
 * @label: kept, not copied
 * @total: 0: not known; rate and count are shown, no time left
 */
void progress_start(struct progress *p, const char *label, u64 total);

/** progress_start_count - begin a bar that counts objects */
void progress_start_count(struct progress *p, const char *label, u64 total);

/** progress_add - thread-safe; draws some ten times a second */
void progress_add(struct progress *p, u64 n);

/** progress_end - clear the bar */
void progress_end(struct progress *p);

#endif /* DSFS_PROGRESS_H */
