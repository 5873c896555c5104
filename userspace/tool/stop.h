/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ^C and its kind ask a command to stop.  It stops at the next opportunity, and says what it
 * has done.
 */
#ifndef DSFS_STOP_H
#define DSFS_STOP_H

#include "dsfs_platform.h"

/**
 * stop_init - SIGINT, SIGTERM and SIGHUP ask to stop from here on, unless ignored
 * @flags: SA_RESETHAND: a second one ends the command at once; SA_RESTART: they end no wait
 */
void stop_init(int flags);

/** stop_asked - number of the signal that asked to stop, or 0; for any thread */
int stop_asked(void);

/**
 * stop_end - end by the signal that asked to stop, as whoever sent it expects
 *
 * Call it when all is said.  Returns if nobody asked.
 */
void stop_end(void);

#endif /* DSFS_STOP_H */
