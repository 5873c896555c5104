/* SPDX-License-Identifier: GPL-2.0 */
/* What a registry wants to know before it answers. */
#ifndef HTTP_CHALLENGE_H
#define HTTP_CHALLENGE_H

#include "reference.h"

/**
 * challenge_url - where a token is to be had
 * @challenge: "Bearer realm=...", as the registry sent it
 * @ref: for what
 * @url: gets it, to be freed; NULL on failure
 * @why: gets what is wrong
 *
 * Return: 0, -EREMOTEIO or -ENOMEM.
 */
int challenge_url(const char *challenge, const struct reference *ref, char **url,
		  char why[HTTP_WHY]);

#endif /* HTTP_CHALLENGE_H */
