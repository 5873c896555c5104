// SPDX-License-Identifier: GPL-2.0
/* Inodes, rows, extents, frames, xattrs, the note: what lies behind a name */
#include "proof.c"

static void attr_placed(const struct dsfs_attr *attr)
{
	assert(attr->size < DSFS_MAX_OFFSET && attr->start < DSFS_MAX_OFFSET);
}

/* Eight bytes of rows: any at each read, as values of columns are not what a place depends on. */
u64 stub_word(const u8 *p)
{
	assert(__CPROVER_r_ok(p, sizeof(u64)));
	return any(u64);
}

static u32 rows;

/*
 * A row below the count of them.  That a product is not less than that of a lower number is known
 * to all but solvers, which take hours.
 */
const u8 *stub_row_at(const struct dsfs_header *h, u32 slot)
{
	const u32 off = any(u32), bytes = h->ends >> 56;

	assert(slot < rows);
	assume(off <= rows * bytes && bytes <= rows * bytes - off);
	return h->raw + sizeof(struct dsfs_rows) + off;
}

/* Any row: what is accepted fits the fields of an inode. */
void proof_rows_decode(void)
{
	const size_t avail = any(size_t);
	const struct dsfs_names *names;
	struct dsfs_attr attr;
	struct dsfs_err err = {};
	const u32 slot = any(u32);
	int ret;

	assume(avail >= sizeof(*names) && avail <= PROOF_SIZE);
	names = bytes_any(avail);
	rows = le16_to_cpu(names->count);
	assume(slot < rows);
	ret = dsfs_rows_decode(names, avail, slot, &attr, &err);
	assert(ret <= 0);
	said(ret, &err);
	if (!ret)
		attr_placed(&attr);
}

int stub_rows_decode(const struct dsfs_names *names, size_t avail, u32 slot,
		     struct dsfs_attr *attr, struct dsfs_err *err)
{
	const int ret = any(int);
	const u32 ino = attr->ino;

	assert(avail >= sizeof(*names) && __CPROVER_r_ok(names, avail));
	assert(slot < le16_to_cpu(names->count));
	*attr = any(struct dsfs_attr);
	attr->ino = ino;
	err->what = any(const char *);
	assume(ret <= 0 && (!ret || err->what));
	assume(ret || (attr->size < DSFS_MAX_OFFSET && attr->start < DSFS_MAX_OFFSET));
	return ret;
}

/* The rows of a name block end in it. */
void proof_rows_bytes(void)
{
	const size_t avail = any(size_t);
	const struct dsfs_names *names;

	assume(avail >= sizeof(*names) && avail <= PROOF_SIZE);
	names = bytes_any(avail);
	assert(dsfs_rows_bytes(names, avail) <= avail);
}

/* The inode of any place */
void proof_row_get(void)
{
	struct dsfs_source src = source_any();
	struct dsfs_attr attr;
	struct dsfs_err err = {};
	int ret;

	ret = dsfs_row_get(&src, any(u32), any(u64), &attr, &err);
	assert(ret <= 0);
	said(ret, &err);
	refs_none();
}

/* Data of a regular file that is accepted lies in the data area, all of it. */
void proof_inode_check(void)
{
	struct dsfs_geo geo = geo_any();
	struct dsfs_attr attr;
	struct dsfs_err err = {};
	u64 stored;
	int ret;

	assume(attr.size < DSFS_MAX_OFFSET && attr.start < DSFS_MAX_OFFSET);
	ret = dsfs_inode_check(&geo, &attr, &err);
	assert(ret <= 0);
	said(ret, &err);
	if (ret || dsfs_attr_is_hardlink(&attr))
		return;
	assert(attr.nlink && attr.owner < geo.owners && attr.extra <= geo.extras);
	if (S_ISDIR(attr.mode))
		assert(!attr.size && attr.start < geo.dirs);
	if (S_ISLNK(attr.mode))
		assert(attr.size && attr.size <= DSFS_SYMLINK_MAX &&
		       attr.start + attr.size <= geo.regions[DSFS_REGION_SYMLINKS].bytes);
	if (!S_ISREG(attr.mode) || attr.flags & DSFS_INODE_HOLES || !attr.size)
		return;
	stored = dsfs_attr_codec(&attr) ? attr.stored : attr.size;
	assert(attr.start >= geo.data_start && attr.start + stored <= geo.data_end);
}

