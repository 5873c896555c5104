// SPDX-License-Identifier: GPL-2.0
/*
 * Transfers, run by one thread for each object.
 *
 * Readers are many and wait; connections are few and are kept.  The thread takes ranges from
 * the queue up to the number that flight.c allows, those with a waiting reader first, has
 * libcurl run them, and completes those that ended.  A range that is tried again goes back into
 * the queue with the time from which it is due.
 *
 * After a fork the child has a copy of everything but the thread.  Transfers and connections
 * belong to the parent: the child closes its copies of their descriptors, which sends nothing to
 * the server, and starts a thread with its first range.  libcurl and the libraries below it have
 * locks of their own, so a fork waits until the thread is in none of them (@work).
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object.h"

/* Longest wait in ms before a range is tried again; longest Retry-After that is obeyed */
#define BACKOFF_MAX	20000
#define RETRY_AFTER_MAX	60000
/* How long a range is tried before that is told, and how often it is told, in ms */
#define TELL_AFTER	1000
#define TELL_EVERY	10000
/* Longest sleep of a thread that has nothing to do */
#define POLL_MAX	3600000

/* xorshift64: good enough to keep clients from retrying in step */
static uint64_t next_random(struct http_object *obj)
{
	uint64_t x = obj->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return obj->random = x;
}

/* Milliseconds until the next try: half of the wait or Retry-After, and a random part */
static int64_t backoff(struct http_range *r)
{
	const unsigned int doubled = r->tries < 16 ? r->tries - 1 : 15;
	int64_t wait = (int64_t)r->obj->opt.backoff << doubled;
	curl_off_t asked = 0;
	int64_t drawn;

	if (wait > BACKOFF_MAX)
		wait = BACKOFF_MAX;
	drawn = next_random(r->obj) % (wait / 2 + 1);
	if (r->answer.status == 429 || r->answer.status == 503)
		r->obj->curl->easy_getinfo(r->easy, CURLINFO_RETRY_AFTER, &asked);
	if (asked > RETRY_AFTER_MAX / 1000)
		asked = RETRY_AFTER_MAX / 1000;
	wait /= 2;
	return (wait > asked * 1000 ? wait : asked * 1000) + drawn;
}

static void say_tries(struct http_range *r)
{
	const size_t n = strlen(r->why);

	if (r->tries > 1)
		snprintf(r->why + n, sizeof(r->why) - n, ", after %u tries", r->tries);
}

/* Remove the transfer of a range from libcurl, and keep its easy handle for another one. */
static void end_transfer(struct http_range *r)
{
	struct http_object *obj = r->obj;

	obj->curl->multi_remove_handle(obj->multi, r->easy);
	obj->curl->easy_reset(r->easy);
	request_done(r);
	if (obj->nr_idle < obj->opt.connections)
		obj->idle[obj->nr_idle++] = r->easy;
	else
		obj->curl->easy_cleanup(r->easy);
	r->easy = NULL;
	TAILQ_REMOVE(&obj->running, r, link);
	obj->in_flight--;
}

static void finish(struct http_range *r, int ret)
{
	pthread_mutex_lock(&r->obj->lock);
	range_finish(r, ret);
	pthread_mutex_unlock(&r->obj->lock);
}

/*
 * Queue a range, under the lock.  @soon: in front of the ranges that no reader waits for;
 * otherwise last.
 */
static void enqueue(struct http_range *r, bool soon)
{
	struct ranges *waiting = &r->obj->waiting;
	struct http_range *at = NULL;

	if (soon)
		TAILQ_FOREACH(at, waiting, link)
			if (!at->urgent)
				break;
	if (at)
		TAILQ_INSERT_BEFORE(at, r, link);
	else
		TAILQ_INSERT_TAIL(waiting, r, link);
}

/* Queue a range again, due at @at. */
static void ask_again(struct http_range *r, int64_t at)
{
	struct http_object *obj = r->obj;

	r->due = at;
	pthread_mutex_lock(&obj->lock);
	enqueue(r, true);
	pthread_mutex_unlock(&obj->lock);
}

static void (*tell)(const char *name, const char *why);

void http_tell(void (*fn)(const char *name, const char *why))
{
	__atomic_store_n(&tell, fn, __ATOMIC_RELEASE);
}

/* Who waits for longer than a blink wants to know what for, and not each time. */
static void tell_of_wait(struct http_range *r)
{
	void (*fn)(const char *name, const char *why);
	struct http_object *obj = r->obj;
	const int64_t now = now_ms();

	fn = __atomic_load_n(&tell, __ATOMIC_ACQUIRE);
	if (!fn || now - r->begun < TELL_AFTER || (obj->told && now - obj->told < TELL_EVERY))
		return;
	obj->told = now;
	fn(obj->name ?: obj->own.first.name, r->why);
}

