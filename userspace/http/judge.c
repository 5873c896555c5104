// SPDX-License-Identifier: GPL-2.0
/*
 * The result of a transfer: the range is there, or has failed, or is tried again.  Errors of
 * the network and of a busy server may pass; what a server says of the object itself is final.
 *
 * Before the object is open, nothing has shown that there is such a host, that a server listens
 * there or that it knows ranges: who waits is told at once.  Later the same may be one server of
 * many, or one that is started again.
 */
#include <stdlib.h>
#include <string.h>

#include "object.h"

static enum verdict failed(struct http_range *r, int ret)
{
	r->ret = ret;
	return VERDICT_FAILED;
}

/* Where a redirect led, another one may lead elsewhere. */
static enum verdict unless_opening(struct http_range *r)
{
	const bool at_first = r->opening && !strcmp(r->via.url, r->of->first.url);

	return at_first ? failed(r, -EREMOTEIO) : VERDICT_AGAIN;
}

/* The error code of S3 in a response, " (Word)" */
static void body_code(const struct http_range *r, char *code, size_t size)
{
	const char *at = strstr(r->body, "<Code>");
	size_t n;

	*code = '\0';
	if (!at)
		return;
	at += strlen("<Code>");
	n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
	snprintf(code, size, " (%.*s)", n > 40 ? 40 : (int)n, at);
}

static const char *status_name(int status)
{
	switch (status) {
	case 400: return " Bad Request";
	case 401: return " Unauthorized";
	case 403: return " Forbidden";
	case 404: return " Not Found";
	case 408: return " Request Timeout";
	case 410: return " Gone";
	case 412: return " Precondition Failed";
	case 416: return " Range Not Satisfiable";
	case 429: return " Too Many Requests";
	case 500: return " Internal Server Error";
	case 501: return " Not Implemented";
	case 502: return " Bad Gateway";
	case 503: return " Service Unavailable";
	case 504: return " Gateway Timeout";
	case 505: return " HTTP Version Not Supported";
	case 511: return " Network Authentication Required";
	default: return "";
	}
}

static void say_status(struct http_range *r)
{
	char code[50];

	body_code(r, code, sizeof(code));
	snprintf(r->why, sizeof(r->why), "the server says %d%s%s%s%s", r->answer.status,
		 status_name(r->answer.status), code,
		 *r->answer.region ? ", s3-region is " : "", r->answer.region);
}