/* A hard link leads to an inode of the image, and not to itself. */
void proof_hardlink(void)
{
	struct dsfs_geo geo = geo_any();
	struct dsfs_attr attr;
	struct dsfs_err err = {};

	assume(attr.flags & DSFS_INODE_HARDLINK);
	if (dsfs_inode_check(&geo, &attr, &err))
		return;
	assert(attr.start > DSFS_ROOT_INO && attr.start < geo.inodes && attr.start != attr.ino);
	assert(!S_ISDIR(attr.mode));
}

/* An extra record of any bytes: records and data that it names are in the image. */
void proof_extra_decode(void)
{
	struct dsfs_extra raw;
	struct dsfs_geo geo = geo_any();
	struct dsfs_attr attr = reg_any(&geo);
	struct dsfs_extra_info extra;
	struct dsfs_err err = {};
	int ret;

	ret = dsfs_extra_decode(&geo, &attr, &raw, &extra, &err);
	assert(ret <= 0);
	said(ret, &err);
	if (ret)
		return;
	if (attr.flags & DSFS_INODE_XATTRS)
		assert(extra.xattrs < geo.regions[DSFS_REGION_XATTRS].bytes);
	assert(!extra.stored == !extra.extents && (!extra.stored || extra.stored < attr.size));
	if (!(attr.flags & DSFS_INODE_HOLES) || !extra.extents)
		return;
	assert((u64)extra.first_extent + extra.extents <= geo.extents);
	assert(attr.start >= geo.data_start && attr.start + extra.stored <= geo.data_end);
}

static void map_good(const struct dsfs_attr *attr, u64 stored, u64 pos,
		     const struct dsfs_mapping *map)
{
	assert(map->logical == pos && map->len && map->len <= attr->size - pos);
	assert(map->hole || (map->stored < stored && map->len <= stored - map->stored));
}

/* Any file, and its extra record, with what proof_extra_decode() shows of both */
static struct dsfs_attr file_any(struct dsfs_extra_info *extra)
{
	struct dsfs_attr attr;

	*extra = any(struct dsfs_extra_info);
	assume(attr.size < DSFS_MAX_OFFSET && extra->stored < attr.size);
	assume(!extra->stored == !extra->extents);
	return attr;
}

static bool extent_good(const struct dsfs_attr *attr, const struct dsfs_extra_info *extra,
			const struct dsfs_mapping *map)
{
	return !map->hole && map->len && map->logical < attr->size &&
	       map->len <= attr->size - map->logical && map->stored < extra->stored &&
	       map->len <= extra->stored - map->stored;
}

/* Any extent of a file with holes lies in it, and in its data. */
void proof_extent_get(void)
{
	struct dsfs_source src = source_any();
	struct dsfs_extra_info extra;
	struct dsfs_attr attr = file_any(&extra);
	struct dsfs_mapping map;
	struct dsfs_err err = {};
	const u32 i = any(u32);
	int ret;

	assume(i < extra.extents);
	ret = dsfs_extent_get(&src, &attr, &extra, i, &map, &err);
	assert(ret <= 0);
	said(ret, &err);
	refs_none();
	if (!ret)
		assert(extent_good(&attr, &extra, &map));
}

int stub_extent_get(struct dsfs_source *src, const struct dsfs_attr *attr,
		    const struct dsfs_extra_info *extra, u32 i, struct dsfs_mapping *map,
		    struct dsfs_err *err)
{
	const int ret = any(int);

