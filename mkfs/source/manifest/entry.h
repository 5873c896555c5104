/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parser of manifest lines.
 */
#ifndef MKFS_ENTRY_H
#define MKFS_ENTRY_H

#include "dsfs_platform.h"
#include "array.h"
#include "dsfs_fs.h"

/* Fields of a line; entry.given has a bit for each field that is present. */
enum entry_field {
	ENTRY_TYPE,
	ENTRY_MODE,
	ENTRY_DIRMODE,
	ENTRY_UID,
	ENTRY_GID,
	ENTRY_MTIME,
	ENTRY_SOURCE,
	ENTRY_OFFSET,
	ENTRY_SIZE,
	ENTRY_FILL,
	ENTRY_TARGET,
	ENTRY_MAJOR,
	ENTRY_MINOR,
	ENTRY_FIELDS
};

#define ENTRY_LINK	0	/* entry.type of a hard-link entry */

/**
 * struct entry - a parsed line
 * @path: in the image, from "/" on, without a slash at its end but for the
 *	root's; NULL: a line of defaults
 * @given: bits of enum entry_field
 * @type: S_IFREG, ..., or ENTRY_LINK
 * @zero: fill=zero; else fill's number is @seed
 * @raw: strings have no escapes of their own any more
 * @xattrs: struct xattr_item
 * @text: strings of a line that is JSON
 * @why: what is wrong with the line
 *
 * Strings point into the line or into @text.  The memory of @xattrs and @text is kept from line
 * to line; both are zeros before the first one, and entry_free() frees it.
 */
struct entry {
	char *path;
	char *source;
	char *target;
	u32 given;
	u32 uid;
	u32 gid;
	u32 major;
	u32 minor;
	u16 type;
	u16 mode;
	u16 dirmode;
	bool zero;
	bool raw;
	u64 offset;
	u64 size;
	u64 seed;
	s64 mtime;
	struct array xattrs;
	char *text;
	size_t text_size;
	char why[512];
};

static inline bool entry_has(const struct entry *e, enum entry_field f)
{
	return e->given & 1U << f;
}

/**
 * entry_parse - parse a line, in place
 *
 * Return: 1; 0 for a comment; -EINVAL, with a message in @e->why.
 */
int entry_parse(struct entry *e, char *line, size_t len);
void entry_free(struct entry *e);

/* entry_json.c: the same of a line that is a JSON object, before the fields are checked */
int entry_parse_json(struct entry *e, const char *line, size_t len);
/* A field of text; its value is kept. */
int entry_field(struct entry *e, const char *name, char *value);
__printf(2, 3)
int entry_bad(struct entry *e, const char *fmt, ...);

/**
 * fill_pattern - make the bytes of fill=NUMBER
 * @pos: offset in the file, a multiple of 8
 */
void fill_pattern(char *p, size_t bytes, u64 seed, u64 pos);

#endif /* MKFS_ENTRY_H */
