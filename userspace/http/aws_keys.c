// SPDX-License-Identifier: GPL-2.0
/* Keys that were loaded: compared, and freed with the object that has them. */
#include <stdlib.h>
#include <string.h>

#include "aws.h"
#include "words.h"

void aws_free(struct aws *aws)
{
	secret_free(aws->id);
	secret_free(aws->secret);
	secret_free(aws->token);
	free(aws->region);
	free(aws->endpoint);
	free(aws->bundle);
	*aws = (struct aws){ };
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool aws_same_keys(const struct aws *a, const struct aws *b)
{
	return same(a->id, b->id) && same(a->secret, b->secret) && same(a->token, b->token);
}
