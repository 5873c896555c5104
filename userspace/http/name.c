// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses in messages.  A query may have a signature, and the part in front of an @ a
 * password: neither is shown, even if the address is malformed.
 */
#include <string.h>
#include <strings.h>

#include "http.h"

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

/*
 * Find the host in an authority of @authority bytes.  If no port follows its colon, it may be the
 * beginning of "user:password@host" with a / ? or # in the password that is not percent-encoded.
 */
static const char *find_host(const char *text, size_t authority)
{
	const char *at = memrchr(text, '@', authority);
	const char *colon = at ? NULL : memchr(text, ':', authority);

	if (colon && *text != '[' &&
	    colon + 1 + strspn(colon + 1, "0123456789") != text + authority)
		at = strchr(text + authority, '@');
	return at ? at + 1 : text;
}

const char *http_name(const char *address, char *buf, size_t size)
{
	const char *host = strstr(address, "://");
	size_t scheme, n;

	if (!http_is_address(address) || !host) {
		snprintf(buf, size, "%s", address);
		return buf;
	}
	host += 3;
	scheme = host - address;
	host = find_host(host, strcspn(host, "/?#"));
	n = strncasecmp(address, "s3", 2) ? strcspn(host, "?#") : strlen(host);
	snprintf(buf, size, "%.*s%.*s", (int)scheme, address, (int)n, host);
	return buf;
}
