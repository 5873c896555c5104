// SPDX-License-Identifier: GPL-2.0
/*
 * Waits.  Readers wait for a semaphore, because a signal interrupts that wait as it does a read(2):
 * unless its handler was installed with SA_RESTART.
 */
#include <errno.h>
#include <time.h>

#include "sleep.h"

static int wait_once(sem_t *sem, int (*stop)(void))
{
	struct timespec t;

	if (!stop)
		return sem_wait(sem);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += SLEEP_ASK_MS * 1000000L;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return sem_timedwait(sem, &t);
}

/* @stop is asked first: a reader that goes on after its end was asked for waits no more. */
bool sleep_on(sem_t *sem, int (*stop)(void))
{
	if (!sem_trywait(sem))
		return false;
	do {
		if (stop && stop())
			return true;
		if (!wait_once(sem, stop))
			return false;
	} while (errno == ETIMEDOUT);
	return true;
}

bool wait_in(struct waiters *list, pthread_mutex_t *lock, int (*stop)(void))
{
	struct waiter w = { .woken = false };

	sem_init(&w.sem, 0, 0);
	SLIST_INSERT_HEAD(list, &w, link);
	pthread_mutex_unlock(lock);
	sleep_on(&w.sem, stop);
	pthread_mutex_lock(lock);
	if (!w.woken)
		SLIST_REMOVE(list, &w, waiter, link);
	sem_destroy(&w.sem);
	return !w.woken;
}

void wake_all(struct waiters *list)
{
	struct waiter *w;

	while ((w = SLIST_FIRST(list))) {
		SLIST_REMOVE_HEAD(list, link);
		w->woken = true;
		sem_post(&w->sem);
	}
}

int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
