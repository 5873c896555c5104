// SPDX-License-Identifier: GPL-2.0
/*
 * Who asks whom.  A password ends at the last @ of the authority, which ends at the first / ? or #.
 * If such a character stands in a password without a percent, another @ follows; then what stands
 * in front of it may be a part of the password, and requests would go to another host.
 */
#include <string.h>

#include "authority.h"

/* Whether a colon behind the host, which may be a password's, has a later @ that is no digest's */
static bool is_doubtful(const char *host, size_t len)
{
	const char *bracket = *host == '[' ? memchr(host, ']', len) : NULL;
	const char *from = bracket ? bracket : host;

	return memchr(from, ':', host + len - from) &&
	       strncmp(strrchr(host, '@'), "@sha256:", 8);
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
	return !strchr(text + len, '@') || (!at && !is_doubtful(text, len));
}
