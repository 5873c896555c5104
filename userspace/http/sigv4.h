/* SPDX-License-Identifier: GPL-2.0 */
/* AWS Signature Version 4 of a GET without a query and a body. */
#ifndef HTTP_SIGV4_H
#define HTTP_SIGV4_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* SHA-256 of the empty body */
#define SIGV4_NO_BODY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/**
 * struct sigv4 - input of a signature
 * @host: value of the header Host; @path: percent-encoded, @path_len bytes
 * @region: with @service, the scope
 * @id: access key ID, with @secret; @token: session token, or NULL
 * @range: value of the header Range, or NULL: it is not signed
 */
struct sigv4 {
	const char *host;
	const char *path;
	size_t path_len;
	const char *region;
	const char *service;
	const char *id;
	const char *secret;
	const char *token;
	const char *range;
};

#define SIGV4_DATE	17	/* "20130524T000000Z", terminated */

/** sigv4_date - make the value of the header x-amz-date */
void sigv4_date(time_t now, char date[SIGV4_DATE]);

/** sigv4_header - make the value of the header Authorization; allocated, or NULL */
char *sigv4_header(const struct sigv4 *s, const char date[SIGV4_DATE]);

#endif /* HTTP_SIGV4_H */
