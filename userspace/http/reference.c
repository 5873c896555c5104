// SPDX-License-Identifier: GPL-2.0
/*
 * References of artifacts, by the grammar of the distribution specification.  They become part
 * of URLs, so anything else is rejected here: it could lead to another path of the host.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reference.h"

#define LETTERS	"abcdefghijklmnopqrstuvwxyz"
#define UPPER	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS	"0123456789"
#define TAG_LONGEST	128

bool reference_is_digest(const char *text)
{
	return strlen(text) == OCI_DIGEST - 1 && !strncmp(text, "sha256:", 7) &&
	       strspn(text + 7, DIGITS "abcdef") == 64;
}

static bool is_all(const char *text, const char *of)
{
	return *text && !text[strspn(text, of)];
}

/* Length of a separator between letters and digits: "." or "_" or "__" or any number of "-" */
static size_t separator(const char *at)
{
	if (*at == '-')
		return strspn(at, "-");
	return *at == '.' ? 1 : *at == '_' ? 1 + (at[1] == '_') : 0;
}

/* Check a name: parts separated by slashes, each with a letter or digit at begin and end. */
static bool is_name(const char *at)
{
	size_t n;

	for (;;) {
		n = strspn(at, LETTERS DIGITS);
		if (!n)
			return false;
		at += n;
		if (!*at)
			return true;
		n = *at == '/' ? 1 : separator(at);
		if (!n)
			return false;
		at += n;
	}
}

static bool is_tag(const char *tag)
{
	return is_all(tag, LETTERS UPPER DIGITS "._-") && !strchr(".-", *tag) &&
	       strlen(tag) <= TAG_LONGEST;
}

/* Whether a host is this machine, which is asked by http, as other clients do */
static bool is_local(const char *host)
{
	const size_t n = strcspn(host, ":");

	return (n == strlen("localhost") && !strncasecmp(host, "localhost", n)) ||
	       (!strncmp(host, "127.", 4) && strspn(host, DIGITS ".") == n) ||
	       !strncmp(host, "[::1]", 5);
}

static int split(struct reference *ref, const char *text)
{
	const size_t host = strcspn(text, "/");
	const char *name = text + host + !!text[host], *at = strchr(name, '@');
	const size_t len = at ? (size_t)(at - name) : strlen(name);
	const char *colon = memchr(name, ':', len);
	const size_t tag = colon ? len - (size_t)(colon + 1 - name) : 0;

	ref->host = strndup(text, host);
	ref->name = strndup(name, colon ? (size_t)(colon - name) : len);
	ref->tag = colon ? strndup(colon + 1, tag) : strdup("latest");
	ref->digest = at ? strdup(at + 1) : NULL;
	return ref->host && ref->name && ref->tag && (!at || ref->digest) ? 0 : -ENOMEM;
}

static int check(const struct reference *ref, char why[HTTP_WHY])
{
	const char *what = NULL;

	if (!is_all(ref->host, LETTERS UPPER DIGITS ".-:[]"))
		what = "host";
	else if (!is_name(ref->name))
		what = "name";
	else if (ref->digest && !reference_is_digest(ref->digest))
		what = "digest";
	else if (!is_tag(ref->tag))
		what = "tag";
	if (!what)
		return 0;
	return why_fail(why, -EINVAL, "the %s is not as in oci://HOST/NAME:TAG or %s", what,
			"oci://HOST/NAME@sha256:HEX, with small letters");
}

int reference_parse(struct reference *ref, const char *address, bool plain, char why[HTTP_WHY])
{
	int ret;

	*ref = (struct reference){ };
	ret = split(ref, address + strlen(OCI_SCHEME)) ?: check(ref, why);
	if (!ret && asprintf(&ref->base, "%s://%s/v2/%s",
			     plain || is_local(ref->host) ? "http" : "https", ref->host,
			     ref->name) < 0) {
		ref->base = NULL;
		ret = -ENOMEM;
	}
	if (ret)
		reference_free(ref);
	return ret;
}

void reference_free(struct reference *ref)
{
	free(ref->host);
	free(ref->base);
	free(ref->name);
	free(ref->tag);
	free(ref->digest);
	*ref = (struct reference){ };
}
