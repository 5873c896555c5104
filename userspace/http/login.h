/* SPDX-License-Identifier: GPL-2.0 */
/* Who somebody is to a registry, as other programs have kept it. */
#ifndef HTTP_LOGIN_H
#define HTTP_LOGIN_H

#include "http.h"

/**
 * login_find - user and password for a registry, as the header Authorization has them
 * @host: with its port
 * @value: gets "Basic ...", to be freed; NULL: nobody is known there
 * @why: gets what is wrong
 *
 * Return: 0, -EINVAL (the file is wrong), -EOPNOTSUPP (no JSON) or -ENOMEM.
 */
int login_find(const char *host, char **value, char why[HTTP_WHY]);

#endif /* HTTP_LOGIN_H */
