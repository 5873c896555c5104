/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ^C and its kind: a command stops between two files, says what it has done, and then
 * ends by that signal.
 */
#ifndef DSFS_STOP_H
#define DSFS_STOP_H

#include "dsfs_platform.h"

/** stop_init - SIGINT, SIGTERM and SIGHUP ask to stop from here on, unless ignored */
void stop_init(void);

/** stop_asked - number of the signal that asked to stop, or 0 */
int stop_asked(void);

/**
 * stop_end - end by the signal that asked to stop, as whoever sent it expects
 *
 * Call it when all is said.  Returns if nobody asked.
 */
void stop_end(void);

#endif /* DSFS_STOP_H */
