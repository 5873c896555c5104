/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ranges of one object behind http://, https://, s3://bucket/key or oci://registry/name.
 *
 * This folder knows servers and nothing of images.  An object is opened by asking for its
 * first bytes: the answer says how long it is and by which ETag or Last-Modified it is told
 * from what may replace it.  From there on each range is one request, which names exactly the
 * bytes that are wanted, and whose answer has to be exactly these, of that object.  What goes
 * wrong on the way is tried again, a bounded number of times; what can be no accident is an
 * error at once.
 *
 * libcurl is loaded when the first object is opened, so that a tool that reads files starts as
 * fast as ever, and runs where there is no libcurl.
 */
#ifndef HTTP_H
#define HTTP_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/uio.h>

/* Bytes of a text that says what is wrong */
#define HTTP_WHY	208

/**
 * struct http_options - how to reach an object
 * @connections: requests under way at a time
 * @timeout: seconds without progress until a request counts as lost
 * @retries: how often a request that failed is sent again
 * @backoff: milliseconds before the first of these; each further wait is twice as long
 * @header_file: lines "Name: value" that are sent to the host of the address and nowhere else
 * @endpoint: of S3, a server other than AWS's
 * @region: of S3
 * @profile: section of the AWS tools' files
 * @cafile: certificates of the authorities that are trusted, instead of the system's
 * @anonymous: requests to S3 are not signed
 * @plain: a registry is asked by http, not https
 *
 * A text that is not given is NULL.
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

struct http_object;

/** http_is_artifact - whether it begins as an address of an artifact of a registry does */
bool http_is_artifact(const char *text);

/** http_is_address - whether a text begins as an address of an object does */
bool http_is_address(const char *text);

/**
 * http_name - an address as messages may show it: without user, password and query
 * @buf: gets it, terminated, cut to @size - 1 bytes
 *
 * Return: @buf.
 */
const char *http_name(const char *address, char *buf, size_t size);

/** The ranges that a read may bring with it; of http_read() */
#define HTTP_AGAIN	1u	/* not out of memory or a cache on the way */

#ifndef DSFS_NO_CURL

/**
 * http_open - find an object
 * @address: http://..., https://..., s3://bucket/key or oci://registry/name:tag
 * @o: copied
 * @why: gets what is wrong, without anything secret
 *
 * Return: 0, -EINVAL (the address or an option), -ENOENT, -EACCES, -EOPNOTSUPP (no libcurl),
 * -EREMOTEIO (anything else that a server or the way to it did), -EINTR or -ENOMEM.
 */
int http_open(const char *address, const struct http_options *o, struct http_object **out,
	      char why[HTTP_WHY]);

/** http_close - forget it; nobody reads any more */
void http_close(struct http_object *obj);

/** http_bytes - how long the object is */
uint64_t http_bytes(const struct http_object *obj);

/** http_shown - its address as in messages */
const char *http_shown(const struct http_object *obj);

/**
 * http_identity - address, length and ETag or Last-Modified; the same on every machine
 * Return: NULL if the server tells neither, or only what does not vouch for bytes.
 */
const char *http_identity(const struct http_object *obj);

/**
 * http_read - read a range
 * @iov: @n buffers, whose lengths add up to @len
 * @stop: asked now and then; non-zero ends the wait.  NULL: signals alone do
 * @why: gets what is wrong
 *
 * Return: 0, -EREMOTEIO, -EINTR or -ENOMEM.
 */
int http_read(struct http_object *obj, const struct iovec *iov, int n, size_t len, uint64_t pos,
	      unsigned int flags, int (*stop)(void), char why[HTTP_WHY]);

/**
 * http_ahead - begin to bring in a range, which a read of it or of parts of it takes
 *
 * Does not wait.  It is an advice: where memory for it ran out, the read asks itself.
 */
void http_ahead(struct http_object *obj, uint64_t pos, size_t len);

/** http_has - whether a byte was asked for ahead and not taken */
bool http_has(struct http_object *obj, uint64_t pos);

#else

static inline int http_open(const char *address, const struct http_options *o,
			    struct http_object **out, char why[HTTP_WHY])
{
	(void)address;
	(void)o;
	(void)out;
	snprintf(why, HTTP_WHY, "this build has no libcurl");
	return -EOPNOTSUPP;
}

static inline void http_close(struct http_object *obj) { (void)obj; }
static inline uint64_t http_bytes(const struct http_object *obj) { (void)obj; return 0; }
static inline const char *http_shown(const struct http_object *obj) { (void)obj; return NULL; }
static inline const char *http_identity(const struct http_object *obj) { (void)obj; return NULL; }

static inline int http_read(struct http_object *obj, const struct iovec *iov, int n, size_t len,
			    uint64_t pos, unsigned int flags, int (*stop)(void),
			    char why[HTTP_WHY])
{
	(void)obj;
	(void)iov;
	(void)n;
	(void)len;
	(void)pos;
	(void)flags;
	(void)stop;
	*why = '\0';
	return -EOPNOTSUPP;
}

static inline bool http_has(struct http_object *obj, uint64_t pos)
{
	(void)obj;
	(void)pos;
	return false;
}

static inline void http_ahead(struct http_object *obj, uint64_t pos, size_t len)
{
	(void)obj;
	(void)pos;
	(void)len;
}

#endif /* DSFS_NO_CURL */

#endif /* HTTP_H */
