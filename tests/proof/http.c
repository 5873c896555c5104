// SPDX-License-Identifier: GPL-2.0
/* What a server answers: the head of a response, its body, and when to ask again */
#define __NO_CTYPE
#include <stdarg.h>

#include "proof.h"

#include <answer.c>
#include <client.c>

/* Digits, as take_number() has looked for the first one */
unsigned long long strtoull(const char *s, char **stop, int base)
{
	unsigned long long n = 0;

	assert(isdigit((unsigned char)*s) && base == 10);
	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *s - '0', &n))
			errno = ERANGE;
	*stop = (char *)s;
	return n;
}

void *memcpy(void *to, const void *from, size_t len)
{
	assert(!len || (__CPROVER_r_ok(from, len) && __CPROVER_w_ok(to, len)));
	return to;
}

enum answer_kind stub_answer_object(const struct http_range *r)
{
	return any(enum answer_kind);
}

static const char *digits_end(const char *s, char end)
{
	const char *p = s;

	while (*p >= '0' && *p <= '9')
		p++;
	assert(p > s && *p == end);
	return p + 1;
}

/*
 * Content-Range of any text: what is accepted is three numbers, as the standard has them.  A longer
 * one has more turns of strtoull().
 */
void proof_http_range(void)
{
	char *value = bytes_any(PROOF_SIZE);
	struct answer a;

	value[PROOF_SIZE - 1] = '\0';
	take_range(&a, value);
	if (!a.has_range)
		return;
	assert(a.status == 206 && a.total <= INT64_MAX);
	digits_end(digits_end(digits_end(value + 6, '-'), '/'), '\0');
}

/* A request of any range of any object, and any answer to it */
static struct http_range *request_any(void)
{
	static struct http_range r;
	static struct http_object obj;
	static struct remote of;

	r = any(struct http_range);
	obj.text = any(bool);
	of.bytes = any(uint64_t);
	r.obj = &obj;
	r.of = &of;
	assume(r.len && r.len <= SSIZE_MAX && r.from <= r.pos && r.pos <= INT64_MAX);
	assume(!r.answer.has_range || (r.answer.status == 206 && r.answer.total <= INT64_MAX));
	assume(r.answer.length >= -1);
	return &r;
}

/* A head that is accepted is of the range that was asked for, and has no more bytes than that. */
void proof_http_head(void)
{
	const struct http_range *r = request_any();
	const struct answer *a = &r->answer;

	assert(answer_bytes(r) <= r->len);
	if (!is_range(r) || r->obj->text)
		return;
	assert(a->status == 200 || a->status == 206);
	if (a->status == 200) {
		assert(r->pos == r->from && answer_bytes(r) == (uint64_t)a->length);
		return;
	}
	assert(a->first == r->pos - r->from && a->last < a->total);
	assert(a->last - a->first == answer_bytes(r) - 1);
}

/*
 * A part of a body, of any length, as chunks are, behind any other: it goes into buffers that are
 * there.  One more of these is a turn of one loop.
 */
void proof_http_body(void)
{
	struct http_range *r = request_any();
	const size_t n = any(size_t);
	struct iovec iov[PROOF_SIZE];
	size_t sum = 0;

	assume(n <= CURL_MAX_WRITE_SIZE);
	assume(r->len <= 4 * CURL_MAX_WRITE_SIZE);
	r->iov = iov;
	for (int i = 0; i < PROOF_SIZE; i++) {
		assume(iov[i].iov_len <= r->len - sum);
		sum += iov[i].iov_len;
		iov[i].iov_base = bytes_any(iov[i].iov_len);
	}
	assume(sum == r->len && r->got <= REDIRECT_BODY);
	if (r->answer.status == 200 || r->answer.status == 206)
		assume(r->got <= answer_bytes(r));
	answer_body(bytes_any(n), 1, n, r);
	if (r->answer.status == 200 || r->answer.status == 206)
		assert(r->got <= answer_bytes(r));
}

/* Retry-After in seconds: any number, or those up to a date, which may be over for long. */
static CURLcode getinfo_any(CURL *easy, CURLINFO info, ...)
{
	const curl_off_t seconds = any(curl_off_t);
	va_list args;

	assume(seconds >= -(1LL << 40));
	va_start(args, info);
	*va_arg(args, curl_off_t *) = seconds;
	va_end(args);
	return CURLE_OK;
}

void proof_http_again(void)
{
	static const struct curl curl = { .easy_getinfo = getinfo_any };
	struct http_range *r = request_any();
	int64_t wait;

	r->obj->curl = &curl;
	r->obj->random = any(uint64_t);
	r->obj->opt.backoff = any(unsigned int);
	assume(r->tries);
	wait = backoff(r);
	assert(wait >= 0 && wait <= RETRY_AFTER_MAX + BACKOFF_MAX / 2);
}
