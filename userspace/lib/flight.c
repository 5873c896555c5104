// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges under way.  A thread waits only for a range that holds all of its own: threads that
 * read neighbours share a block with each other, and would else go one behind the other.
 *
 * A child of fork(2) has none of the threads that would end what is under way, so its list is
 * empty.
 */
#include <errno.h>

#include "flight.h"
#include "../http/sleep.h"

static LIST_HEAD(, flight) flights;	/* zeros are an empty one */
static struct waiters waiters;
static pthread_mutex_t lock;
static u64 numbers;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void begin_anew(void)
{
	LIST_INIT(&flights);
	SLIST_INIT(&waiters);
	pthread_mutex_init(&lock, NULL);
}

static void begin_once(void)
{
	begin_anew();
	pthread_atfork(before_fork, after_fork, begin_anew);
}

/* Whether one of the first @last flights still brings in all of @f's range. */
static bool is_under_way(const struct flight *f, u64 last)
{
	const struct flight *other;

	LIST_FOREACH(other, &flights, link)
		if (other->number <= last && other->of == f->of && other->first <= f->first &&
		    other->end >= f->end)
			return true;
	return false;
}

/*
 * Only flights that began before this call are waited for.  If such a one fails, all who waited for
 * it go on at the same time, and none of them waits for another.
 */
int flight_begin(struct flight *f, int (*stop)(void))
{
	bool stopped = false;
	u64 last;

	pthread_once(&once, begin_once);
	pthread_mutex_lock(&lock);
	last = numbers;
	while (!stopped && is_under_way(f, last))
		stopped = wait_in(&waiters, &lock, stop);
	if (!stopped) {
		f->number = ++numbers;
		LIST_INSERT_HEAD(&flights, f, link);
	}
	pthread_mutex_unlock(&lock);
	return stopped ? -EINTR : 0;
}

void flight_end(struct flight *f)
{
	pthread_mutex_lock(&lock);
	LIST_REMOVE(f, link);
	wake_all(&waiters);
	pthread_mutex_unlock(&lock);
}
