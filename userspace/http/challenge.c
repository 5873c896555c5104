// SPDX-License-Identifier: GPL-2.0
/*
 * The challenge of a registry, WWW-Authenticate (RFC 9110), which names the server of tokens.
 * It is not trusted: the token server of a registry with https must have https, too.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "address.h"
#include "challenge.h"

static bool is_param_end(char c)
{
	return !c || c == ',' || c == ' ' || c == '\t';
}

/* Copy a value, quoted or not, and move @at behind it. */
static char *take_value(const char **at)
{
	const char *from = *at;
	char *value = malloc(strlen(from) + 1), *to = value;
	const bool quoted = *from == '"';

	for (from += quoted; value && *from; from++) {
		if (quoted ? *from == '"' : is_param_end(*from))
			break;
		if (quoted && *from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	if (value)
		*to = '\0';
	*at = from + (quoted && *from == '"');
	return value;
}

/* Value of a parameter of a challenge, allocated; NULL: none, or no memory */
static char *challenge_value(const char *challenge, const char *name)
{
	const char *at = strchr(challenge, ' ');
	char *value;
	size_t n;

	while (at && *(at += strspn(at, ", \t"))) {
		n = strcspn(at, "=");
		if (!at[n])
			return NULL;
		const bool ours = strlen(name) == n && !strncasecmp(at, name, n);

		at += n + 1;
		value = take_value(&at);
		if (ours || !value)
			return value;
		free(value);
	}
	return NULL;
}

int challenge_url(const char *challenge, const struct reference *ref, char **url,
		  char why[HTTP_WHY])
{
	char *realm = challenge_value(challenge, "realm"), *scope = NULL;
	char *service = challenge_value(challenge, "service");
	char *service_text = address_encode(service ?: "");
	int ret = 0;

	*url = NULL;
	if (asprintf(&scope, "repository%%3A%s%%3Apull", ref->name) < 0)
		scope = NULL;
	if (!realm || strncasecmp(realm, "http", 4) ||
	    (!strncmp(ref->base, "https", 5) && strncasecmp(realm, "https://", 8))) {
		snprintf(why, HTTP_WHY, "the registry names no server of tokens, or one without %s",
			 "https");
		ret = -EREMOTEIO;
	} else if (!scope || !service_text ||
		   asprintf(url, "%s%c%s%s%sscope=%s", realm, strchr(realm, '?') ? '&' : '?',
			    service ? "service=" : "", service_text, service ? "&" : "",
			    scope) < 0) {
		*url = NULL;
		ret = -ENOMEM;
	}
	free(realm);
	free(scope);
	free(service);
	free(service_text);
	return ret;
}
