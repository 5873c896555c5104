// SPDX-License-Identifier: GPL-2.0
/*
 * Where things are in an image: by path, so that a list of defects does not
 * depend on how mkfs.dsfs laid the image out.  Only libdsfs looks; what it
 * finds is taken from the image as it was before any change.
 */
#include <stdlib.h>

#include "corrupt.h"

int region_id(const char *name)
{
	int i;

	for (i = 0; i < DSFS_REGIONS_USED; i++)
		if (!strcmp(name, region_names[i]))
			return i;
	if (!strncmp(name, "REGION", 6) && atoi(name + 6) < DSFS_REGIONS)
		return atoi(name + 6);
	return -1;
}

static int need_region(const char *name)
{
	int id = region_id(name);

	if (id < 0)
		die("no such region: %s", name);
	return id;
}

/* --- libdsfs over the image ------------------------------------------------ */

int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region, u64 off,
		  size_t len, struct dsfs_mref *ref)
{
	const struct dsfs_region_info *r = &src->geo.regions[region];

	if (off >= r->bytes || len > r->bytes - off)
		return -EUCLEAN;
	ref->p = src->good + r->pos + off;
	ref->priv = NULL;
	return 0;
}

void dsfs_meta_release(struct dsfs_mref *ref)
{
	ref->p = NULL;
}

const struct dsfs_geo *dsfs_source_geo(const struct dsfs_source *src)
{
	return &src->geo;
}

/* A name: its directory, its position, and the number that both give. */
struct found {
	struct dsfs_dir_info dir;
	u32 pos;
	u32 ino;
};

static void find_attr(struct dsfs_source *src, u32 ino, struct dsfs_attr *attr)
{
	struct dsfs_err err;

	if (dsfs_inode_get(src, ino, attr, &err))
		die("inode %u: %s", ino, err.what);
}

/* The root is found with an empty @found->dir. */
static void find_path(struct dsfs_source *src, const char *path,
		      struct found *found)
{
	struct dsfs_attr attr;
	struct dsfs_err err;
	size_t len;
	u8 type;

	memset(found, 0, sizeof(*found));
	found->ino = DSFS_ROOT_INO;
	for (path += strspn(path, "/"); *path; path += len + strspn(path + len, "/")) {
		len = strcspn(path, "/");
		find_attr(src, found->ino, &attr);
		if (!S_ISDIR(attr.mode) ||
		    dsfs_dir_get(src, &attr, &found->dir, &err) ||
		    dsfs_dir_lookup(src, &found->dir, path, len, &found->pos,
				    &type, &err))
			die("%s: not in the image", path);
		found->ino = found->dir.first + found->pos;
	}
}

/* What a path leads to: a file, and the record of a directory */
struct file {
	struct found at;
	struct dsfs_attr attr;
	struct dsfs_extra_info extra;
	struct dsfs_dir_info dir;
};

static void find_file(struct dsfs_source *src, const char *path, struct file *f)
{
	struct dsfs_err err;

	memset(f, 0, sizeof(*f));
	find_path(src, path, &f->at);
	find_attr(src, f->at.ino, &f->attr);
	if (dsfs_attr_is_hardlink(&f->attr))
		return;
	if (dsfs_extra_get(src, &f->attr, &f->extra, &err))
		die("%s: %s", path, err.what);
	if (S_ISDIR(f->attr.mode) && dsfs_dir_get(src, &f->attr, &f->dir, &err))
		die("%s: no directory", path);
}

/* --- kinds of places ------------------------------------------------------- */

struct place in_region(struct dsfs_source *src, enum dsfs_region_id id, u64 off, u64 bytes,
		       const struct field *fields)
{
	const struct dsfs_region_info *r = &src->geo.regions[id];

	if (off > r->bytes || bytes > r->bytes - off)
		die("%s: nothing at %llu", region_names[id],
		    (unsigned long long)off);
	return (struct place){ r->pos + off, bytes, fields };
}

/* The @i-th record of a region */
static struct place record(struct dsfs_source *src, enum dsfs_region_id id, u64 i, u64 bytes,
			   const struct field *fields)
{
	return in_region(src, id, i * bytes, bytes, fields);
}

