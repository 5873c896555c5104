/* SPDX-License-Identifier: GPL-2.0 */
/* Keys, region and server of S3, as the AWS tools take them. */
#ifndef HTTP_AWS_H
#define HTTP_AWS_H

#include "http.h"

/**
 * struct aws - what a request to S3 needs
 * @id: and @secret, the keys; NULL: requests are not signed
 * @token: of a session, or NULL
 * @region: always there
 * @endpoint: a server, "https://host:port"; NULL: AWS's own
 */
struct aws {
	char *id;
	char *secret;
	char *token;
	char *region;
	char *endpoint;
};

/**
 * aws_load - options, environment and files, in this order
 * @aws: filled in on success; to be freed with aws_free()
 * @why: gets what is wrong
 *
 * Return: 0, -EACCES if there are no keys, -EINVAL for a key that cannot stand in a request,
 * or -ENOMEM.
 */
int aws_load(struct aws *aws, const struct http_options *o, char why[HTTP_WHY]);
void aws_free(struct aws *aws);

/** aws_same_keys - whether both would sign alike */
bool aws_same_keys(const struct aws *a, const struct aws *b);

/**
 * aws_url - the address of s3://bucket/key
 * @why: gets what is wrong
 *
 * Return: memory to be freed; NULL for no such address or no memory.
 */
char *aws_url(const struct aws *aws, const char *address, char why[HTTP_WHY]);

#endif /* HTTP_AWS_H */
