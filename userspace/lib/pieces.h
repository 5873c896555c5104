/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists: the texts that name the pieces of an image (Documentation/lists.rst), and readers of the
 * image that lies in them.
 *
 * A list may come from anybody.  Names of pieces lead to nothing but files beside it, and all
 * numbers are checked here, so that whoever has a struct pieces need not look again.
 */
#ifndef DSFS_PIECES_H
#define DSFS_PIECES_H

#include "../http/http.h"
#include "image.h"

/* What every list begins with, and no image: the first 4096 bytes of one are those of no text */
#define PIECES_BEGIN	"{\"dsfs-list\":"
#define PIECES_SUFFIX	".list"		/* of the name of a list */
#define PIECES_TEXT_MAX	16777216	/* bytes of a list */
#define PIECES_MAX	65536		/* pieces of a list */
#define PIECES_NAME_MAX	255		/* bytes of the name of a piece */
#define PIECES_SUM	32		/* bytes of a SHA-256 */
#define PIECES_HEX	(2 * PIECES_SUM + 1)	/* as text, terminated */
#define PIECES_HEAD_MAX	1048576		/* bytes of a first piece that is compared when opened */

/**
 * struct pieces - a list
 * @v: pieces in the order of the image, @n of them, without gaps; @bytes: of all
 * @digest: of the tree, if the list tells one
 * @sum: SHA-256 of the list itself
 * @names: what the names of pieces point into
 */
struct pieces {
	struct piece *v;
	size_t n;
	u64 bytes;
	u8 uuid[16];
	u64 generation;
	struct expected digest;
	u8 sum[PIECES_SUM];
	char *names;
};

/** pieces_is_name - whether it is a name that a piece can have */
bool pieces_is_name(const char *name);

/**
 * pieces_parse - take a list
 * @p: filled in; free it with pieces_free(), after an error, too
 * @why: ERR_FAR bytes, which get the reason of an error
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int pieces_parse(const char *text, size_t len, struct pieces *p, char *why);
void pieces_free(struct pieces *p);

struct cache_options;

/**
 * struct pieces_way - how pieces are reached
 * @address: of the list
 * @cache: where the node keeps what it reads of a server; NULL: nowhere
 */
struct pieces_way {
	const char *address;
	const struct cache_options *cache;
};

/**
 * reader_pieces - if a reader has a list, replace it by a reader of the image in its pieces
 * @reader: of the list; becomes that of the image.  It is closed on failure.
 * @expected: a SHA-256 without a kind may be that of the list: then it is as expected, and
 *	nothing more is
 * @what: gets what failed
 *
 * Return: 1; 0: it is no list; or a negative errno.
 */
int reader_pieces(struct dsfs_reader **reader, const struct pieces_way *way,
		  struct expected *expected, const char **what);

/**
 * reader_list - the list of a reader of an image in pieces
 * @text: gets the list itself, of @len bytes
 *
 * Return: NULL for any other reader.
 */
const struct pieces *reader_list(struct dsfs_reader *r, const char **text, size_t *len);

#endif /* DSFS_PIECES_H */