u32 find_ino(struct dsfs_source *src, const char *path)
{
	struct found f;

	find_path(src, path, &f);
	return f.ino;
}

/* The second argument as a number */
static u64 number(char **arg)
{
	return strtoull(arg[1], NULL, 0);
}

static struct place place_inode(struct dsfs_source *src, const struct file *f, char **arg)
{
	return place_row(src, f->at.ino);
}

static struct place place_owner(struct dsfs_source *src, const struct file *f, char **arg)
{
	return record(src, DSFS_REGION_OWNERS, f->attr.owner, 8, le32_fields);
}

static struct place place_extra(struct dsfs_source *src, const struct file *f, char **arg)
{
	if (!f->attr.extra)
		die("%s: no extra record", arg[0]);
	return record(src, DSFS_REGION_EXTRAS, f->attr.extra - 1, sizeof(struct dsfs_extra),
		      extra_fields);
}

static struct place place_dir(struct dsfs_source *src, const struct file *f, char **arg)
{
	return record(src, DSFS_REGION_DIRS, f->attr.start, sizeof(struct dsfs_dir), dir_fields);
}

static struct place place_number(struct dsfs_source *src, const struct file *f, char **arg)
{
	return record(src, DSFS_REGION_NUMBERS, strtoull(arg[0], NULL, 0), 4, le32_fields);
}

static struct place place_extent(struct dsfs_source *src, const struct file *f, char **arg)
{
	return record(src, DSFS_REGION_EXTENTS, f->extra.first_extent + number(arg),
		      sizeof(struct dsfs_extent_record), extent_fields);
}

static struct place place_unit(struct dsfs_source *src, const struct file *f, char **arg)
{
	return record(src, DSFS_REGION_UNITS, f->attr.units + number(arg), 4, le32_fields);
}

static struct place place_names(struct dsfs_source *src, const struct file *f, char **arg)
{
	return in_region(src, DSFS_REGION_NAMES, dsfs_names_pos(&f->dir, number(arg)),
			 sizeof(struct dsfs_names), names_fields);
}

/* What is behind the header of a name block: slots or symbols, prefix, suffix, middles */
static struct place place_parts(struct dsfs_source *src, const struct file *f, char **arg)
{
	const u64 off = dsfs_names_pos(&f->dir, number(arg));
	const struct dsfs_names *raw = (const void *)(src->good + off +
						      src->geo.regions[DSFS_REGION_NAMES].pos);

	return in_region(src, DSFS_REGION_NAMES, off + sizeof(*raw),
			 le16_to_cpu(raw->end) - sizeof(*raw), byte_fields);
}

/* The name block that holds a name, its offset in NAMES, and the slot. */
static const struct dsfs_names *find_slot(struct dsfs_source *src,
					  const struct found *f, u64 *off,
					  u32 *block, u32 *slot)
{
	const u64 base = src->geo.regions[DSFS_REGION_NAMES].pos;
	const struct dsfs_names *raw;
	u32 first;

	for (*block = 0; *block < f->dir.name_blocks; ++*block) {
		*off = dsfs_names_pos(&f->dir, *block);
		raw = (const void *)(src->good + base + *off);
		first = le32_to_cpu(raw->first);
		if (f->pos < first + le16_to_cpu(raw->count)) {
			*slot = f->pos - first;
			return raw;
		}
	}
	die("name %u is in no block", f->pos);
}

static struct place place_slot(struct dsfs_source *src, const struct file *f, char **arg)
{
	u32 block, slot;
	u64 off;

	if (find_slot(src, &f->at, &off, &block, &slot)->form)
		die("%s: its name block has no slots", arg[0]);
	return in_region(src, DSFS_REGION_NAMES, off + sizeof(struct dsfs_names) + 2 * slot, 2,
			 le16_fields);
}

static struct place place_name(struct dsfs_source *src, const struct file *f, char **arg)
{
	struct dsfs_names_info names;
	struct dsfs_middle middle;
	struct dsfs_err err;
	const struct dsfs_names *raw;
	u32 block, slot;
	u64 off;