/* Whether the server, or the way to it, had too much to do: it said so, or nothing came */
static bool was_busy(const struct http_range *r, CURLcode code)
{
	const int status = r->answer.status;

	return !status || status == 408 || status == 429 || status == 503 || status == 504 ||
	       code == CURLE_OPERATION_TIMEDOUT;
}

/* Count a transfer; the time of an answer is without that of a new connection. */
static void count(struct http_range *r, CURLcode code, enum verdict verdict)
{
	struct http_object *obj = r->obj;
	curl_off_t all = 0, before = 0;

	if (verdict == VERDICT_AGAIN && was_busy(r, code))
		flight_busy(&obj->flight, obj->in_flight, r->cuts);
	if (verdict != VERDICT_GOOD)
		return;
	obj->curl->easy_getinfo(r->easy, CURLINFO_TOTAL_TIME_T, &all);
	obj->curl->easy_getinfo(r->easy, CURLINFO_PRETRANSFER_TIME_T, &before);
	flight_answer(&obj->flight, r->beside > obj->in_flight ? r->beside : obj->in_flight,
		      all - before);
}

static void ended(struct http_range *r, CURLcode code)
{
	const enum verdict verdict = judge(r, code);
	int64_t wait = 0;

	count(r, code, verdict);
	if (verdict == VERDICT_AGAIN) {
		r->tries++;
		r->redirects = 0;
		wait = backoff(r);
	}
	end_transfer(r);
	if (verdict == VERDICT_GOOD) {
		finish(r, 0);
	} else if (verdict == VERDICT_AT_ONCE) {
		ask_again(r, 0);
	} else if (verdict == VERDICT_AGAIN && r->tries <= r->obj->opt.retries) {
		tell_of_wait(r);
		ask_again(r, now_ms() + wait);
	} else {
		say_tries(r);
		finish(r, verdict == VERDICT_FAILED ? r->ret : -EREMOTEIO);
	}
}

static CURL *take_easy(struct http_object *obj)
{
	return obj->nr_idle ? obj->idle[--obj->nr_idle] : obj->curl->easy_init();
}

/* Start the transfer of a range that has left the queue. */
static void start(struct http_range *r)
{
	struct http_object *obj = r->obj;
	int ret = -ENOMEM;

	TAILQ_INSERT_TAIL(&obj->running, r, link);
	r->beside = ++obj->in_flight;
	r->cuts = obj->flight.cuts;
	r->easy = take_easy(obj);
	if (r->easy)
		ret = request_prepare(r);
	if (!ret && obj->curl->multi_add_handle(obj->multi, r->easy))
		ret = -ENOMEM;
	if (!ret)
		return;
	if (ret == -ENOMEM)
		snprintf(r->why, sizeof(r->why), "no memory");
	if (r->easy) {
		end_transfer(r);
	} else {
		TAILQ_REMOVE(&obj->running, r, link);
		obj->in_flight--;
	}
	finish(r, ret);
}

/* Take a due range from the queue, under the lock; lower @next to when the first one is due. */
static struct http_range *take_due(struct http_object *obj, int64_t now, int64_t *next)
{
	struct http_range *r;

	TAILQ_FOREACH(r, &obj->waiting, link) {
		if (r->due <= now)
			break;
		if (r->due < *next)
			*next = r->due;
	}
	if (r)
		TAILQ_REMOVE(&obj->waiting, r, link);
	return r;
}

/* Start what is due.  Return: milliseconds until another range will be. */
static int64_t start_all(struct http_object *obj)
{
	const int64_t now = now_ms();
	int64_t next = now + POLL_MAX;
	struct http_range *r;

	while (obj->in_flight < obj->flight.size) {
		pthread_mutex_lock(&obj->lock);
		r = take_due(obj, now, &next);
		pthread_mutex_unlock(&obj->lock);
		if (!r)
			break;
		start(r);
	}
	obj->flight.full = obj->in_flight >= obj->flight.size;
	return next - now;
}

/* End cancelled ranges, running or waiting. */
static void drop_cancelled(struct http_object *obj)
{
	struct http_range *r, *next;

	for (r = TAILQ_FIRST(&obj->running); r; r = next) {
		next = TAILQ_NEXT(r, link);
		if (!__atomic_load_n(&r->cancelled, __ATOMIC_ACQUIRE))
			continue;
		end_transfer(r);
		finish(r, -EINTR);
	}
	pthread_mutex_lock(&obj->lock);
	for (r = TAILQ_FIRST(&obj->waiting); r; r = next) {
		next = TAILQ_NEXT(r, link);
		if (!r->cancelled)
			continue;
		TAILQ_REMOVE(&obj->waiting, r, link);
		range_finish(r, -EINTR);
	}
	pthread_mutex_unlock(&obj->lock);
}

