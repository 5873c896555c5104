// SPDX-License-Identifier: GPL-2.0
/* Keys that were loaded, compared and freed; and variables of the environment. */
#include <stdlib.h>
#include <string.h>

#include "aws.h"

const char *aws_env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static void forget(char **text)
{
	if (*text)
		explicit_bzero(*text, strlen(*text));
	free(*text);
	*text = NULL;
}

void aws_free(struct aws *aws)
{
	forget(&aws->id);
	forget(&aws->secret);
	forget(&aws->token);
	forget(&aws->region);
	forget(&aws->endpoint);
	forget(&aws->bundle);
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool aws_same_keys(const struct aws *a, const struct aws *b)
{
	return same(a->id, b->id) && same(a->secret, b->secret) && same(a->token, b->token);
}
