// SPDX-License-Identifier: GPL-2.0
/*
 * Responses, parsed as they arrive.  A response that is not exactly the requested range of the
 * object that was opened is aborted at the end of its head, so no byte of it reaches the
 * caller's memory.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "object.h"

/* Limit of the body of a redirect, in bytes */
#define REDIRECT_BODY	1048576

/* Parse digits that end with @end, and go behind it. */
static bool take_number(const char **at, char end, uint64_t *n)
{
	char *stop;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*n = strtoull(*at, &stop, 10);
	if (errno || *stop != end)
		return false;
	*at = stop + !!end;
	return true;
}

/* Of an answer that is no range it says nothing. */
static void take_range(struct answer *a, const char *value)
{
	a->has_range = a->status == 206 && !strncasecmp(value, "bytes ", 6);
	value += a->has_range ? 6 : 0;
	a->has_range = a->has_range && take_number(&value, '-', &a->first) &&
		       take_number(&value, '/', &a->last) && take_number(&value, '\0', &a->total) &&
		       a->total <= INT64_MAX;
}

static void take_length(struct answer *a, const char *value)
{
	uint64_t n;

	if (take_number(&value, '\0', &n) && n <= INT64_MAX)
		a->length = n;
}

static void take_encoding(struct answer *a, const char *value)
{
	a->encoded = *value && strcasecmp(value, "identity");
}

/* Of several challenges, prefer one for a token (Bearer) to one for a password. */
static void take_challenge(struct answer *a, const char *value)
{
	if (strlen(value) < CHALLENGE_MAX && (!*a->challenge || !strncasecmp(value, "Bearer ", 7)))
		snprintf(a->challenge, CHALLENGE_MAX, "%s", value);
}

/*
 * A field that is a text goes to @to, which has @size bytes.  One that does not fit is left out: a
 * part of a tag would match other tags, too.
 */
static const struct header {
	const char *name;
	void (*take)(struct answer *a, const char *value);
	size_t to;
	size_t size;
} fields[] = {
	{ .name = "Content-Range", .take = take_range },
	{ .name = "Content-Length", .take = take_length },
	{ .name = "Content-Encoding", .take = take_encoding },
	{ .name = "ETag", .to = offsetof(struct answer, etag), .size = TAG_MAX },
	{ .name = "Last-Modified", .to = offsetof(struct answer, modified), .size = TAG_MAX },
	{ .name = "x-amz-bucket-region", .to = offsetof(struct answer, region),
	  .size = REGION_MAX },
	{ .name = "WWW-Authenticate", .take = take_challenge },
};

static void take_field(struct answer *a, const struct header *f, const char *value)
{
	if (f->take)
		f->take(a, value);
	else if (strlen(value) < f->size)
		memcpy((char *)a + f->to, value, strlen(value) + 1);
}

/* A status line begins a response, which may be interim (1xx) and followed by another. */
static void take_line(struct answer *a, const char *line)
{
	const size_t n = strcspn(line, ":");

	if (!strncasecmp(line, "HTTP/", 5)) {
		*a = (struct answer){ .status = atoi(line + strcspn(line, " ")), .length = -1 };
		return;
	}
	for (size_t i = 0; line[n] && i < sizeof(fields) / sizeof(*fields); i++)
		if (strlen(fields[i].name) == n && !strncasecmp(line, fields[i].name, n))
			take_field(a, &fields[i], line + n + 1 + strspn(line + n + 1, " \t"));
}

/* Compare tags without "W/": a proxy may weaken the tag of the same object. */
static bool same_etag(const char *a, const char *b)
{
	a += strncmp(a, "W/", 2) ? 0 : 2;
	b += strncmp(b, "W/", 2) ? 0 : 2;
	return !strcmp(a, b);
}

enum answer_kind answer_object(const struct http_range *r)
{
	const struct remote *of = r->of;
	const struct answer *a = &r->answer;