/* Keep the region that S3 gives, for http_open(); it is checked, as it becomes part of a host. */
static void keep_region(struct http_range *r)
{
	static const char of[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	const char *region = r->answer.region;

	if (r->opening && r->obj->s3 && !region[strspn(region, of)])
		memcpy(r->obj->region, region, sizeof(r->obj->region));
}

/* A piece that no answer has pinned is known by its length alone. */
static enum verdict other_object(struct http_range *r)
{
	if (r->of != &r->obj->own && !r->of->pinned)
		return failed(r, why_fail(r->why, -EREMOTEIO,
					  "it has not the %llu bytes that the list says",
					  (unsigned long long)r->of->bytes));
	return failed(r, why_fail(r->why, -EREMOTEIO,
				  "it was replaced by another since it was opened"));
}

/* A refused text: it is too long, or its head is wrong */
static enum verdict wrong_text(struct http_range *r)
{
	if (r->got)
		snprintf(r->why, sizeof(r->why), "an answer of more than %zu bytes", r->len);
	else
		snprintf(r->why, sizeof(r->why), "a part of an answer, or one that is packed");
	return failed(r, -EREMOTEIO);
}

/* A refused head: the response is not the range that was requested. */
static enum verdict wrong_range(struct http_range *r)
{
	const struct answer *a = &r->answer;

	if (r->obj->text)
		return wrong_text(r);
	if (answer_object(r) == ANSWER_OTHER)
		return other_object(r);
	if (answer_object(r) == ANSWER_UNKNOWN)
		snprintf(r->why, sizeof(r->why), "an answer without ETag and Last-Modified");
	else if (a->encoded)
		snprintf(r->why, sizeof(r->why),
			 "an answer with a Content-Encoding: have the server not pack it");
	else if (a->status == 200)
		snprintf(r->why, sizeof(r->why),
			 "the server sends all of it (it ignores Range): nginx does not");
	else if (!a->has_range)
		snprintf(r->why, sizeof(r->why), "an answer 206 without a proper Content-Range");
	else
		snprintf(r->why, sizeof(r->why),
			 "an answer with other bytes: %llu to %llu of %llu",
			 (unsigned long long)a->first, (unsigned long long)a->last,
			 (unsigned long long)a->total);
	return unless_opening(r);
}

/* Which version it is; the first answer also tells the length, unless it is of a piece. */
static void pin(struct http_range *r)
{
	const struct answer *a = &r->answer;
	struct remote *of = r->of;

	memcpy(of->etag, a->etag, sizeof(of->etag));
	memcpy(of->modified, a->modified, sizeof(of->modified));
	of->pinned = true;
	if (!r->opening)
		return;
	of->bytes = a->has_range ? a->total : a->length;
	r->obj->bytes = of->bytes;
	r->obj->head_len = r->got;
}

static enum verdict good(struct http_range *r)
{
	const size_t want = r->obj->text && r->answer.length < 0 ? r->got : answer_bytes(r);

	if (r->got != want) {
		snprintf(r->why, sizeof(r->why), "the answer is cut short: %zu of %zu bytes",
			 r->got, want);
		return VERDICT_AGAIN;
	}
	if (!r->of->pinned)
		pin(r);
	r->ret = 0;
	return VERDICT_GOOD;
}

/* Remember the target of a redirect, so that other ranges go there at once. */
static void set_target(struct http_object *obj, struct remote *of, const char *url)
{
	struct address to;
	char why[HTTP_WHY];

	if (address_parse(&to, url, why))
		return;
	pthread_mutex_lock(&obj->lock);
	address_free(&of->target);
	of->target = to;
	pthread_mutex_unlock(&obj->lock);
}

/* Forget a target, unless another range has set a newer one. */
static void forget_target(struct http_object *obj, struct remote *of, const char *url)
{
	pthread_mutex_lock(&obj->lock);
	if (of->target.url && !strcmp(of->target.url, url))
		address_free(&of->target);
	pthread_mutex_unlock(&obj->lock);
}

static enum verdict redirected(struct http_range *r)
{
	struct http_object *obj = r->obj;
	struct address to;
	char *url = NULL, why[HTTP_WHY];

	obj->curl->easy_getinfo(r->easy, CURLINFO_REDIRECT_URL, &url);
	if (!url || address_parse(&to, url, why)) {
		say_status(r);
		strncat(r->why, ": a redirect to nowhere", sizeof(r->why) - strlen(r->why) - 1);
		return failed(r, -EREMOTEIO);
	}
	if (r->via.tls && !to.tls) {
		snprintf(r->why, sizeof(r->why),
			 "a redirect from https to %.60s, which is not followed", to.origin);
		address_free(&to);
		return failed(r, -EREMOTEIO);
	}
	if (r->redirects++ == REDIRECTS) {
		address_free(&to);
		return failed(r, why_fail(r->why, -EREMOTEIO,
					  "more than %d redirects, the last to %.60s", REDIRECTS,
					  r->via.origin));
	}
	address_free(&to);
	set_target(obj, r->of, url);
	return VERDICT_AT_ONCE;
}

/* Keep a registry's challenge for the reader, as this thread must not wait for a token. */
static void keep_challenge(struct http_range *r)
{
	pthread_mutex_lock(&r->obj->lock);
	memcpy(r->obj->challenge, r->answer.challenge, sizeof(r->obj->challenge));
	pthread_mutex_unlock(&r->obj->lock);
}

/*
 * A remembered target may have expired: then the address redirects to another one.  A 404 of a
 * target to which this try was redirected is final.
 */
static enum verdict refused(struct http_range *r, int ret)
{
	say_status(r);
	if (strcmp(r->via.url, r->of->first.url) && !(ret == -ENOENT && r->redirects)) {
		r->redirects = 0;
		return VERDICT_AGAIN;
	}
	if (r->answer.status == 401)
		keep_challenge(r);
	if (!r->reloaded && ret == -EACCES && r->obj->reload) {
		r->reloaded = true;
		if (r->obj->reload(r->obj))
			return VERDICT_AT_ONCE;
	}
	return failed(r, ret);
}

/* Errors of a server that is broken or busy; those above 511 are proxies' of their own. */
static bool may_pass(int status)
{
	return status == 500 || (status >= 502 && status <= 504) || status == 507 || status > 511;
}

static enum verdict judge_status(struct http_range *r)
{
	const int status = r->answer.status;

	switch (status) {
	case 200:
	case 206:
		return r->refused ? wrong_range(r) : good(r);
	case 301:
	case 302:
	case 303:
	case 307:
	case 308:
		return redirected(r);
	case 401:
	case 403:
		return refused(r, -EACCES);
	case 404:
	case 410:
		return refused(r, -ENOENT);
	case 412:
		return other_object(r);
	case 416:
		if (!r->opening)
			return other_object(r);
		return failed(r, why_fail(r->why, -EREMOTEIO,
					  "the server says 416: it is empty, or has no ranges"));
	case 408:
	case 425:
	case 429:
		say_status(r);
		return VERDICT_AGAIN;
	default:
		say_status(r);
		if (may_pass(status))
			return VERDICT_AGAIN;
		/* S3 says 400 of keys of a session that ended */
		return refused(r, strstr(r->body, "<Code>ExpiredToken") ? -EACCES : -EREMOTEIO);
	}
}

/* Whether a retry cannot succeed: wrong certificates, wrong addresses */
static bool is_final(CURLcode code)
{
	return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
	       code == CURLE_SSL_CERTPROBLEM || code == CURLE_UNSUPPORTED_PROTOCOL ||
	       code == CURLE_URL_MALFORMAT || code == CURLE_SSL_ENGINE_NOTFOUND ||
	       code == CURLE_SSL_ISSUER_ERROR || code == CURLE_SSL_CIPHER;
}

/* What to do about an error that is not going to pass; NULL: it may */
static const char *advice(const struct http_range *r, CURLcode code)
{
	long error = 0;

	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
		return "is the name right?";
	case CURLE_COULDNT_RESOLVE_PROXY:
		return "what is in https_proxy?";
	case CURLE_COULDNT_CONNECT:
		r->obj->curl->easy_getinfo(r->easy, CURLINFO_OS_ERRNO, &error);
		return error == ECONNREFUSED ? "is the server running, at this port?" : NULL;
	case CURLE_SSL_CONNECT_ERROR:
		return strstr(r->text, "wrong version number") ? "is it a port of https?" : NULL;
	case CURLE_PEER_FAILED_VERIFICATION:
		return "cafile= names another authority";
	default:
		return NULL;
	}
}

