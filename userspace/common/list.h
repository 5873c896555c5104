/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that hold a list: an entry a line, or what ends with a NUL.
 */
#ifndef DSFS_LIST_H
#define DSFS_LIST_H

#include "dsfs_platform.h"

/**
 * list_read - call @fn for every entry of a list file
 * @path: the file; - is standard input
 * @null: entries end with NUL instead of newline
 * @fn: gets the entry, terminated, its length and number; not 0 stops.  Empty
 *	ones are passed over.
 *
 * Return: 0, what @fn returned, or -errno (message written, but for -EINTR).
 */
int list_read(const char *path, bool null,
	      int (*fn)(void *ctx, char *line, size_t len, u64 number),
	      void *ctx);

/**
 * list_hint - why a name of a list may not be there, for the end of a message
 *
 * A name may end in a carriage return, so lists with the line ends of Windows are not
 * told from others before their names are looked up.
 *
 * Return: ": it ends in a carriage return", or "".
 */
static inline const char *list_hint(const char *name)
{
	size_t len = strlen(name);

	return len && name[len - 1] == '\r' ? ": it ends in a carriage return" : "";
}

#endif /* DSFS_LIST_H */
