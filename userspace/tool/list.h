/* SPDX-License-Identifier: GPL-2.0 */
/* List files: one entry a line, or entries that end with NUL, which is seen by the first one. */
#ifndef DSFS_LIST_H
#define DSFS_LIST_H

#include "dsfs_platform.h"

/**
 * list_read - call @fn for every entry of a list file
 * @path: the file; - is standard input
 * @null: entries end with NUL instead of newline, even if there is none in the first 64 KiB,
 *	which says that they do
 * @fn: gets the entry, terminated, its length and number; not 0 stops.  Empty
 *	ones are passed over.
 *
 * Return: 0, what @fn returned, or -errno (message written, but for -EINTR).
 */
int list_read(const char *path, bool null, int (*fn)(void *ctx, char *line, size_t len, u64 number),
	      void *ctx);

/**
 * list_hint - hint for the end of a message about a name that does not exist
 *
 * A name may end in a carriage return, so a list with Windows line ends is noticed only
 * when its names are looked up.
 *
 * Return: ": it ends in a carriage return", or "".
 */
static inline const char *list_hint(const char *name)
{
	size_t len = strlen(name);

	return len && name[len - 1] == '\r' ? ": it ends in a carriage return" : "";
}

#endif /* DSFS_LIST_H */