/*
 * libcurl gives "out of memory" for a header line that is longer than it takes, too, which only
 * a server that sends one can lead to.
 */
static bool is_long_header(const struct http_range *r, CURLcode code)
{
	double first = 0;

	if (code != CURLE_OUT_OF_MEMORY || r->got)
		return false;
	r->obj->curl->easy_getinfo(r->easy, CURLINFO_STARTTRANSFER_TIME, &first);
	return first > 0;
}

static enum verdict broken(struct http_range *r, CURLcode code)
{
	const char *todo = advice(r, code);

	snprintf(r->why, sizeof(r->why), "%.120s%s%s",
		 *r->text ? r->text : r->obj->curl->easy_strerror(code), todo ? ": " : "",
		 todo ?: "");
	/* without a response the message is libcurl's: a proxy may have refused */
	if (r->answer.status && (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR))
		snprintf(r->why, sizeof(r->why), "the connection broke after %zu of %zu bytes",
			 r->got, answer_bytes(r));
	if (is_final(code))
		return failed(r, -EREMOTEIO);
	return todo ? unless_opening(r) : VERDICT_AGAIN;
}

static enum verdict judge_transfer(struct http_range *r, CURLcode code)
{
	const bool has_error = r->answer.status >= 300;

	if (r->refused && r->got && r->obj->text)
		return wrong_text(r);
	if (r->refused && r->got) {
		snprintf(r->why, sizeof(r->why), "more bytes than were asked for");
		return unless_opening(r);
	}
	if (r->long_head || is_long_header(r, code))
		return failed(r, why_fail(r->why, -EREMOTEIO,
					  "an answer with more than %d KiB of headers",
					  HEADERS_MAX >> 10));
	if (code == CURLE_OK || r->refused || (has_error && code == CURLE_WRITE_ERROR))
		return judge_status(r);
	return broken(r, code);
}

/* After a failure the next try starts at the address, which may redirect elsewhere by now. */
enum verdict judge(struct http_range *r, CURLcode code)
{
	const enum verdict verdict = judge_transfer(r, code);

	if (verdict == VERDICT_FAILED)
		keep_region(r);
	if (verdict == VERDICT_AGAIN || verdict == VERDICT_FAILED)
		forget_target(r->obj, r->of, r->via.url);
	return verdict;
}
