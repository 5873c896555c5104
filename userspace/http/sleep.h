/* SPDX-License-Identifier: GPL-2.0 */
/* Waits of readers, which a signal or their program may end. */
#ifndef HTTP_SLEEP_H
#define HTTP_SLEEP_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/* Interval in which a waiting reader calls @stop, in ms */
#define SLEEP_ASK_MS	200

/**
 * sleep_on - wait for a semaphore
 * @stop: called now and then; the wait ends when it returns non-zero.  NULL: only signals end it
 *
 * Return: whether a signal, or @stop, ended the wait.
 */
bool sleep_on(sem_t *sem, int (*stop)(void));

/**
 * struct waiter - a thread that waits for what another one does
 * @woken: it is in no list any more
 */
struct waiter {
	SLIST_ENTRY(waiter) link;
	sem_t sem;
	bool woken;
};

SLIST_HEAD(waiters, waiter);

/**
 * wait_in - wait in a list until all in it are woken
 * @lock: of the list, held by the caller; given up during the wait
 * @stop: as of sleep_on()
 *
 * Return: whether a signal, or @stop, ended the wait; not if the thread was woken, too.
 */
bool wait_in(struct waiters *list, pthread_mutex_t *lock, int (*stop)(void));

/** wake_all - end all waits in a list, under its lock */
void wake_all(struct waiters *list);

/** now_ms - milliseconds of the monotonic clock */
int64_t now_ms(void);

#endif /* HTTP_SLEEP_H */