	raw = find_slot(src, &f->at, &off, &block, &slot);
	if (dsfs_names_decode(raw, dsfs_names_avail(&src->geo, off), &f->at.dir, &names,
			      &err))
		die("%s: its name block is not good", arg[0]);
	dsfs_names_middle(&names, slot, &middle);
	return in_region(src, DSFS_REGION_NAMES, off + middle.at, middle.end - middle.at,
			 byte_fields);
}

/* The index entry of a name. */
static struct place place_entry(struct dsfs_source *src, const struct file *f, char **arg)
{
	const char *name = strrchr(arg[0], '/') + 1;
	const u64 base = src->geo.regions[DSFS_REGION_INDEX].pos;
	const struct dsfs_dir_info *dir = &f->at.dir;
	const struct dsfs_bucket *bucket;
	u32 block, slot, want, i, at;
	u64 off, hash;
	int choice;

	find_slot(src, &f->at, &off, &block, &slot);
	hash = dsfs_name_hash(name, strlen(name));
	want = dsfs_index_entry(hash, block, slot, dir->slot_bits, dir->block_bits);
	for (choice = 0; dir->buckets && choice < 2; choice++) {
		at = dsfs_index_bucket(hash, dir->buckets, choice);
		off = (dir->first_bucket + at) * sizeof(*bucket);
		bucket = (const void *)(src->good + base + off);
		for (i = 0; i < DSFS_BUCKET_ENTRIES; i++)
			if (le32_to_cpu(bucket->entries[i]) == want)
				return in_region(src, DSFS_REGION_INDEX, off + 4 * i, 4,
						 le32_fields);
	}
	die("%s: not in an index", arg[0]);
}

static struct place place_xset(struct dsfs_source *src, const struct file *f, char **arg)
{
	if (!(f->attr.flags & DSFS_INODE_XATTRS))
		die("%s: no xattrs", arg[0]);
	return in_region(src, DSFS_REGION_XATTRS, f->extra.xattrs, sizeof(struct dsfs_xattr_set),
			 xset_fields);
}

static struct place place_xattr(struct dsfs_source *src, const struct file *f, char **arg)
{
	struct place set = place_xset(src, f, arg);
	const struct dsfs_xattr_set *raw = (const void *)(src->good + set.pos);
	const u64 base = src->geo.regions[DSFS_REGION_XATTRS].pos;
	const u32 bytes = le32_to_cpu(raw->bytes);
	struct dsfs_xattr_info info;
	u32 count, cursor, at, i;
	struct dsfs_err err;

	if (dsfs_xattr_first(raw, bytes, &count, &cursor, &err))
		die("%s: %s", arg[0], err.what);
	for (i = 0; ; i++) {
		at = cursor;
		if (dsfs_xattr_next(raw, bytes, &cursor, &info, &err) != 1)
			die("%s: no xattr %s", arg[0], arg[1]);
		if (i == number(arg))
			return in_region(src, DSFS_REGION_XATTRS, set.pos - base + at, cursor - at,
					 xattr_fields);
	}
}

static struct place place_target(struct dsfs_source *src, const struct file *f, char **arg)
{
	if (!S_ISLNK(f->attr.mode))
		die("%s: no symlink", arg[0]);
	return in_region(src, DSFS_REGION_SYMLINKS, f->attr.start, f->attr.size, byte_fields);
}

static struct place place_chunksum(struct dsfs_source *src, const struct file *f, char **arg)
{
	return record(src, DSFS_REGION_CHUNKSUMS, f->attr.sum + number(arg), 4, le32_fields);
}

static struct place place_of_rows(struct dsfs_source *src, const struct file *f, char **arg)
{
	return place_rows(src, f->at.ino);
}

/* Up to the end of the file's last block, the bytes behind it included. */
static struct place place_data(struct dsfs_source *src, const struct file *f, char **arg)
{
	const struct dsfs_attr *a = &f->attr;
	u64 stored = a->flags & DSFS_INODE_HOLES ? f->extra.stored : a->size, end;

	if (a->flags & DSFS_INODE_COMPRESSED)
		stored = a->stored;
	if (!S_ISREG(a->mode) || !stored)
		die("%s: stores no data", arg[0]);
	end = (a->start + stored + DSFS_BLOCK_SIZE - 1) & ~(DSFS_BLOCK_SIZE - 1ULL);
	return (struct place){ a->start, end - a->start, byte_fields };
}

