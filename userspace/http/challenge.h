/* SPDX-License-Identifier: GPL-2.0 */
/* Challenges of registries. */
#ifndef HTTP_CHALLENGE_H
#define HTTP_CHALLENGE_H

#include "reference.h"

/**
 * challenge_url - make the URL of a request for a token
 * @challenge: "Bearer realm=...", as the registry sent it
 * @ref: the artifact that the token is for
 * @url: set to the URL, allocated; NULL on failure
 * @why: filled in with the reason of an error
 *
 * Return: 0, -EREMOTEIO or -ENOMEM.
 */
int challenge_url(const char *challenge, const struct reference *ref, char **url,
		  char why[HTTP_WHY]);

#endif /* HTTP_CHALLENGE_H */