	assert(i < extra->extents);
	*map = any(struct dsfs_mapping);
	err->what = any(const char *);
	assume(ret <= 0 && (!ret || err->what));
	assume(ret || extent_good(attr, extra, map));
	return ret;
}

/* A mapping begins where it was asked for, is not empty, and its data is the file's. */
void proof_map_between(void)
{
	struct dsfs_source src = source_any();
	struct dsfs_extra_info extra;
	struct dsfs_attr attr = file_any(&extra);
	const u64 pos = any(u64);
	struct dsfs_mapping map = { .logical = pos };
	struct dsfs_err err = {};
	const u32 lo = any(u32);
	int ret;

	assume(pos < attr.size && lo <= extra.extents);
	ret = dsfs_map_between(&src, &attr, &extra, lo, pos, &map, &err);
	assert(ret <= 0);
	said(ret, &err);
	if (!ret)
		map_good(&attr, extra.stored, pos, &map);
}

int stub_map_between(struct dsfs_source *src, const struct dsfs_attr *attr,
		     const struct dsfs_extra_info *extra, u32 lo, u64 pos,
		     struct dsfs_mapping *map, struct dsfs_err *err)
{
	const int ret = any(int);

	assert(lo <= extra->extents && pos < attr->size && map->logical == pos && !map->hole);
	*map = any(struct dsfs_mapping);
	err->what = any(const char *);
	assume(ret <= 0 && (!ret || err->what));
	assume(ret || (map->logical == pos && map->len && map->len <= attr->size - pos &&
		       (map->hole || (map->stored < extra->stored &&
				      map->len <= extra->stored - map->stored))));
	return ret;
}

/* The mapping at any place, and the one behind any other */
void proof_map(void)
{
	struct dsfs_source src = source_any();
	struct dsfs_extra_info extra;
	struct dsfs_attr attr = file_any(&extra);
	const u64 stored = attr.flags & DSFS_INODE_HOLES ? extra.stored : attr.size;
	const bool next = any(bool);
	struct dsfs_mapping map;
	struct dsfs_err err = {};
	u64 pos = any(u64);
	int ret;

	assume(!next || (map.logical < attr.size && map.len < attr.size - map.logical &&
			 map.extent <= extra.extents && attr.flags & DSFS_INODE_HOLES));
	pos = next ? map.logical + map.len : pos;
	assume(pos < attr.size);
	ret = next ? dsfs_map_next(&src, &attr, &extra, &map, &err) :
		     dsfs_map(&src, &attr, &extra, pos, &map, &err);
	assert(ret <= 0);
	said(ret, &err);
	if (!ret)
		map_good(&attr, stored, pos, &map);
}

/* A checksum of a chunk is one of CHUNKSUMS. */
void proof_chunk_sum(void)
{
	struct dsfs_source src = { .geo = geo_any() };
	struct dsfs_attr attr = reg_any(&src.geo);
	struct dsfs_err err = {};
	const u64 stored = any(u64), chunk = any(u64);
	u32 sum;
	int ret;

	assume(src.geo.chunk_bits && stored && stored <= attr.size);
	assume(chunk <= (stored - 1) >> dsfs_chunk_bits(&src.geo, stored));
	ret = dsfs_chunk_sum(&src, &attr, stored, chunk, &sum, &err);
	assert(ret <= 0);
	said(ret, &err);
	refs_none();
}

/* A frame lies in the stored data, and unpacks to no more than DSFS_RATIO_MAX times as much. */
void proof_units_get(void)
{
	struct dsfs_source src = { .geo = geo_any() };
	struct dsfs_attr attr = reg_any(&src.geo);
	struct dsfs_err err = {};
	const u64 unit = any(u64);
	u32 from, to;
	int ret;

	assume(dsfs_attr_codec(&attr) && unit < dsfs_units(&attr));
	ret = dsfs_units_get(&src, &attr, unit, &from, &to, &err);
	assert(ret <= 0);
	said(ret, &err);
	refs_none();
	if (ret)
		return;
	assert(from < to && to <= attr.stored && to - from <= dsfs_unit_bytes(&attr, unit));
	assert(dsfs_unit_bytes(&attr, unit) <= DSFS_UNIT_SIZE);
	assert(dsfs_unit_bytes(&attr, unit) <= (u64)(to - from) * DSFS_RATIO_MAX);
}

