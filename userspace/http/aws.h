/* SPDX-License-Identifier: GPL-2.0 */
/* Keys, region and endpoint of S3, from where the AWS tools take them. */
#ifndef HTTP_AWS_H
#define HTTP_AWS_H

#include "http.h"

struct http_object;

/**
 * struct aws - credentials and endpoint of requests to S3
 * @id: access key ID, with @secret; NULL: requests are not signed
 * @token: session token, or NULL
 * @region: never NULL
 * @endpoint: URL of a server, "https://host:port"; NULL: AWS
 * @slow: the keys are of a program or a server, for which no transfer is to wait
 * @bundle: file of trusted authorities, or NULL
 * @stop: of aws_load(), while it runs
 * @incomplete: memory ran out; what is missing could send requests elsewhere
 */
struct aws {
	char *id;
	char *secret;
	char *token;
	char *region;
	char *endpoint;
	char *bundle;
	int (*stop)(void);
	bool slow;
	bool incomplete;
};

/**
 * aws_load - read options, environment and files; the first that has a setting counts
 * @aws: filled in on success; free it with aws_free()
 * @obj: with options; a role costs a request with them
 * @stop: as for http_read()
 * @why: filled in with the reason of an error
 *
 * Return: 0, -EACCES if there are no keys, -EINTR, -EINVAL for a file or a key that is wrong,
 * -ENOMEM, or what a request returns.
 */
int aws_load(struct aws *aws, const struct http_object *obj, int (*stop)(void),
	     char why[HTTP_WHY]);
void aws_free(struct aws *aws);

/** aws_same_keys - whether ID, secret and token are equal */
bool aws_same_keys(const struct aws *a, const struct aws *b);

/**
 * aws_url - make the URL of s3://bucket/key
 * @url: filled in with it on success, allocated
 * @why: filled in if the address has no such form
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int aws_url(const struct aws *aws, const char *address, char **url, char why[HTTP_WHY]);

/* aws_role.c: keys that are made for this process, by a program, or by STS for a pod */

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

#endif /* HTTP_AWS_H */
