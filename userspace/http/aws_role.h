/* SPDX-License-Identifier: GPL-2.0 */
/* Keys of S3 that are made for this process: by a program, or by STS for the identity of a pod. */
#ifndef HTTP_AWS_ROLE_H
#define HTTP_AWS_ROLE_H

#include "aws.h"

/**
 * aws_role_process - run the program of credential_process=, which prints keys
 * Return: 0, -EACCES (the program, or what it says), -EINTR or -ENOMEM.
 */
int aws_role_process(struct aws *aws, const char *command, char why[HTTP_WHY]);

/**
 * aws_role_web - ask STS for keys of a role
 * @file: holds the token of the identity
 * @role: its ARN; NULL is an error
 * @session: name of the session, or NULL
 *
 * Return: 0, -EACCES, or what the request returns.
 */
int aws_role_web(struct aws *aws, const struct http_object *obj, const char *file,
		 const char *role, const char *session, char why[HTTP_WHY]);

#endif /* HTTP_AWS_ROLE_H */
