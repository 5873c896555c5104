/* SPDX-License-Identifier: GPL-2.0 */
/* A line of a manifest, or an operation of a batch, as values. */
#ifndef DSFS_ENTRY_H
#define DSFS_ENTRY_H

#include <jansson.h>

#include "array.h"
#include "dsfs_platform.h"
#include "dsfs_fs.h"

/* Fields of a line; entry.given has a bit for each one that is present. */
enum entry_field {
	ENTRY_PATH,
	ENTRY_TYPE,
	ENTRY_MODE,
	ENTRY_DIRMODE,
	ENTRY_UID,
	ENTRY_GID,
	ENTRY_MTIME,
	ENTRY_SOURCE,
	ENTRY_OFFSET,
	ENTRY_SIZE,
	ENTRY_TARGET,
	ENTRY_MAJOR,
	ENTRY_MINOR,
	ENTRY_XATTRS,
	ENTRY_DEFAULT,
	/* of operations alone */
	ENTRY_OP,
	ENTRY_FROM,
	ENTRY_TO,
	ENTRY_RECURSIVE,
	ENTRY_REPLACE,
	ENTRY_FIELDS
};

#define ENTRY_LINK	0	/* entry.type of a hard-link entry */

/* struct entry_attrs - what a line may leave to the defaults */
struct entry_attrs {
	u64 mode;
	u64 dirmode;
	u64 uid;
	u64 gid;
	s64 mtime;
};

/**
 * struct json_line - what a line needs
 * @text: memory of its strings, @size bytes, kept for the next line
 * @to: where the next one goes
 */
struct json_line {
	char *text;
	size_t size;
	char *to;
};

/**
 * struct entry - a line
 * @path: in the image, from "/" on, without a slash at its end but for the root's; of an operation
 *	as it is given
 * @op, @from, @to, @recursive, @replace: of an operation
 * @given: bits of enum entry_field
 * @type: S_IFREG, ..., or ENTRY_LINK
 * @attrs: those of the line, or the defaults
 * @defaults: of the lines before, set by whom reads the first line
 * @xattrs: struct xattr_item, each with its whole name; the memory is kept for the next line.  Of
 *	an operation one may have no value
 * @line: has the strings
 * @why: what is wrong with the line
 */
struct entry {
	char *path;
	char *source;
	char *target;
	char *op;
	char *from;
	char *to;
	u32 given;
	u16 type;
	bool recursive;
	bool replace;
	u64 major;
	u64 minor;
	u64 offset;
	u64 size;
	struct entry_attrs attrs;
	struct entry_attrs defaults;
	struct array xattrs;
	struct json_line line;
	char why[512];
};

static inline bool entry_has(const struct entry *e, enum entry_field f)
{
	return e->given & 1U << f;
}

/**
 * entry_parse - parse a line
 * @line: @len bytes and a NUL
 *
 * Return: 1; 0 for a comment, and for defaults, which are taken over; -EINVAL, with a message
 * in @e->why.
 */
int entry_parse(struct entry *e, char *line, size_t len);
/* The same of an operation: which one it is, its @op says. */
int entry_parse_op(struct entry *e, char *line, size_t len);
void entry_free(struct entry *e);

/* json_line.c: a line as an object of Jansson, and its strings as bytes */

/* Read a line of @len bytes.  Return: NULL: @why, @room bytes, says what is wrong. */
json_t *json_line_load(struct json_line *j, const char *line, size_t len, char *why, size_t room);
/* The bytes of a string of the object, valid up to the next line. */
char *json_line_string(struct json_line *j, const char *s);
/* Make pairs of hexadecimal digits bytes, in place.  Return: their number; -1: they are none. */
int json_line_hex(char *text);

#endif /* DSFS_ENTRY_H */
