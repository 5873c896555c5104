/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ranges of one object behind http://, https://, s3://bucket/key or oci://registry/name.
 *
 * This folder knows servers and nothing of images.  Opening an object requests its first bytes.
 * The response has its length and the ETag or Last-Modified that distinguishes it from an object
 * that replaces it.  After that each range is one request for exactly its bytes, and a response
 * with other bytes, or of another object, is rejected.  Errors that may pass are tried again, a
 * bounded number of times; all others are reported at once.
 *
 * libcurl is loaded when the first object is opened, so that a tool that reads local files
 * starts without that cost, and runs where libcurl is not installed.
 */
#ifndef HTTP_H
#define HTTP_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/uio.h>

#include "hash.h"

/* Size of the text that gives the reason of an error */
#define HTTP_WHY	208

/**
 * struct http_options - how to reach an object
 * @connections: maximum number of connections, and of requests in flight, of which flight.c
 *	allows a part
 * @timeout: seconds without progress until a request counts as lost
 * @retries: maximum number of retries of a failed request
 * @backoff: milliseconds before the first retry; each further wait is twice as long
 * @header_file: lines "Name: value" that are sent to the host of the address and nowhere else
 * @endpoint: URL of an S3 server other than AWS
 * @region: region of S3
 * @profile: section of the AWS tools' files
 * @cafile: certificates of trusted authorities, instead of the system's
 * @anonymous: do not sign requests to S3
 * @plain: use http, not https, for a registry
 *
 * A string that is not given is NULL.
 */
struct http_options {
	unsigned int connections;
	unsigned int timeout;
	unsigned int retries;
	unsigned int backoff;
	const char *header_file;
	const char *endpoint;
	const char *region;
	const char *profile;
	const char *cafile;
	bool anonymous;
	bool plain;
};

/** why_fail - fill in the reason of an error, as printf(3).  Return: @ret. */
int why_fail(char why[HTTP_WHY], int ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

struct http_object;

/** http_is_artifact - whether a text begins with "oci://" */
bool http_is_artifact(const char *text);

/** http_is_address - whether a text begins with a scheme of this folder */
bool http_is_address(const char *text);

/**
 * http_name - remove user, password and query from an address, for messages
 * @buf: filled in, terminated, cut to @size - 1 bytes
 *
 * Return: @buf.
 */
const char *http_name(const char *address, char *buf, size_t size);

/* Flags of http_read() */
#define HTTP_AGAIN	1u	/* ask the server, past memory here and caches on the way */

/**
 * http_tell - have a function called when a range that took a second has failed and is tried again
 * @fn: gets the address as http_name() gives it, and the reason; called by any thread
 */
void http_tell(void (*fn)(const char *name, const char *why));

/**
 * http_open - open an object
 * @address: http://..., https://..., s3://bucket/key or oci://registry/name:tag
 * @o: options; copied
 * @why: filled in with the reason of an error; has no secrets
 *
 * Return: 0, -EINVAL (the address or an option), -ENOENT, -EACCES, -EOPNOTSUPP (no libcurl),
 * -EREMOTEIO (other errors of servers and network), -EINTR, -EAGAIN (no thread) or -ENOMEM.
 */
int http_open(const char *address, const struct http_options *o, struct http_object **out,
	      char why[HTTP_WHY]);

/** http_close - close an object, which no thread reads any more */
void http_close(struct http_object *obj);

/** http_bytes - length of the object */
uint64_t http_bytes(const struct http_object *obj);

/** http_shown - address of the object as http_name() gives it */
const char *http_shown(const struct http_object *obj);

/**
 * http_identity - address, a sum of its query but for signatures, length and ETag or
 * Last-Modified; the same on every machine
 * Return: NULL without a tag that changes whenever the bytes do.
 */
const char *http_identity(const struct http_object *obj);

/**
 * http_read - read a range
 * @iov: @n buffers, whose lengths add up to @len
 * @stop: called now and then; the wait ends when it returns non-zero.  NULL: only signals end it
 * @why: filled in with the reason of an error
 *
 * Return: 0, -EREMOTEIO, -EINTR or -ENOMEM.
 */
int http_read(struct http_object *obj, const struct iovec *iov, int n, size_t len, uint64_t pos,
	      unsigned int flags, int (*stop)(void), char why[HTTP_WHY]);

/**
 * http_ahead - start to read a range into memory, from which later reads of its bytes take it
 *
 * Does not wait.  It is a hint: without memory for the range nothing is done.
 */
void http_ahead(struct http_object *obj, uint64_t pos, size_t len);

/** http_drop - forget what was read ahead and ends in a range; who reads it now still gets it */
void http_drop(struct http_object *obj, uint64_t pos, uint64_t len);

/**
 * struct piece - a file or an object that has a range of an image, and lies beside its list
 * @start: offset of the range; @bytes: its length, at least 1
 * @name: relative to the folder of the list
 * @sum: SHA-256 of its bytes, which is its name in a registry
 */
struct piece {
	unsigned long long start;
	unsigned long long bytes;
	const char *name;
	uint8_t sum[HASH_BYTES];
};

/** piece_find - number of the one of @n pieces in order that has a byte, or of the last one */
static inline size_t piece_find(const struct piece *v, size_t n, unsigned long long pos)
{
	size_t low = 0, high = n, mid;

	while (high - low > 1) {
		mid = low + (high - low) / 2;
		if (v[mid].start > pos)
			high = mid;
		else
			low = mid;
	}
	return low;
}

/**
 * http_pieces - make what an object, a list, names by pieces of the object itself
 * @v: @n of them, without gaps, from 0 on; they stay as they are until the object is closed
 *
 * From then on the object has their bytes, and each range has to be of one piece.  The address of
 * a piece is that of the list with another last name, and with the same query, or, in a registry,
 * that of a blob.  The version of a piece is that of the first answer.
 *
 * Return: 0 or -ENOMEM.
 */
int http_pieces(struct http_object *obj, const struct piece *v, size_t n);

/** http_has - whether a read of a byte needs no new request */
bool http_has(struct http_object *obj, uint64_t pos);

#endif /* HTTP_H */