static void reap(struct http_object *obj)
{
	struct http_range *r;
	CURLMsg *msg;
	int left;

	while ((msg = obj->curl->multi_info_read(obj->multi, &left))) {
		if (msg->msg != CURLMSG_DONE)
			continue;
		obj->curl->easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &r);
		ended(r, msg->data.result);
	}
}

static void *run(void *arg)
{
	struct http_object *obj = arg;
	int64_t wait;
	int n;

	pthread_mutex_lock(&obj->work);
	while (!__atomic_load_n(&obj->stop, __ATOMIC_ACQUIRE)) {
		if (__atomic_exchange_n(&obj->any_cancelled, false, __ATOMIC_ACQ_REL))
			drop_cancelled(obj);
		start_all(obj);
		obj->curl->multi_perform(obj->multi, &n);
		reap(obj);
		wait = start_all(obj);
		/* Forks are possible while the thread sleeps. */
		pthread_mutex_unlock(&obj->work);
		obj->curl->multi_poll(obj->multi, NULL, 0, wait, NULL);
		pthread_mutex_lock(&obj->work);
	}
	pthread_mutex_unlock(&obj->work);
	return NULL;
}

static int new_multi(struct http_object *obj)
{
	obj->multi = obj->curl->multi_init();
	if (!obj->multi)
		return -ENOMEM;
	obj->curl->multi_setopt(obj->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
				(long)obj->opt.connections);
	obj->curl->multi_setopt(obj->multi, CURLMOPT_MAXCONNECTS, (long)obj->opt.connections);
	return 0;
}

/* The thread blocks all signals, so that they go to the threads of the program. */
static int new_thread(struct http_object *obj)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&obj->thread, NULL, run, obj);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	obj->has_thread = !ret;
	return -ret;
}

int client_submit(struct http_range *r)
{
	struct http_object *obj = r->obj;
	int ret = obj->multi ? 0 : new_multi(obj);

	if (!ret && !obj->has_thread)
		ret = new_thread(obj);
	if (ret)
		return ret;
	enqueue(r, r->urgent);
	return 0;
}

void client_wake(struct http_object *obj)
{
	obj->curl->multi_wakeup(obj->multi);
}

int client_get(struct http_range *r, int (*stop)(void))
{
	struct http_object *obj = r->obj;
	int ret;

	pthread_mutex_lock(&obj->lock);
	ret = client_submit(r);
	r->done = ret;
	pthread_mutex_unlock(&obj->lock);
	if (ret) {
		snprintf(r->why, sizeof(r->why), "%s", strerror(-ret));
		return ret;
	}
	client_wake(obj);
	return range_wait(r, stop);
}

void client_stop(struct http_object *obj)
{
	struct http_range *r;

	if (obj->has_thread) {
		__atomic_store_n(&obj->stop, true, __ATOMIC_RELEASE);
		client_wake(obj);
		pthread_join(obj->thread, NULL);
		obj->has_thread = false;
	}
	pthread_mutex_lock(&obj->work);
	while ((r = TAILQ_FIRST(&obj->running))) {
		end_transfer(r);
		range_finish(r, -EINTR);
	}
	while ((r = TAILQ_FIRST(&obj->waiting))) {
		TAILQ_REMOVE(&obj->waiting, r, link);
		range_finish(r, -EINTR);
	}
	while (obj->nr_idle)
		obj->curl->easy_cleanup(obj->idle[--obj->nr_idle]);
	if (obj->multi)
		obj->curl->multi_cleanup(obj->multi);
	obj->multi = NULL;
	pthread_mutex_unlock(&obj->work);
}

/*
 * libcurl's handles of the parent's transfers are leaked: freeing them would end the parent's
 * sessions at the server.  Readahead in flight fails here, so that its reader asks again.
 */
void client_after_fork(struct http_object *obj)
{
	struct ahead *p;

	while (obj->nr_sockets)
		close(obj->sockets[--obj->nr_sockets]);
	TAILQ_FOREACH(p, &obj->aheads, link) {
		p->users = 0;
		if (p->range->done)
			continue;
		p->range->ret = -ECHILD;
		p->range->done = true;
	}
	TAILQ_INIT(&obj->waiting);
	TAILQ_INIT(&obj->running);
	obj->in_flight = 0;
	flight_init(&obj->flight, obj->opt.connections);
	obj->nr_idle = 0;
	obj->multi = NULL;
	obj->has_thread = false;
	obj->random ^= (uint64_t)getpid() << 32;
	obj->random |= !obj->random;
	sem_init(&obj->renewing, 0, 1);
	pthread_mutex_init(&obj->work, NULL);
	pthread_mutex_init(&obj->lock, NULL);
}
