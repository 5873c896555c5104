/* SPDX-License-Identifier: GPL-2.0 */
/* Waits of readers, which a signal or their program may end. */
#ifndef HTTP_SLEEP_H
#define HTTP_SLEEP_H

#include <semaphore.h>
#include <stdbool.h>

/* Interval in which a waiting reader calls @stop, in ms */
#define SLEEP_ASK_MS	200

/**
 * sleep_on - wait for a semaphore
 * @stop: called now and then; the wait ends when it returns non-zero.  NULL: only signals end it
 *
 * Return: whether a signal, or @stop, ended the wait.
 */
bool sleep_on(sem_t *sem, int (*stop)(void));

#endif /* HTTP_SLEEP_H */
