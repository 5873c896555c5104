// SPDX-License-Identifier: GPL-2.0
/*
 * Who asks whom.  A password ends at the last @ of the authority, which ends at the first / ? or #.
 * If such a character stands in a password without a percent, another @ follows; then what stands
 * in front of it may be a part of the password, and requests would go to another host.
 */
#include <string.h>
#include <strings.h>

#include "authority.h"
#include "http.h"

/* Whether what follows the colon behind a host is no port */
static bool is_bad_port(const char *host, size_t len)
{
	const char *bracket = *host == '[' ? memchr(host, ']', len) : NULL;
	const char *from = bracket ? bracket : host, *colon = memchr(from, ':', host + len - from);

	return colon && colon + 1 + strspn(colon + 1, "0123456789") < host + len;
}

bool authority_split(const char *text, struct authority *a)
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
	if (authority_split(text, &a) && !authority_is_doubtful(text)) {
		n = strncasecmp(address, "s3", 2) ? strcspn(a.host, "?#") : strlen(a.host);
		snprintf(buf, size, "%.*s%.*s", (int)(text - address), address, (int)n, a.host);
	} else {
		snprintf(buf, size, "%.*s...", (int)(text - address), address);
	}
	return buf;
}
