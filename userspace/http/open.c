// SPDX-License-Identifier: GPL-2.0
/*
 * Opening an object: its URL, by the scheme of the address, and its identity, once the first
 * bytes are there.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hash.h"
#include "object.h"
#include "registry.h"

static int take_address(struct http_object *obj, const char *address, char why[HTTP_WHY])
{
	char *url;
	int ret;

	if (http_is_artifact(address))
		return registry_resolve(obj, address, why);
	obj->s3 = !strncasecmp(address, "s3://", 5);
	if (!obj->s3 && authority_is_doubtful(strstr(address, "://") + 3))
		return why_fail(why, -EINVAL, "an @ may end a password: write %s for @/?#",
				"%40 %2F %3F %23");
	if (!obj->s3)
		return address_parse(&obj->own.first, address, why);
	ret = aws_load(&obj->aws, obj, NULL, why);
	if (ret)
		return ret;
	ret = aws_url(&obj->aws, address, &url, why);
	if (ret)
		return ret;
	ret = address_parse(&obj->own.first, url, why);
	free(url);
	return ret;
}

/*
 * The tag that changes whenever the bytes do, or NULL.  A weak ETag may stay.  A blob's address
 * has its digest.
 */
static const char *vouching_tag(const struct http_object *obj)
{
	if (obj->ref.base)
		return "blob";
	if (*obj->own.etag)
		return strncmp(obj->own.etag, "W/", 2) ? obj->own.etag : NULL;
	return *obj->own.modified ? obj->own.modified : NULL;
}

/*
 * Queries of presigned addresses.
 *
 * Sources of the names: AWS, "Authenticating Requests: Using Query Parameters" (version 4) and
 * "Query String Request Authentication Alternative" (version 2); Google Cloud Storage, "Signed
 * URLs" and "V2 signing"; CloudFront, "Using signed URLs"; Azure, "Create a service SAS", whose
 * names are short enough to be another server's, so that two of them have to be there.
 */

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

/*
 * The query of a URL without the parameters that sign it, allocated, without the "?".  A signature
 * differs each time that it is made, for the same object.  Only parameters of schemes that are
 * known are left out, and only where the scheme is used: any other may choose the object.
 */
static char *unsigned_query(const char *url)
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

/*
 * A tag tells the versions of one resource apart, which its query is a part of (RFC 9110, 8.8.3).
 * The sum of the query stands for it: it may be a secret, and identities are kept in files.
 */
static int identify(struct http_object *obj)
{
	const char *tag = vouching_tag(obj);
	char sum[HASH_HEX] = "", *query;
	int ret = 0;

	if (!tag)
		return 0;
	query = unsigned_query(obj->own.first.url);
	if (!query)
		return -ENOMEM;
	if (*query)
		hash_text(query, strlen(query), sum);
	if (asprintf(&obj->identity, "%s%s%s %llu %s", obj->own.first.name, *sum ? "?" : "", sum,
		     (unsigned long long)obj->bytes, tag) < 0) {
		obj->identity = NULL;
		ret = -ENOMEM;
	}
	free(query);
	return ret;
}

/* Compare the length of a blob with the size in its manifest, which is not trusted. */
static int check_size(const struct http_object *obj, char why[HTTP_WHY])
{
	if (!obj->size || obj->bytes == obj->size)
		return 0;
	return why_fail(why, -EREMOTEIO, "the blob has %llu bytes, its manifest says %llu",
			(unsigned long long)obj->bytes, (unsigned long long)obj->size);
}

/*
 * Take the region that S3 gave, if it is another one.  It goes into the options, which are used
 * again whenever keys are read.
 */
static bool take_region(struct http_object *obj)
{
	char *region;

	if (!*obj->region || !strcmp(obj->region, obj->aws.region))
		return false;
	region = strdup(obj->region);
	if (!region)
		return false;
	free((char *)obj->opt.region);
	obj->opt.region = region;
	aws_free(&obj->aws);
	address_free(&obj->own.first);
	return true;
}

static int find(struct http_object *obj, const char *address, char why[HTTP_WHY])
{
	const unsigned int serial = obj->serial;
	int ret = object_find(obj, NULL, why);

	/* once: a second region would be an error of the server */
	if (ret && take_region(obj))
		ret = take_address(obj, address, why) ?: object_find(obj, NULL, why);
	/* a registry may require authorization for a blob and not for the manifest */
	if (ret == -EACCES && obj->ref.base && secrets_can_renew(obj))
		ret = secrets_renew(obj, serial, NULL, why) ?: object_find(obj, NULL, why);
	return ret ? ret : check_size(obj, why);
}

static int set_up(struct http_object *obj, const char *address, char why[HTTP_WHY])
{
	char name[HTTP_WHY];
	int ret;

	obj->name = strdup(http_name(address, name, sizeof(name)));
	if (!obj->name)
		return -ENOMEM;
	obj->reload = secrets_reload;
	obj->renew = http_is_artifact(address) ? registry_authorize : secrets_keys;
	ret = secrets_load(obj, why) ?: take_address(obj, address, why) ?: find(obj, address, why);
	return ret ? ret : identify(obj);
}

int http_open(const char *address, const struct http_options *o, struct http_object **out,
	      char why[HTTP_WHY])
{
	struct http_object *obj = object_new(o, HEAD_BYTES);
	int ret;

	snprintf(why, HTTP_WHY, "no memory");
	if (!obj)
		return -ENOMEM;
	obj->curl = curl_load();
	if (!obj->curl)
		snprintf(why, HTTP_WHY, "libcurl.so.4 is not installed (Debian: libcurl4)");
	ret = obj->curl ? set_up(obj, address, why) : -EOPNOTSUPP;
	if (ret)
		object_free(obj);
	else
		*out = obj;
	return ret;
}

void http_close(struct http_object *obj)
{
	object_free(obj);
}

uint64_t http_bytes(const struct http_object *obj)
{
	return obj->bytes;
}

const char *http_shown(const struct http_object *obj)
{
	return obj->name;
}

const char *http_identity(const struct http_object *obj)
{
	return obj->identity;
}
