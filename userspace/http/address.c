// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing of addresses.  User and password are not kept in the URL: they are set for a request
 * to the host of the address alone, so a redirect carries them nowhere.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "address.h"
#include "authority.h"

static int hex(int c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* Percent-decode @len bytes into a string; NULL: no memory. */
static char *decode(const char *from, size_t len)
{
	char *text = malloc(len + 1), *to = text;
	int high, low;
	size_t i;

	for (i = 0; text && i < len; i++) {
		high = from[i] == '%' && len - i > 2 ? hex(from[i + 1]) : -1;
		low = high < 0 ? -1 : hex(from[i + 2]);
		*to++ = low < 0 ? from[i] : high * 16 + low;
		i += low < 0 ? 0 : 2;
	}
	if (text)
		*to = '\0';
	return text;
}

int address_user(struct address *a, const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len);
	const size_t user = colon ? colon - text : len;

	a->user = decode(text, user);
	a->password = colon ? decode(colon + 1, len - user - 1) : strdup("");
	return a->user && a->password ? 0 : -ENOMEM;
}

/*
 * "https://host:port", without the port that is the default of the scheme.  Behind another colon
 * outside of brackets it is none, and of a host with two ports one would be left.
 */
static char *make_origin(bool tls, const char *host, size_t len)
{
	const char *port = tls ? ":443" : ":80";
	const size_t n = strlen(port);
	char *origin;

	if (len > n && !strncmp(host + len - n, port, n) &&
	    (host[len - n - 1] == ']' || !memchr(host, ':', len - n)))
		len -= n;
	if (asprintf(&origin, "%s://%.*s", tls ? "https" : "http", (int)len, host) < 0)
		return NULL;
	for (char *c = origin; *c; c++)
		*c = tolower(*c);
	return origin;
}

/* Whether a text has only characters that a request line may contain */
static bool is_clean(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || *text == 0x7f || *text == '\\')
			return false;
	return true;
}

static int no_address(char why[HTTP_WHY], const char *what)
{
	snprintf(why, HTTP_WHY, "%s", what);
	return -EINVAL;
}

int address_parse(struct address *a, const char *text, char why[HTTP_WHY])
{
	struct authority part;
	const char *rest;
	int ret;

	*a = (struct address){ .tls = !strncasecmp(text, "https://", 8) };
	if (!a->tls && strncasecmp(text, "http://", 7))
		return no_address(why, "an address that is neither http:// nor https://");
	if (!is_clean(text))
		return no_address(why, "an address with a space, a control or a backslash in it");
	if (!authority_split(text + (a->tls ? 8 : 7), &part))
		return no_address(why, "an @ may end a password: write %40 %2F %3F %23 for @/?#");
	if (!part.host_len)
		return no_address(why, "an address without a host");
	ret = part.user ? address_user(a, part.user, part.user_len) : 0;
	if (!ret) {
		a->origin = make_origin(a->tls, part.host, part.host_len);
		rest = part.host + part.host_len;
		if (!a->origin || asprintf(&a->url, "%s%.*s", a->origin,
					   (int)strcspn(rest, "#"), rest) < 0)
			a->url = NULL;
		if (a->url)
			a->name = strndup(a->url, strcspn(a->url, "?"));
		ret = a->url && a->name ? 0 : -ENOMEM;
	}
	if (ret)
		address_free(a);
	return ret;
}

void address_free(struct address *a)
{
	free(a->url);
	free(a->origin);
	free(a->name);
	free(a->user);
	free(a->password);
	*a = (struct address){ };
}

const char *address_host(const struct address *a)
{
	return strstr(a->origin, "://") + 3;
}

const char *address_path(const char *url, size_t *len)
{
	const char *path = strstr(url, "://");

	path = path ? path + 3 : url;
	path += strcspn(path, "/?#");
	*len = strcspn(path, "?#");
	return path;
}

static char *encode(const char *key, const char *kept)
{
	static const char digits[] = "0123456789ABCDEF";
	char *path = malloc(3 * strlen(key) + 1), *to = path;

	if (!path)
		return NULL;
	for (; *key; key++) {
		const unsigned char c = *key;

		if ((c < 0x80 && isalnum(c)) || strchr(kept, c)) {
			*to++ = c;
		} else {
			*to++ = '%';
			*to++ = digits[c >> 4];
			*to++ = digits[c & 15];
		}
	}
	*to = '\0';
	return path;
}

char *address_encode(const char *key)
{
	return encode(key, "-._~/");
}

char *address_escape(const char *value)
{
	return encode(value, "-._~");
}