static struct place place_blocksum(struct dsfs_source *src, const struct file *f, char **arg)
{
	const struct dsfs_region_info *r = &src->geo.regions[need_region(arg[0])];
	const u64 block = (r->pos - src->geo.meta_start) >> DSFS_BLOCK_BITS;

	return record(src, DSFS_REGION_BLOCKSUMS, block + number(arg), 4, le32_fields);
}

/* Behind a region's end, up to the end of its last block. */
static struct place place_pad(struct dsfs_source *src, const struct file *f, char **arg)
{
	const struct dsfs_region_info *r = &src->geo.regions[need_region(arg[0])];
	u64 end = r->pos + r->bytes, more = -end & (DSFS_BLOCK_SIZE - 1);

	if (!r->bytes || !more)
		die("%s: no byte behind it", arg[0]);
	return (struct place){ end, more, byte_fields };
}

static struct place place_note(struct dsfs_source *src, const struct file *f, char **arg)
{
	return record(src, DSFS_REGION_NOTE, 0, sizeof(struct dsfs_note), note_fields);
}

static struct place place_at(struct dsfs_source *src, const struct file *f, char **arg)
{
	u64 pos = strtoull(arg[0], NULL, 0);

	return (struct place){ pos, pos < src->len ? src->len - pos : 0,
			       byte_fields };
}

static struct place place_super(struct dsfs_source *src, const struct file *f, char **arg)
{
	return (struct place){ DSFS_SB_POS(*arg[0] == '1'), DSFS_SB_SIZE,
			       super_fields };
}

static struct place place_root(struct dsfs_source *src, const struct file *f, char **arg)
{
	return (struct place){ DSFS_SB_POS(*arg[0] == '1') + offsetof(struct dsfs_super, root),
			       sizeof(struct dsfs_root), root_fields };
}

static struct place place_region(struct dsfs_source *src, const struct file *f, char **arg)
{
	struct place p = place_super(src, f, arg);

	p.pos += offsetof(struct dsfs_super, regions) +
		 need_region(arg[1]) * sizeof(struct dsfs_region);
	p.bytes = sizeof(struct dsfs_region);
	p.fields = region_fields;
	return p;
}

/* Most places are of a file, whose path is the first argument. */
static const struct {
	const char *name;
	int args;
	bool path;
	struct place (*find)(struct dsfs_source *src, const struct file *f, char **arg);
	enum phase phase;
} kinds[] = {
	{ "inode", 1, true, place_inode },
	{ "owner", 1, true, place_owner },
	{ "extra", 1, true, place_extra },
	{ "dir", 1, true, place_dir },
	{ "number", 1, false, place_number },
	{ "extent", 2, true, place_extent },
	{ "unit", 2, true, place_unit },
	{ "names", 2, true, place_names },
	{ "parts", 2, true, place_parts },
	{ "rows", 1, true, place_of_rows },
	{ "slot", 1, true, place_slot },
	{ "name", 1, true, place_name },
	{ "entry", 1, true, place_entry },
	{ "xset", 1, true, place_xset },
	{ "xattr", 2, true, place_xattr },
	{ "target", 1, true, place_target },
	{ "chunksum", 2, true, place_chunksum },
	{ "data", 1, true, place_data },
	{ "pad", 1, false, place_pad },
	{ "note", 0, false, place_note },
	{ "at", 1, false, place_at },
	{ "blocksum", 2, false, place_blocksum, PHASE_BLOCKSUMS },
	{ "super", 1, false, place_super, PHASE_SUPER },
	{ "root", 1, false, place_root, PHASE_SUPER },
	{ "region", 2, false, place_region, PHASE_SUPER },
};

int place_find(struct dsfs_source *src, char **words, int n,
	       struct place *place, enum phase *phase)
{
	struct file file;
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(words[0], kinds[i].name))
			continue;
		if (n <= kinds[i].args)
			die("%s: needs %d arguments", words[0], kinds[i].args);
		if (kinds[i].path)
			find_file(src, words[1], &file);
		*place = kinds[i].find(src, kinds[i].path ? &file : NULL, words + 1);
		*phase = kinds[i].phase;
		return 1 + kinds[i].args;
	}
	die("%s: no such kind of place", words[0]);
}
