// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of an object, and readahead.
 *
 * A range that was read ahead is kept until readers have taken all its bytes.  The memory for
 * such ranges is bounded: when it is used up, further readahead is refused, so that no range is
 * dropped unread.  The exception is a range that no reader takes for STALE_MS.
 */
#include <stdlib.h>
#include <string.h>

#include "object.h"

#define AHEAD_BYTES	(128 << 20)
#define STALE_MS	30000

/* Copy bytes of a range, from @from of the object on, to the buffers of the caller. */
static void copy_out(const struct http_range *r, uint64_t from, const struct iovec *iov, int n)
{
	const uint8_t *at = r->own + (from - r->pos);

	for (int i = 0; i < n; at += iov[i++].iov_len)
		if (iov[i].iov_len)
			memcpy(iov[i].iov_base, at, iov[i].iov_len);
}

/* Memory of a range that is read ahead: that of a small file is more than its bytes. */
static size_t size_of(size_t len)
{
	return sizeof(struct ahead) + sizeof(struct http_range) + len;
}

/* Remove such a range from the list, under the lock. */
static void unlist(struct http_object *obj, struct ahead *p)
{
	TAILQ_REMOVE(&obj->aheads, p, link);
	obj->ahead_bytes -= size_of(p->range->len);
}

static void free_ahead(struct ahead *p)
{
	range_free(p->range);
	free(p);
}

/* Find one that has all of a range, under the lock. */
static struct ahead *find(struct http_object *obj, uint64_t pos, size_t len)
{
	struct ahead *p;

	TAILQ_FOREACH(p, &obj->aheads, link)
		if (pos >= p->range->pos && pos + len <= p->range->pos + p->range->len)
			break;
	return p;
}

/* Remove the oldest one, under the lock, if no reader came for it; NULL otherwise. */
static struct ahead *take_stale(struct http_object *obj)
{
	struct ahead *p = TAILQ_FIRST(&obj->aheads);

	if (!p || p->users || !p->range->done || now_ms() - p->at < STALE_MS)
		return NULL;
	unlist(obj, p);
	return p;
}

static struct ahead *use(struct http_object *obj, uint64_t pos, size_t len)
{
	struct ahead *p;

	pthread_mutex_lock(&obj->lock);
	p = find(obj, pos, len);
	if (p)
		p->users++;
	pthread_mutex_unlock(&obj->lock);
	return p;
}

/* Count @taken bytes as read; free what has been read, or has failed. */
static void unuse(struct http_object *obj, struct ahead *p, size_t taken)
{
	bool last;

	pthread_mutex_lock(&obj->lock);
	p->taken += taken;
	last = !--p->users && (p->taken >= p->wanted || (p->range->done && p->range->ret));
	if (last)
		unlist(obj, p);
	pthread_mutex_unlock(&obj->lock);
	if (last)
		free_ahead(p);
}

/* Read from what was read ahead.  Return: 0, -EINTR, or -ENOENT if a request is needed. */
static int read_ahead(struct http_object *obj, const struct iovec *iov, int n, size_t len,
		      uint64_t pos, int (*stop)(void))
{
	struct ahead *p = use(obj, pos, len);
	int ret;

	if (!p)
		return -ENOENT;
	ret = range_wait(p->range, stop);
	if (!ret)
		copy_out(p->range, pos, iov, n);
	unuse(obj, p, ret ? 0 : len);
	return ret && ret != -EINTR ? -ENOENT : ret;
}

static void tell(const struct http_object *obj, const struct http_range *r, char why[HTTP_WHY])
{
	const char *name = r->of == &obj->own ? obj->name : r->of->first.name;
	const unsigned long long pos = r->pos - r->from;

	snprintf(why, HTTP_WHY, "%.70s: bytes %llu to %llu: %.100s", name, pos, pos + r->len,
		 r->why);
}

/* Request a range and wait.  @why is filled in, except for -EINTR and -ENOMEM. */
static int ask(struct http_object *obj, const struct iovec *iov, int n, size_t len, uint64_t pos,
	       unsigned int flags, int (*stop)(void), char why[HTTP_WHY])
{
	struct http_range *r = range_new(obj, iov, n, len, pos, flags);
	int ret;

	if (!r)
		return -ENOMEM;
	r->urgent = true;
	ret = client_get(r, stop);
	if (ret && ret != -EINTR && ret != -ENOMEM)
		tell(obj, r, why);
	range_free(r);
	return ret;
}

static int renew(struct http_object *obj, unsigned int serial, int (*stop)(void),
		 char why[HTTP_WHY])
{
	char text[HTTP_WHY];
	const int ret = secrets_renew(obj, serial, stop, text);

	if (ret)
		snprintf(why, HTTP_WHY, "%.70s: %.130s", obj->name, text);
	return ret;
}

