// SPDX-License-Identifier: GPL-2.0
/*
 * Signatures of requests to S3, as AWS documents them ("Signature Version 4", the header form).
 * Method, path, host, time and session token are signed.  The range is signed only on request,
 * so that a proxy may change it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "sigv4.h"

#define DAY	8	/* characters of YYYYMMDD in a date */

void sigv4_date(time_t now, char date[SIGV4_DATE])
{
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(date, SIGV4_DATE, "%Y%m%dT%H%M%SZ", &tm);
}

/* Names of the signed headers, in alphabetical order */
static const char *signed_headers(const struct sigv4 *s)
{
	if (s->range && s->token)
		return "host;range;x-amz-content-sha256;x-amz-date;x-amz-security-token";
	if (s->range)
		return "host;range;x-amz-content-sha256;x-amz-date";
	return s->token ? "host;x-amz-content-sha256;x-amz-date;x-amz-security-token" :
			  "host;x-amz-content-sha256;x-amz-date";
}

static char *canonical_request(const struct sigv4 *s, const char *date)
{
	char *text;

	if (asprintf(&text, "GET\n%.*s\n\nhost:%s\n%s%s%sx-amz-content-sha256:%s\nx-amz-date:%s\n"
		     "%s%s%s\n%s\n%s",
		     s->path_len ? (int)s->path_len : 1, s->path_len ? s->path : "/", s->host,
		     s->range ? "range:" : "", s->range ? s->range : "", s->range ? "\n" : "",
		     SIGV4_NO_BODY, date,
		     s->token ? "x-amz-security-token:" : "", s->token ? s->token : "",
		     s->token ? "\n" : "", signed_headers(s), SIGV4_NO_BODY) < 0)
		return NULL;
	return text;
}

/* Derive the key for a day, a region and a service. */
static int signing_key(const struct sigv4 *s, const char *date, uint8_t key[HASH_BYTES])
{
	char *secret;

	if (asprintf(&secret, "AWS4%s", s->secret) < 0)
		return -1;
	hash_hmac(secret, strlen(secret), date, DAY, key);
	explicit_bzero(secret, strlen(secret));
	free(secret);
	hash_hmac(key, HASH_BYTES, s->region, strlen(s->region), key);
	hash_hmac(key, HASH_BYTES, s->service, strlen(s->service), key);
	hash_hmac(key, HASH_BYTES, "aws4_request", strlen("aws4_request"), key);
	return 0;
}

/* The signature of a canonical request, as text */
static int sign(const struct sigv4 *s, const char *date, const char *scope, const char *request,
		char hex[HASH_HEX])
{
	uint8_t sum[HASH_BYTES], key[HASH_BYTES];
	char *text;

	hash_text(request, strlen(request), hex);
	if (asprintf(&text, "AWS4-HMAC-SHA256\n%s\n%s\n%s", date, scope, hex) < 0)
		return -1;
	if (signing_key(s, date, key)) {
		free(text);
		return -1;
	}
	hash_hmac(key, sizeof(key), text, strlen(text), sum);
	hash_hex(sum, hex);
	free(text);
	return 0;
}

char *sigv4_header(const struct sigv4 *s, const char date[SIGV4_DATE])
{
	char *request = canonical_request(s, date), *scope = NULL, *header = NULL;
	char hex[HASH_HEX];

	if (asprintf(&scope, "%.*s/%s/%s/aws4_request", DAY, date, s->region, s->service) < 0)
		scope = NULL;
	if (request && scope && !sign(s, date, scope, request, hex) &&
	    asprintf(&header, "AWS4-HMAC-SHA256 Credential=%s/%s,SignedHeaders=%s,Signature=%s",
		     s->id, scope, signed_headers(s), hex) < 0)
		header = NULL;
	free(request);
	free(scope);
	return header;
}
