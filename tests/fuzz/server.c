// SPDX-License-Identifier: GPL-2.0
/*
 * Target: all that a server sends: head and body of a response, addresses in redirects, the
 * challenge and the manifest of a registry.
 *
 *   byte 0	kind; of a response: bit 3: the first one of its object; bit 4: a text
 *   1-2	of a response: requested bytes, and their offset in the object
 *   then	the text; of a response: header lines up to an empty one, then the body
 */
#include <stdlib.h>
#include <string.h>

#include "../../userspace/http/registry.h"
#include "engine.h"

#define HEAD		3
#define OBJECT_BYTES	100000

static void address(const char *text)
{
	struct address a, again;
	char why[HTTP_WHY], shown[512];

	if (address_parse(&a, text, why))
		return;
	if (address_parse(&again, a.url, why) || strcmp(again.url, a.url) ||
	    strcmp(again.origin, a.origin) || again.tls != a.tls)
		finding("the URL of an address is another address");
	if (again.user || strchr(a.origin, '@'))
		finding("a user is left in a URL");
	if (strchr(http_name(text, shown, sizeof(shown)), '?'))
		finding("a message shows a query");
	address_free(&again);
	address_free(&a);
}

/* A name of an artifact is one path on its host. */
static void artifact(const char *text)
{
	struct reference ref;
	char why[HTTP_WHY], *address;

	if (asprintf(&address, OCI_SCHEME "%s", text) < 0)
		return;
	if (!reference_parse(&ref, address, false, why)) {
		if (strpbrk(ref.name, "?#@:%\\ ") || strstr(ref.name, "..") ||
		    strpbrk(ref.digest ?: ref.tag, "/?#@%\\ "))
			finding("a name leads elsewhere");
		reference_free(&ref);
	}
	free(address);
}

static void challenge(const char *text)
{
	struct reference ref = {
		.host = (char *)"host", .base = (char *)"https://host/v2/name",
		.name = (char *)"name", .tag = (char *)"tag",
	};
	char why[HTTP_WHY], *url;

	if (challenge_url(text, &ref, &url, why))
		return;
	if (strncasecmp(url, "https://", 8))
		finding("a token is asked for by http");
	address(url);
	free(url);
}

static void manifest(const char *text, size_t len)
{
	char why[HTTP_WHY], blob[OCI_DIGEST];
	uint64_t bytes;

	if (!oci_manifest(text, len, NULL, blob, &bytes, why) &&
	    (!reference_is_digest(blob) || !bytes))
		finding("a manifest without a blob is taken");
}

/* Feed lines to what libcurl would call, each with its end, up to one that is empty or refused. */
static size_t feed_head(struct http_range *r, char *text, size_t len)
{
	size_t at = 0, n;

	while (at < len) {
		char *end = memchr(text + at, '\n', len - at);

		n = end ? (size_t)(end + 1 - text) - at : len - at;
		if (answer_header(text + at, 1, n, r) != n)
			return len;
		at += n;
		if (n <= 2)
			break;
	}
	return at;
}

static void answer(const u8 *input, char *text, size_t len)
{
	struct http_object obj = {
		.bytes = OBJECT_BYTES, .text = input[0] & 16,
		.own = { .bytes = OBJECT_BYTES, .etag = "\"tag\"", .pinned = !(input[0] & 8) },
	};
	struct iovec iov = { .iov_len = input[1] };
	struct http_range r = {
		.obj = &obj, .of = &obj.own, .pos = input[2], .len = input[1], .iov = &iov, .n = 1,
		.opening = input[0] & 8,
	};
	size_t at;

	if (!r.len)
		return;
	if (r.opening)
		obj.own.etag[0] = '\0';
	/* of that many bytes, so that one more is an error */
	iov.iov_base = malloc(r.len);
	if (!iov.iov_base)
		return;
	at = feed_head(&r, text, len);
	if (at < len && answer_body(text + at, 1, len - at, &r) && r.answer.status == 206 &&
	    (r.answer.first != r.pos || r.answer.last >= r.pos + r.len ||
	     (!r.opening && strcmp(r.answer.etag, obj.own.etag) &&
	      strcmp(r.answer.etag, "W/\"tag\""))))
		finding("an answer to something else is taken");
	free(iov.iov_base);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const size_t len = size > HEAD ? size - HEAD : 0;
	char *text;

	if (!len)
		return 0;
	text = malloc(len + 1);
	if (!text)
		return 0;
	memcpy(text, data + HEAD, len);
	text[len] = '\0';
	switch (data[0] & 7) {
	case 0:
		address(text);
		break;
	case 1:
		artifact(text);
		break;
	case 2:
		challenge(text);
		break;
	case 3:
	case 4:
		manifest(text, len);
		break;
	default:
		answer(data, text, len);
	}
	free(text);
	return 0;
}