static int read_now(struct http_object *obj, const struct iovec *iov, int n, size_t len,
		    uint64_t pos, unsigned int flags, int (*stop)(void), char why[HTTP_WHY])
{
	const unsigned int serial = __atomic_load_n(&obj->serial, __ATOMIC_ACQUIRE);
	int ret = ask(obj, iov, n, len, pos, flags, stop, why);

	/* a registry's token lives for minutes */
	if (ret == -EACCES && secrets_can_renew(obj))
		ret = renew(obj, serial, stop, why) ?:
		      ask(obj, iov, n, len, pos, flags, stop, why);
	return ret && ret != -EINTR && ret != -ENOMEM ? -EREMOTEIO : ret;
}

/* Read from the first bytes, which were kept when the object was opened. */
static bool read_head(const struct http_object *obj, const struct iovec *iov, int n, size_t len,
		      uint64_t pos)
{
	struct http_range head = { .own = obj->head };

	if (pos > obj->head_len || len > obj->head_len - pos)
		return false;
	copy_out(&head, pos, iov, n);
	return true;
}

int http_read(struct http_object *obj, const struct iovec *iov, int n, size_t len, uint64_t pos,
	      unsigned int flags, int (*stop)(void), char why[HTTP_WHY])
{
	int ret = -ENOENT;

	if (pos > obj->bytes || len > obj->bytes - pos)
		return why_fail(why, -EREMOTEIO, "%.70s: bytes %llu to %llu: there are %llu",
				obj->name, (unsigned long long)pos, (unsigned long long)(pos + len),
				(unsigned long long)obj->bytes);
	if (!len)
		return 0;
	if (!(flags & HTTP_AGAIN)) {
		if (read_head(obj, iov, n, len, pos))
			return 0;
		ret = read_ahead(obj, iov, n, len, pos, stop);
	}
	return ret == -ENOENT ? read_now(obj, iov, n, len, pos, flags, stop, why) : ret;
}

bool http_has(struct http_object *obj, uint64_t pos)
{
	bool has;

	pthread_mutex_lock(&obj->lock);
	has = pos < obj->head_len || find(obj, pos, 1);
	pthread_mutex_unlock(&obj->lock);
	return has;
}

static struct ahead *new_ahead(struct http_object *obj, uint64_t pos, size_t len)
{
	struct ahead *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->range = range_new(obj, NULL, 0, len, pos, 0);
	p->wanted = len;
	p->at = now_ms();
	if (!p->range) {
		free(p);
		return NULL;
	}
	return p;
}

/* Under the lock: true if none has a range and there is room; one that has it counts it. */
static bool is_new(struct http_object *obj, uint64_t pos, size_t len)
{
	struct ahead *p = find(obj, pos, len);

	if (p)
		p->wanted += len;
	return !p && obj->ahead_bytes + size_of(len) <= AHEAD_BYTES;
}

void http_ahead(struct http_object *obj, uint64_t pos, size_t len)
{
	struct ahead *p, *stale;
	bool wanted;

	if (!len || len > AHEAD_BYTES || pos > obj->bytes || len > obj->bytes - pos ||
	    pos + len <= obj->head_len)
		return;
	p = new_ahead(obj, pos, len);
	if (!p)
		return;
	pthread_mutex_lock(&obj->lock);
	stale = take_stale(obj);
	wanted = is_new(obj, pos, len) && !client_submit(p->range);
	if (wanted) {
		TAILQ_INSERT_TAIL(&obj->aheads, p, link);
		obj->ahead_bytes += size_of(len);
	} else {
		p->range->done = true;
	}
	pthread_mutex_unlock(&obj->lock);
	if (wanted)
		client_wake(obj);
	else
		free_ahead(p);
	if (stale)
		free_ahead(stale);
}

void http_drop(struct http_object *obj, uint64_t pos, uint64_t len)
{
	TAILQ_HEAD(, ahead) dropped = TAILQ_HEAD_INITIALIZER(dropped);
	struct ahead *p, *next;
	uint64_t end;

	pthread_mutex_lock(&obj->lock);
	for (p = TAILQ_FIRST(&obj->aheads); p; p = next) {
		next = TAILQ_NEXT(p, link);
		end = p->range->pos + p->range->len;
		if (end <= pos || end > pos + len)
			continue;
		/* who reads it now is the last one */
		p->wanted = 0;
		if (p->users)
			continue;
		unlist(obj, p);
		TAILQ_INSERT_TAIL(&dropped, p, link);
	}
	pthread_mutex_unlock(&obj->lock);
	while ((p = TAILQ_FIRST(&dropped))) {
		TAILQ_REMOVE(&dropped, p, link);
		free_ahead(p);
	}
}
