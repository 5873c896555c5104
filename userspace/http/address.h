/* SPDX-License-Identifier: GPL-2.0 */
/* An address, taken apart. */
#ifndef HTTP_ADDRESS_H
#define HTTP_ADDRESS_H

#include "http.h"

/**
 * struct address - where a request goes
 * @url: scheme, host, path and query; no user and no password
 * @origin: scheme, host and port in small letters: what credentials are for
 * @name: what messages show: @url without its query
 * @user: and @password, decoded; NULL if the address has none
 * @tls: https
 *
 * All are one piece of memory each.
 */
struct address {
	char *url;
	char *origin;
	char *name;
	char *user;
	char *password;
	bool tls;
};

/**
 * address_parse - take an http:// or https:// address apart
 * @a: filled in on success; to be freed with address_free()
 * @why: gets what is wrong
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int address_parse(struct address *a, const char *text, char why[HTTP_WHY]);
void address_free(struct address *a);

/** address_host - host and port of an address, as its header Host: has them */
const char *address_host(const struct address *a);

/**
 * address_path - the path of a URL
 * @len: gets its length, which the query is not part of; 0: "/" is meant
 */
const char *address_path(const char *url, size_t *len);

/** address_encode - a key of S3 as the path of a URL: memory to be freed, or NULL */
char *address_encode(const char *key);

#endif /* HTTP_ADDRESS_H */
