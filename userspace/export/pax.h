/* SPDX-License-Identifier: GPL-2.0 */
/* Members of a tar archive, in the pax format of POSIX. */
#ifndef PAX_H
#define PAX_H

#include "listing.h"

#define PAX_BLOCK	512

/**
 * struct pax_records - extended header records of a member
 * @text: records, @len bytes
 * @failed: memory ran out
 */
struct pax_records {
	char *text;
	size_t len;
	size_t room;
	bool failed;
};

/**
 * struct pax_member - fields of the header of a member
 * @path: with a slash at the end for a directory
 * @link: of a symlink or hard link, else NULL
 * @type: as in the header
 * @size: bytes that follow
 * @mtime: nanoseconds since 1970
 * @sparse: @path and @real_size are in records, and @size is that of map and data
 */
struct pax_member {
	const char *path;
	const char *link;
	char type;
	u32 mode;
	u32 uid;
	u32 gid;
	u32 major;
	u32 minor;
	u64 size;
	u64 real_size;
	s64 mtime;
	bool sparse;
};

/**
 * pax_xattr - add an extended attribute
 *
 * An ACL becomes text, as GNU tar and libarchive have it.
 *
 * Return: 0, or -EUCLEAN for an invalid ACL.
 */
int pax_xattr(struct pax_records *r, const struct node_xattr *x);

/**
 * pax_header - write a header, preceded by its records
 * @r: records that @m needs are added; empty afterwards
 *
 * Return: 0 or -ENOMEM; the caller checks ferror().
 */
int pax_header(FILE *out, struct pax_records *r, const struct pax_member *m);

/** pax_pad - write zeros from @len bytes up to the next block */
void pax_pad(FILE *out, u64 len);

/** pax_end - write the end of an archive */
void pax_end(FILE *out);

void pax_free(struct pax_records *r);

#endif /* PAX_H */
