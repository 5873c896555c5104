// SPDX-License-Identifier: GPL-2.0
/*
 * Queries of presigned addresses.
 *
 * Sources of the names: AWS, "Authenticating Requests: Using Query Parameters" (version 4) and
 * "Query String Request Authentication Alternative" (version 2); Google Cloud Storage, "Signed
 * URLs" and "V2 signing"; CloudFront, "Using signed URLs"; Azure, "Create a service SAS", whose
 * names are short enough to be another server's, so that two of them have to be there.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "signed.h"

#define BY	2
#define NAMES	21

/**
 * struct scheme - a way to sign an address
 * @by: parameters without which it is not used
 * @names: those that sign
 */
static const struct scheme {
	const char *by[BY];
	const char *names[NAMES];
} schemes[] = {
	{ { "X-Amz-Signature" },
	  { "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires",
	    "X-Amz-SignedHeaders", "X-Amz-Signature", "X-Amz-Security-Token" } },
	{ { "AWSAccessKeyId", "Signature" },
	  { "AWSAccessKeyId", "Signature", "Expires", "x-amz-security-token" } },
	{ { "X-Goog-Signature" },
	  { "X-Goog-Algorithm", "X-Goog-Credential", "X-Goog-Date", "X-Goog-Expires",
	    "X-Goog-SignedHeaders", "X-Goog-Signature" } },
	{ { "GoogleAccessId", "Signature" }, { "GoogleAccessId", "Signature", "Expires" } },
	{ { "Key-Pair-Id", "Signature" },
	  { "Key-Pair-Id", "Signature", "Expires", "Policy", "Hash-Algorithm" } },
	{ { "sv", "sig" },
	  { "sv", "ss", "srt", "sr", "sp", "st", "se", "spr", "sip", "si", "sig", "sdd", "skoid",
	    "sktid", "skt", "ske", "sks", "skv", "saoid", "suoid", "scid" } },
};

/* Length of the name of the parameter at @p, which ends with "=", "&" or the query */
static size_t name_len(const char *p)
{
	return strcspn(p, "=&");
}

/* The parameter behind the one at @p; NULL: it was the last. */
static const char *next(const char *p)
{
	p += strcspn(p, "&");
	return *p ? p + 1 : NULL;
}

static bool is_name(const char *name, const char *p)
{
	return !strncmp(name, p, name_len(p)) && !name[name_len(p)];
}

static bool has(const char *query, const char *name)
{
	for (const char *p = query; p; p = next(p))
		if (is_name(name, p))
			return true;
	return false;
}

static bool is_used(const struct scheme *s, const char *query)
{
	for (int i = 0; i < BY && s->by[i]; i++)
		if (!has(query, s->by[i]))
			return false;
	return true;
}

static bool lists(const struct scheme *s, const char *p)
{
	for (int i = 0; i < NAMES && s->names[i]; i++)
		if (is_name(s->names[i], p))
			return true;
	return false;
}

static bool signs(const char *query, const char *p)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
		if (lists(&schemes[i], p) && is_used(&schemes[i], query))
			return true;
	return false;
}

char *signed_query(const char *url)
{
	const char *query = url + strcspn(url, "?");
	char *left = malloc(strlen(query) + 1), *to = left;
	size_t len;

	if (!left)
		return NULL;
	query += *query == '?';
	for (const char *p = query; p; p = next(p)) {
		if (signs(query, p))
			continue;
		len = strcspn(p, "&");
		if (to > left)
			*to++ = '&';
		memcpy(to, p, len);
		to += len;
	}
	*to = '\0';
	return left;
}
