/* SPDX-License-Identifier: GPL-2.0 */
/* User and password of a registry, from the file of container tools. */
#ifndef HTTP_LOGIN_H
#define HTTP_LOGIN_H

#include "http.h"

/**
 * login_find - find user and password for a registry
 * @host: with its port
 * @value: value of the header Authorization, "Basic ...", allocated; NULL: none for this host
 * @why: filled in with the reason of an error
 *
 * Return: 0, -EINVAL (the file is wrong), -EOPNOTSUPP (no jansson) or -ENOMEM.
 */
int login_find(const char *host, char **value, char why[HTTP_WHY]);

#endif /* HTTP_LOGIN_H */
