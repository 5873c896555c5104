// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses.  User and password are not kept in the URL: they are set for a request
 * to the host of the address alone, so a redirect carries them nowhere.
 *
 * A password ends at the last @ of the authority, which ends at the first / ? or #.  If such a
 * character stands in a password without a percent, another @ follows; then what stands in front
 * of it may be a part of the password, and requests would go to another host.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "address.h"

int why_fail(char why[HTTP_WHY], int ret, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, HTTP_WHY, fmt, ap);
	va_end(ap);
	return ret;
}

/* Whether what follows the colon behind a host is no port */
static bool is_bad_port(const char *host, size_t len)
{
	const char *bracket = *host == '[' ? memchr(host, ']', len) : NULL;
	const char *from = bracket ? bracket : host, *colon = memchr(from, ':', host + len - from);

	return colon && colon + 1 + strspn(colon + 1, "0123456789") < host + len;
}

/**
 * struct authority - its parts, which point into the text
 * @user: @user_len bytes, with the password; NULL: there is none
 * @host: @host_len bytes, with the port
 */
struct authority {
	const char *user;
	size_t user_len;
	const char *host;
	size_t host_len;
};

/*
 * Find the parts of what stands behind "://".  Return: whether it is clear where a password ends;
 * if not, nothing of the text may be shown.
 */
static bool split(const char *text, struct authority *a)
{
	const size_t len = strcspn(text, "/?#");
	const char *at = memrchr(text, '@', len);

	*a = (struct authority){ .host = text, .host_len = len };
	if (at) {
		a->user = text;
		a->user_len = at - text;
		a->host = at + 1;
		a->host_len = len - a->user_len - 1;
	}
	return !strchr(text + len, '@') || (!at && !is_bad_port(text, len));
}

bool authority_is_doubtful(const char *text)
{
	const size_t len = strcspn(text, "/?#");
	const char *bracket = *text == '[' ? memchr(text, ']', len) : NULL;
	const char *from = bracket ? bracket : text, *at = strrchr(text + len, '@');

	return at && memchr(from, ':', text + len - from) && strncmp(at, "@sha256:", 8);
}

/*
 * Addresses in messages.  A query may have a signature, and the part in front of an @ a
 * password: neither is shown, nor any of an address in which it is not clear where they end.
 */

static const char * const schemes[] = { "http://", "https://", "s3://", "oci://" };

bool http_is_address(const char *text)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
		if (!strncasecmp(text, schemes[i], strlen(schemes[i])))
			return true;
	return false;
}

bool http_is_artifact(const char *text)
{
	return !strncasecmp(text, "oci://", 6);
}

const char *http_name(const char *address, char *buf, size_t size)
{
	const char *text = strstr(address, "://");
	struct authority a;
	size_t n;

	if (!http_is_address(address) || !text) {
		snprintf(buf, size, "%s", address);
		return buf;
	}
	text += 3;
	if (split(text, &a) && !authority_is_doubtful(text)) {
		n = strncasecmp(address, "s3", 2) ? strcspn(a.host, "?#") : strlen(a.host);
		snprintf(buf, size, "%.*s%.*s", (int)(text - address), address, (int)n, a.host);
	} else {
		snprintf(buf, size, "%.*s...", (int)(text - address), address);
	}
	return buf;
}

static int hex(int c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* Percent-decode @len bytes into a string; NULL: no memory. */
static char *decode(const char *from, size_t len)
{
	char *text = malloc(len + 1), *to = text;
	int high, low;

	for (size_t i = 0; text && i < len; i++) {
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

	if (memmem(text, len, "%00", 3))
		return -EINVAL;
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

int address_parse(struct address *a, const char *text, char why[HTTP_WHY])
{
	struct authority part;
	const char *rest;
	int ret;

	*a = (struct address){ .tls = !strncasecmp(text, "https://", 8) };
	if (!a->tls && strncasecmp(text, "http://", 7))
		return why_fail(why, -EINVAL, "an address that is neither http:// nor https://");
	if (!is_clean(text))
		return why_fail(why, -EINVAL,
				"an address with a space, a control or a backslash in it");
	if (!split(text + (a->tls ? 8 : 7), &part))
		return why_fail(why, -EINVAL,
				"an @ may end a password: write %%40 %%2F %%3F %%23 for @/?#");
	if (!part.host_len)
		return why_fail(why, -EINVAL, "an address without a host");
	ret = part.user ? address_user(a, part.user, part.user_len) : 0;
	if (ret == -EINVAL)
		return why_fail(why, ret, "an address with %%00 in its user or password");
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
