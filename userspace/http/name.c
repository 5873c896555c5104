// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses in messages.  What stands behind a question mark may be a signature, and what
 * stands in front of an @ a password: neither is shown, whatever else is wrong with the text.
 */
#include <string.h>
#include <strings.h>

#include "http.h"

static const char * const schemes[] = { "http://", "https://", "s3://" };

bool http_is_address(const char *text)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
		if (!strncasecmp(text, schemes[i], strlen(schemes[i])))
			return true;
	return false;
}

const char *http_name(const char *address, char *buf, size_t size)
{
	const char *host = strstr(address, "://");
	size_t scheme, authority, n;

	if (!http_is_address(address) || !host) {
		snprintf(buf, size, "%s", address);
		return buf;
	}
	host += 3;
	scheme = host - address;
	authority = strcspn(host, "/?#");
	for (n = authority; n && host[n - 1] != '@'; n--)
		;
	host += n;
	n = strncasecmp(address, "s3", 2) ? strcspn(host, "?#") : strlen(host);
	snprintf(buf, size, "%.*s%.*s", (int)scheme, address, (int)n, host);
	return buf;
}
