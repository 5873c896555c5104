/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where an image comes from: an address, and options of the way to it.
 */
#ifndef DSFS_ORIGIN_H
#define DSFS_ORIGIN_H

#include "image.h"

/** origin_is_far - whether it is an address of a server, and no path */
bool origin_is_far(const char *address);

/**
 * struct origin - an address and its options
 * @address: without a digest behind it
 * @source: options, of which that digest is one; NULL: none
 */
struct origin {
	char *address;
	char *source;
};

/**
 * origin_split - take a digest behind an address, "@sha256:HEX", for the option digest=
 * @o: filled in; to be freed with origin_free(), which may be called in any case
 * @address: if it is the path of a file that there is, none stands behind it
 * @source: options, or NULL; the digest counts for more than one of these
 * @what: gets what failed
 *
 * Return: 0, -EINVAL (no digest) or -ENOMEM.
 */
int origin_split(struct origin *o, const char *address, const char *source, const char **what);
void origin_free(struct origin *o);

/**
 * origin_name - what messages call it: an address without user, password and query
 * @buf: gets it, terminated, if it is far
 *
 * Return: @address for a path, else @buf.
 */
const char *origin_name(const char *address, char *buf, size_t size);

/**
 * origin_has_option - whether a word "name=value" or "name" is an option of sources, by its name
 */
bool origin_has_option(const char *word);

/**
 * origin_expected - the digest that options of a source ask for
 * @options: as reader_open() takes them; all are looked at, whatever the image is
 * @e: gets it
 * @what: gets what is wrong with them
 *
 * Return: 0 or a negative errno.
 */
int origin_expected(const char *options, struct expected *e, const char **what);

/**
 * reader_open - a reader of an image, wherever it is
 * @address: the path of a file or a block device, without a digest; http://, https://,
 *	s3://bucket/key or oci://registry/name:tag
 * @options: of sources, "name=value,...", or NULL; those of the environment's DSFS_SOURCE count
 *	where these do not say otherwise.  How a file is read does not depend on them.
 * @out: gets the reader
 * @what: gets what failed, for a message; valid until this thread's next error
 *
 * Return: 0 or a negative errno.  With -ENOTBLK and where err_why() says the same, @what says
 * all.
 */
int reader_open(const char *address, const char *options, struct dsfs_reader **out,
		const char **what);

/** origin_tell - have a function told of servers that are asked again, as http_tell() does */
void origin_tell(void (*fn)(const char *address, const char *why));

/** reader_http - a reader of an object of a server; struct source's options are http.h's */
struct http_options;
int reader_http(const char *address, const struct http_options *o, struct dsfs_reader **out);

#endif /* DSFS_ORIGIN_H */
