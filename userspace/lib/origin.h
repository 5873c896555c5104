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
 * @options: as origin_open() takes them
 * @e: gets it
 * @what: gets what is wrong with them
 *
 * Return: 0 or a negative errno.
 */
int origin_expected(const char *options, struct expected *e, const char **what);

/**
 * origin_open - open the reader of an image, wherever it is
 * @address: the path of a file or a block device; http://, https://, s3://bucket/key or
 *	oci://registry/name:tag; behind either a digest may stand, "@sha256:HEX"
 * @options: of sources, "name=value,...", or NULL; those of the environment's DSFS_SOURCE count
 *	where these do not say otherwise.  All are looked at, whatever the image is.
 * @img: gets @reader and @expected
 * @what: gets what failed, for a message; valid until this thread's next error
 *
 * Return: 0 or a negative errno.  With -ENOTBLK and where err_why() says the same, @what says
 * all.
 */
int origin_open(const char *address, const char *options, struct image *img, const char **what);

/** origin_tell - have a function told of servers that are asked again, as http_tell() does */
void origin_tell(void (*fn)(const char *address, const char *why));

/** reader_http - a reader of an object of a server */
struct http_options;
int reader_http(const char *address, const struct http_options *o, struct dsfs_reader **out);

struct piece;
struct pieces;

/**
 * reader_http_pieces - have a reader of a list read what lies in its pieces
 * @r: of reader_http(); nobody has told it of ranges ahead
 * @list: stays as it is until @r is closed
 *
 * A range must not go over the end of a piece.  Return: 0 or -ENOMEM.
 */
int reader_http_pieces(struct dsfs_reader *r, const struct pieces *list);

/** reader_http_piece - a reader of one piece of such a one, which has to be closed after it */
int reader_http_piece(struct dsfs_reader *of, const struct piece *p, struct dsfs_reader **out);

#endif /* DSFS_ORIGIN_H */
