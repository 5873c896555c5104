/* SPDX-License-Identifier: GPL-2.0 */
/* User and password of a registry, from the files of container tools. */
#ifndef HTTP_LOGIN_H
#define HTTP_LOGIN_H

#include "reference.h"

/* Bytes of the text that tells which files were looked at */
#define LOGIN_SAID	160

/**
 * login_find - find user and password for a registry
 * @value: value of the header Authorization, "Basic ...", allocated; NULL: none for this name
 * @said: filled in with the files that were looked at, and what they had for it
 * @why: filled in with the reason of an error
 *
 * Return: 0, -EINVAL (a file is wrong) or -ENOMEM.
 */
int login_find(const struct reference *ref, char **value, char said[LOGIN_SAID],
	       char why[HTTP_WHY]);

#endif /* HTTP_LOGIN_H */
