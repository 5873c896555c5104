/* SPDX-License-Identifier: GPL-2.0 */
/* A line of a manifest, as values. */
#ifndef MKFS_ENTRY_H
#define MKFS_ENTRY_H

#include "array.h"
#include "dsfs_fs.h"
#include "json_line.h"

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
 * struct entry - a line
 * @path: in the image, from "/" on, without a slash at its end but for the root's
 * @given: bits of enum entry_field
 * @type: S_IFREG, ..., or ENTRY_LINK
 * @attrs: those of the line, or the defaults
 * @defaults: of the lines before, set by whom reads the first line
 * @xattrs: struct xattr_item; the memory is kept for the next line
 * @line: has the strings
 * @why: what is wrong with the line
 */
struct entry {
	char *path;
	char *source;
	char *target;
	u32 given;
	u16 type;
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
void entry_free(struct entry *e);

#endif /* MKFS_ENTRY_H */