/* One attribute at any place of a set: the next one begins behind it, in the set. */
void proof_xattr_next(void)
{
	const size_t bytes = any(size_t);
	struct dsfs_xattr_info info;
	struct dsfs_err err = {};
	u32 cursor = any(u32), from = cursor;
	const u8 *set;
	int ret;

	assume(bytes <= DSFS_XATTR_SET_MAX && !(bytes & 3));
	assume(cursor >= sizeof(struct dsfs_xattr_set) && cursor <= bytes && !(cursor & 3));
	set = bytes_any(bytes);
	witness = any(size_t);
	ret = dsfs_xattr_next(set, bytes, &cursor, &info, &err);
	assert(ret <= 1);
	said(ret, &err);
	if (ret != 1)
		return;
	assert(cursor > from && cursor <= bytes && !(cursor & 3));
	assert(__CPROVER_r_ok(info.name, info.name_len));
	assert(witness >= info.name_len || info.name[witness]);
	assert(__CPROVER_r_ok(info.value, info.value_len));
	assert(dsfs_xattr_prefix(info.prefix));
}

/* A set is in XATTRS, and in one block if it fits one. */
void proof_xattr_bytes(void)
{
	struct dsfs_source src = { .geo = geo_any() };
	struct dsfs_extra_info extra;
	struct dsfs_err err = {};
	const u64 room = src.geo.regions[DSFS_REGION_XATTRS].bytes;
	u32 bytes;
	int ret;

	assume(extra.xattrs < room && !(extra.xattrs & 3));
	ret = dsfs_xattr_bytes(&src, &extra, &bytes, &err);
	assert(ret <= 0);
	said(ret, &err);
	refs_none();
	if (ret)
		return;
	assert(bytes > sizeof(struct dsfs_xattr_set) && bytes <= DSFS_XATTR_SET_MAX);
	assert(!(bytes & 3));
	assert(extra.xattrs + bytes <= room);
	if (bytes <= DSFS_BLOCK_SIZE)
		assert(extra.xattrs % DSFS_BLOCK_SIZE + bytes <= DSFS_BLOCK_SIZE);
}

/* Bytes that may be zero. One more is one more turn of a loop that keeps nothing. */
void proof_all_zero(void)
{
	const size_t len = any(size_t), at = any(size_t);
	const u8 *p;

	assume(len <= PROOF_SIZE);
	p = bytes_any(len);
	if (dsfs_all_zero(p, len) && at < len)
		assert(!p[at]);
}

/* A note of any bytes: a message without NUL, a digest of a kind that has a name */
void proof_note(void)
{
	struct dsfs_note raw;
	struct dsfs_err err = {};
	int ret;

	witness = any(size_t);
	ret = dsfs_note_check(&raw, &err);
	assert(ret <= 0);
	said(ret, &err);
	if (ret)
		return;
	assert(le16_to_cpu(raw.message_bytes) <= DSFS_MESSAGE_MAX);
	assert(!raw.digest_kind || dsfs_digest_name(raw.digest_kind));
	assume(witness < le16_to_cpu(raw.message_bytes));
	assert(raw.message[witness]);
}

/* Metadata of any length at any place, to where there is room for it and no more */
void proof_meta_copy(void)
{
	struct dsfs_source src = source_any();
	const enum dsfs_region_id region = any(unsigned int);
	const size_t len = any(size_t);
	int ret;

	assume(region < DSFS_REGIONS_USED && len <= PROOF_SIZE);
	ret = dsfs_meta_copy(&src, region, any(u64), len, bytes_any(len));
	assert(ret <= 0);
	refs_none();
}
