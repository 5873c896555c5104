// SPDX-License-Identifier: GPL-2.0
/*
 * The fields of every structure, by name: for the list of defects, which names
 * them, and for the mutator, which draws them.
 */
#include "fields.h"

#define F(s, f)		{ #f, offsetof(struct s, f), sizeof(((struct s *)0)->f), 1 }
#define F_BYTES(s, f)	{ #f, offsetof(struct s, f), 1, sizeof(((struct s *)0)->f) }
#define F_END		{ NULL, 0, 0, 0 }

const struct field super_fields[] = {
	F(dsfs_super, magic), F(dsfs_super, checksum), F(dsfs_super, version),
	F(dsfs_super, align_bits), F(dsfs_super, chunk_bits), F(dsfs_super, small_bits),
	F(dsfs_super, object_bits), F(dsfs_super, large_bits), F(dsfs_super, reserved1),
	F(dsfs_super, compat), F(dsfs_super, incompat), F(dsfs_super, generation),
	F(dsfs_super, build_time), F_BYTES(dsfs_super, uuid),
	F_BYTES(dsfs_super, label), F(dsfs_super, image_bytes),
	F(dsfs_super, data_start), F(dsfs_super, data_end),
	F(dsfs_super, meta_start), F(dsfs_super, meta_bytes),
	F(dsfs_super, content_bytes), F(dsfs_super, stored_bytes),
	F(dsfs_super, files), F(dsfs_super, inodes), F(dsfs_super, sums_checksum),
	F_BYTES(dsfs_super, reserved), F_END,
};

const struct field root_fields[] = {
	F(dsfs_root, mode), F(dsfs_root, flags), F(dsfs_root, nlink), F(dsfs_root, owner),
	F(dsfs_root, extra), F(dsfs_root, mtime), F_END,
};

const struct field region_fields[] = {
	F(dsfs_region, start), F(dsfs_region, bytes), F_END,
};

const struct field extra_fields[] = {
	F(dsfs_extra, xattrs), F(dsfs_extra, stored), F(dsfs_extra, first_extent),
	F(dsfs_extra, extents), F(dsfs_extra, reserved), F_END,
};

const struct field dir_fields[] = {
	F(dsfs_dir, self), F(dsfs_dir, parent), F(dsfs_dir, first),
	F(dsfs_dir, count), F(dsfs_dir, names), F(dsfs_dir, name_blocks),
	F(dsfs_dir, buckets), F(dsfs_dir, first_bucket),
	F(dsfs_dir, slot_bits), F(dsfs_dir, block_bits),
	F_BYTES(dsfs_dir, reserved), F_END,
};

const struct field names_fields[] = {
	F(dsfs_names, first), F(dsfs_names, count), F(dsfs_names, end),
	F(dsfs_names, form), F(dsfs_names, prefix), F(dsfs_names, suffix), F(dsfs_names, width),
	F_END,
};

const struct field rows_fields[] = {
	{ "base", offsetof(struct dsfs_rows, base), 8, DSFS_COLUMNS },
	{ "width", offsetof(struct dsfs_rows, width), 1, DSFS_COLUMNS },
	{ "shift", offsetof(struct dsfs_rows, shift), 1, DSFS_COLUMNS },
	{ "unit", offsetof(struct dsfs_rows, shift) + DSFS_COLUMN_MTIME, 1, 1 }, F_END,
};

const struct field bucket_fields[] = {
	{ "entries", 0, 4, DSFS_BUCKET_ENTRIES }, F_END,
};

const struct field extent_fields[] = {
	F(dsfs_extent_record, logical), F(dsfs_extent_record, stored), F_END,
};

const struct field xset_fields[] = {
	F(dsfs_xattr_set, bytes), F(dsfs_xattr_set, count),
	F(dsfs_xattr_set, reserved), F_END,
};

const struct field xattr_fields[] = {
	F(dsfs_xattr, prefix), F(dsfs_xattr, name_len), F(dsfs_xattr, reserved),
	F(dsfs_xattr, value_len), { "byte", sizeof(struct dsfs_xattr), 1, 4096 },
	F_END,
};

const struct field owner_fields[] = {
	F(dsfs_owner, uid), F(dsfs_owner, gid), F_END,
};

const struct field note_fields[] = {
	F(dsfs_note, digest_kind), F(dsfs_note, digest_bytes), F(dsfs_note, codec),
	F(dsfs_note, codec_level), F(dsfs_note, codec_auto), F(dsfs_note, reserved),
	F(dsfs_note, codec_version),
	F(dsfs_note, message_bytes), F_BYTES(dsfs_note, digest),
	F_BYTES(dsfs_note, message),
	{ "byte", 0, 1, DSFS_BLOCK_SIZE }, F_END,
};

const struct field byte_fields[] = { { "byte", 0, 1, 1U << 30 }, F_END };
const struct field le16_fields[] = { { "value", 0, 2, 1 }, F_END };
const struct field le32_fields[] = { { "value", 0, 4, 1 }, F_END };

const char *const region_names[DSFS_REGIONS_USED] = {
	"BLOCKSUMS", "DIRS", "NAMES", "INDEX", "OWNERS", "EXTRAS", "SYMLINKS", "XATTRS", "EXTENTS",
	"CHUNKSUMS", "UNITS", "HISTORY", "NUMBERS", "NOTE",
};

u64 field_get(const u8 *p, unsigned int size)
{
	u64 v = 0;

	while (size--)
		v = v << 8 | p[size];
	return v;
}

void field_put(u8 *p, unsigned int size, u64 v)
{
	for (; size; size--, v >>= 8)
		*p++ = v;
}
