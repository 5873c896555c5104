/* SPDX-License-Identifier: GPL-2.0 */
/* Parsing of addresses. */
#ifndef HTTP_ADDRESS_H
#define HTTP_ADDRESS_H

#include "http.h"

/**
 * struct address - a parsed address
 * @url: scheme, host, path and query; no user and no password
 * @origin: scheme, host and port in lower case; credentials are sent to one origin only
 * @name: @url without its query, for messages
 * @user: decoded, like @password; both are NULL if the address has none
 * @tls: the scheme is https
 *
 * Each string is an allocation of its own.
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
 * address_parse - parse an http:// or https:// address
 * @a: filled in on success; free it with address_free()
 * @why: filled in with the reason of an error
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int address_parse(struct address *a, const char *text, char why[HTTP_WHY]);
void address_free(struct address *a);

/** address_user - take "user:password", percent-encoded; 0, -ENOMEM, or -EINVAL: with %00 */
int address_user(struct address *a, const char *text, size_t len);

/** address_host - host and port of an address, as the header Host has them */
const char *address_host(const struct address *a);

/**
 * address_path - find the path of a URL
 * @len: set to its length, without the query; 0: the path is "/"
 */
const char *address_path(const char *url, size_t *len);

/** address_encode - percent-encode all but "/" and unreserved characters; allocated, or NULL */
char *address_encode(const char *key);

/** address_escape - the same, and "/", for a value in a form */
char *address_escape(const char *value);

/**
 * authority_is_doubtful - whether a port may be the beginning of a password, as a later @ ends it
 * @text: what stands behind "://", written by a person: servers lead to addresses that are right
 */
bool authority_is_doubtful(const char *text);

#endif /* HTTP_ADDRESS_H */
