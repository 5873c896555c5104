// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses in messages.  A query may have a signature, and the part in front of an @ a
 * password: neither is shown, nor any of an address in which it is not clear where they end.
 */
#include <string.h>
#include <strings.h>

#include "authority.h"
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
