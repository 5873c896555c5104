/* SPDX-License-Identifier: GPL-2.0 */
/* The part of an address between "://" and the path: "user:password@host:port". */
#ifndef HTTP_AUTHORITY_H
#define HTTP_AUTHORITY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct authority - its parts, which point into the text
 * @user: @user_len bytes, with the password; NULL: there is none
 * @host: @host_len bytes, with the port
 */
struct authority {
	const char *user;
	size_t user_len;
	const char *host;
	size_t host_len;
};

/**
 * authority_split - find the parts of an authority
 * @text: what stands behind "://", with the path
 *
 * Return: whether it is clear where a password ends; if not, nothing of the text may be shown.
 */
bool authority_split(const char *text, struct authority *a);

/**
 * authority_is_doubtful - whether a port may be the beginning of a password, as a later @ ends it
 * @text: as of authority_split(), by a person: servers lead to addresses that are written right
 */
bool authority_is_doubtful(const char *text);

#endif /* HTTP_AUTHORITY_H */