	if (r->opening)
		return ANSWER_RIGHT;
	if (a->has_range && a->total != of->bytes)
		return ANSWER_OTHER;
	if (*of->etag && *a->etag)
		return same_etag(of->etag, a->etag) ? ANSWER_RIGHT : ANSWER_OTHER;
	if (*of->modified && *a->modified)
		return strcmp(of->modified, a->modified) ? ANSWER_OTHER : ANSWER_RIGHT;
	return *of->etag || *of->modified ? ANSWER_UNKNOWN : ANSWER_RIGHT;
}

size_t answer_bytes(const struct http_range *r)
{
	const struct answer *a = &r->answer;
	const uint64_t total = a->has_range ? a->total : a->length < 0 ? 0 : a->length;

	/* Content-Length is optional for a text. */
	if (r->obj->text && a->length < 0)
		return r->len;
	return r->opening && total < r->len ? total : r->len;
}

/* Whether a response with status 200 has just the requested bytes: the whole object */
static bool is_whole(const struct http_range *r)
{
	const struct answer *a = &r->answer;

	if (a->length < 0 || r->pos != r->from)
		return false;
	return r->opening ? a->length <= (int64_t)r->len :
			    r->len == r->of->bytes && a->length == (int64_t)r->len;
}

/* Whether a response is the requested range, by its head */
static bool is_range(const struct http_range *r)
{
	const struct answer *a = &r->answer;
	const size_t want = answer_bytes(r);
	const uint64_t pos = r->pos - r->from;

	if (a->encoded || answer_object(r) != ANSWER_RIGHT)
		return false;
	if (r->obj->text)
		return a->status == 200;
	if (a->status == 200)
		return is_whole(r);
	return a->status == 206 && a->has_range && want && a->first == pos &&
	       a->last == pos + want - 1 && a->last < a->total &&
	       (a->length < 0 || a->length == (int64_t)want);
}

size_t answer_header(char *line, size_t size, size_t n, void *range)
{
	struct http_range *r = range;
	char text[CHALLENGE_MAX + 32];

	n *= size;
	/* A trailer, behind the body */
	if (r->got)
		return n;
	r->head += n;
	r->long_head = r->head > HEADERS_MAX;
	if (r->long_head)
		return 0;
	/* No header that is parsed is longer. */
	if (n < sizeof(text)) {
		memcpy(text, line, n);
		text[n] = '\0';
		text[strcspn(text, "\r\n")] = '\0';
		if (*text)
			take_line(&r->answer, text);
	}
	if (n > 2 || (r->answer.status != 200 && r->answer.status != 206))
		return n;
	r->refused = !is_range(r);
	return r->refused ? 0 : n;
}

static void scatter(const struct http_range *r, const char *data, size_t len)
{
	const struct iovec *v = r->iov;
	size_t at = r->got, n;

	for (; len; data += n, len -= n, at += n) {
		for (; at >= v->iov_len; v++)
			at -= v->iov_len;
		n = v->iov_len - at < len ? v->iov_len - at : len;
		memcpy((char *)v->iov_base + at, data, n);
	}
}

/*
 * Keep the beginning of an error's body, and abort a longer one.  A redirect's body is read to
 * its end, as libcurl sets CURLINFO_REDIRECT_URL only then.
 */
static size_t keep_body(struct http_range *r, const char *data, size_t len)
{
	const size_t kept = r->got < sizeof(r->body) - 1 ? r->got : sizeof(r->body) - 1;
	const size_t room = sizeof(r->body) - 1 - kept, n = len < room ? len : room;
	const size_t most = r->answer.status / 100 == 3 ? REDIRECT_BODY : kept + room;

	memcpy(r->body + kept, data, n);
	r->body[kept + n] = '\0';
	if (r->got >= most)
		return 0;
	r->got += len;
	return len;
}

size_t answer_body(char *data, size_t size, size_t n, void *range)
{
	struct http_range *r = range;

	n *= size;
	if (r->answer.status != 200 && r->answer.status != 206)
		return keep_body(r, data, n);
	if (n > answer_bytes(r) - r->got) {
		r->refused = true;
		return 0;
	}
	scatter(r, data, n);
	r->got += n;
	return n;
}
