/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of every structure of the format, by name.
 */
#ifndef CORRUPT_FIELDS_H
#define CORRUPT_FIELDS_H

#include "format.h"

/* A field of a structure; @count of them in a row. */
struct field {
	const char *name;
	u16 off;
	u16 size;
	u32 count;
};

/**
 * struct place - something in the image
 * @pos: byte offset
 * @bytes: length
 * @fields: what can be changed in it; ends with a field without name
 */
struct place {
	u64 pos;
	u64 bytes;
	const struct field *fields;
};

extern const struct field super_fields[], root_fields[], region_fields[],
	extra_fields[], dir_fields[], names_fields[], rows_fields[], bucket_fields[],
	extent_fields[], xset_fields[], xattr_fields[], owner_fields[],
	note_fields[],
	byte_fields[], le16_fields[], le32_fields[];

extern const char *const region_names[DSFS_REGIONS_USED];

/* A little-endian number of 1 to 8 bytes, however it is aligned. */
u64 field_get(const u8 *p, unsigned int size);
void field_put(u8 *p, unsigned int size, u64 v);

#endif /* CORRUPT_FIELDS_H */
