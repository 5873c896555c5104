/* SPDX-License-Identifier: GPL-2.0 */
/* Directories, name blocks and name indexes: dir.c */
#ifndef DSFS_FORMAT_DIR_H
#define DSFS_FORMAT_DIR_H

#include "inode.h"

/* Decoded directory record; @buckets: buckets of its name index */
struct dsfs_dir_info {
	u64 names;
	u64 first_bucket;
	u32 self;
	u32 parent;
	u32 first;
	u32 count;
	u32 name_blocks;
	u32 buckets;
	u8 slot_bits;
	u8 block_bits;
};

/*
 * dsfs_names_pos - byte offset of a name block in NAMES
 *
 * The first one begins anywhere in a block of the region and stays in it. All others begin with a
 * block.
 */
static inline u64 dsfs_names_pos(const struct dsfs_dir_info *dir, u32 block)
{
	const u64 first = dir->names & ~(u64)(DSFS_BLOCK_SIZE - 1);

	return block ? first + ((u64)block << DSFS_BLOCK_BITS) : dir->names;
}

/* Bytes at @off in NAMES up to the end of the block, or of the region, which @off is below */
static inline u64 dsfs_names_avail(const struct dsfs_geo *geo, u64 off)
{
	const u64 room = geo->regions[DSFS_REGION_NAMES].bytes - off;
	const u64 avail = DSFS_BLOCK_SIZE - (off & (DSFS_BLOCK_SIZE - 1));

	return avail < room ? avail : room;
}

/*
 * What a lookup finds. It has no bytes of a name: kernels clear what is on their stack, and each
 * lookup would pay for them.
 */
struct dsfs_found {
	u64 place;		/* dsfs_row_place() */
	u32 pos;		/* as of struct dsfs_name */
	u8 type;
};

/* A name in a directory */
struct dsfs_name {
	u32 pos;		/* in the directory; inode number = first + pos */
	u8 len;
	u8 type;		/* DT_* or DSFS_DT_HARDLINK */
	char name[DSFS_NAME_MAX];
};

/* A name block with a checked header; @from: offset of the prefix; @middles: of the first middle */
struct dsfs_names_info {
	const struct dsfs_names *raw;
	u32 first;
	u32 count;
	u32 end;
	u32 from;
	u32 middles;
	u8 form;
	u8 prefix;
	u8 suffix;
	u8 width;
};

/**
 * struct dsfs_dir_iter - iterator over the names of a directory, in sorted
 * order
 * @src: metadata source
 * @dir: the directory
 * @names: name block of the last name; @names.raw is NULL before the first one
 * @ref: reference to that name block
 * @block: its index in the directory
 * @pos: position of the next name
 */
struct dsfs_dir_iter {
	struct dsfs_source *src;
	const struct dsfs_dir_info *dir;
	struct dsfs_names_info names;
	struct dsfs_mref ref;
	u32 block;
	u32 pos;
};

/* dir.c */
int dsfs_dir_in(const struct dsfs_dir_info *dir, u32 parent, struct dsfs_err *err);
int dsfs_dir_decode(const struct dsfs_geo *geo, u64 index, const struct dsfs_dir *raw,
		    struct dsfs_dir_info *dir, struct dsfs_err *err);
int dsfs_dir_get(struct dsfs_source *src, const struct dsfs_attr *attr,
		 struct dsfs_dir_info *dir, struct dsfs_err *err);
int dsfs_names_decode(const void *buf, size_t avail, const struct dsfs_dir_info *dir,
		      struct dsfs_names_info *names, struct dsfs_err *err);
bool dsfs_names_good(const struct dsfs_names_info *names);
int dsfs_name_cmp(const char *a, unsigned int alen, const char *b, unsigned int blen);
int dsfs_dir_find(struct dsfs_source *src, const struct dsfs_dir_info *dir, const char *name,
		  unsigned int len, struct dsfs_found *found, struct dsfs_err *err);
int dsfs_dir_lookup(struct dsfs_source *src, const struct dsfs_dir_info *dir, const char *name,
		    unsigned int len, u32 *pos, u8 *type, struct dsfs_err *err);
void dsfs_dir_iter_init(struct dsfs_dir_iter *it, struct dsfs_source *src,
			const struct dsfs_dir_info *dir, u32 pos);
int dsfs_dir_iter_load(struct dsfs_dir_iter *it, struct dsfs_err *err);
void dsfs_dir_iter_end(struct dsfs_dir_iter *it);

/* rows.c */
bool dsfs_links_good(const struct dsfs_geo *geo, const struct dsfs_names_info *names, u64 avail,
		     u32 ino);
void dsfs_link_good(const struct dsfs_names *names, u32 slot, u32 *ino, u8 *type);

/* Of a type of four bits. Inline, because readdir of a large directory does little else. */
static inline bool dsfs_slot_type_valid(u8 type)
{
	return (1 << DSFS_DT_HARDLINK | DSFS_DT_KNOWN) >> type & 1;
}

/* Place of a middle, and the type of its name */
struct dsfs_middle {
	u32 at;
	u32 end;
	u8 type;
};

/* Of slot @slot, which is below the count */
static inline void dsfs_names_middle(const struct dsfs_names_info *names, u32 slot,
				     struct dsfs_middle *middle)
{
	const __le16 *slots = names->raw->slots;

	if (names->form != DSFS_NAMES_SLOTS) {
		middle->at = names->middles + slot * names->width;
		middle->end = middle->at + names->width;
		middle->type = names->raw->form & DSFS_NAMES_TYPE;
		return;
	}
	middle->at = le16_to_cpu(slots[slot]);
	middle->type = middle->at >> DSFS_SLOT_TYPE_SHIFT;
	middle->at &= DSFS_SLOT_OFFSET;
	middle->end = slot + 1 < names->count ?
		      le16_to_cpu(slots[slot + 1]) & DSFS_SLOT_OFFSET : names->end;
}

/*
 * dsfs_names_middle() with checks, of a slot too: all other middles are where dsfs_names_decode()
 * has found them to be.
 */
static inline int dsfs_middle_get(const struct dsfs_names_info *names, u32 slot,
				  struct dsfs_middle *middle, struct dsfs_err *err)
{
	if (slot >= names->count)
		return dsfs_broken(err, "slot", slot, names->count);
	dsfs_names_middle(names, slot, middle);
	if (names->form != DSFS_NAMES_SLOTS)
		return 0;
	if (middle->at < names->middles || middle->at > middle->end ||
	    middle->end > names->end ||
	    middle->end - middle->at + names->prefix + names->suffix > DSFS_NAME_MAX)
		return dsfs_broken(err, "place of a name", middle->at, middle->end);
	if (!dsfs_slot_type_valid(middle->type))
		return dsfs_broken(err, "type of a name", middle->type, DSFS_DT_HARDLINK);
	return 0;
}

/* Unpack the symbols of a middle. Return: their number; those of value zero are no part of it. */
static inline u32 dsfs_names_unpack(const u8 *symbols, const u8 *from, u32 bytes, char *to)
{
	u32 i, n = 2 * bytes;

	for (i = 0; i < bytes; i++) {
		to[2 * i] = symbols[from[i] & 15];
		to[2 * i + 1] = symbols[from[i] >> 4];
	}
	while (n && !to[n - 1])
		n--;
	return n;
}

/* dsfs_names_prefix - put what all names of a block begin with into @name */
static inline void dsfs_names_prefix(const struct dsfs_names_info *names, struct dsfs_name *name)
{
	memcpy(name->name, (const u8 *)names->raw + names->from, names->prefix);
}

/* Put the bytes behind the prefix, and all else, into @name. */
static inline void dsfs_names_put(const struct dsfs_names_info *names, u32 slot,
				  const struct dsfs_middle *middle, struct dsfs_name *name)
{
	const u8 *raw = (const u8 *)names->raw;
	char *to = name->name + names->prefix;
	u32 len = middle->end - middle->at;

	if (names->form == DSFS_NAMES_PACKED)
		len = dsfs_names_unpack(raw + sizeof(*names->raw), raw + middle->at, len, to);
	else
		memcpy(to, raw + middle->at, len);
	memcpy(to + len, raw + names->from + names->prefix, names->suffix);
	name->len = names->prefix + len + names->suffix;
	name->type = middle->type;
	name->pos = names->first + slot;
}

/**
 * dsfs_names_slot - decode one name of a name block
 * @names: the block
 * @slot: index of the name in the block
 * @name: filled in
 * @err: filled in on failure
 *
 * The bytes of the name are not checked: see dsfs_name_valid().
 *
 * Return: 0 or -EUCLEAN.
 */
static inline int dsfs_names_slot(const struct dsfs_names_info *names, u32 slot,
				  struct dsfs_name *name, struct dsfs_err *err)
{
	struct dsfs_middle middle;
	int ret = dsfs_middle_get(names, slot, &middle, err);

	if (ret)
		return ret;
	dsfs_names_prefix(names, name);
	dsfs_names_put(names, slot, &middle, name);
	return 0;
}

/**
 * dsfs_names_good_slot - dsfs_names_slot() without checks
 * @names: a block for which dsfs_names_good() returned true
 * @slot: index of the name, below @names->count
 * @name: filled in; it has what dsfs_names_prefix() puts there
 */
static inline void dsfs_names_good_slot(const struct dsfs_names_info *names,
					u32 slot, struct dsfs_name *name)
{
	struct dsfs_middle middle;

	dsfs_names_middle(names, slot, &middle);
	dsfs_names_put(names, slot, &middle, name);
}

/* True if one of eight bytes is zero or a slash */
static inline bool dsfs_name_bad8(const char *p)
{
	const u64 ones = 0x0101010101010101ULL;
	u64 w, x;

	memcpy(&w, p, sizeof(w));
	x = w ^ ones * '/';
	return (((w - ones) & ~w) | ((x - ones) & ~x)) & ones << 7;
}

/**
 * dsfs_name_valid - check the bytes of a name
 * @name: bytes, not terminated
 * @len: their number
 *
 * Return: true for 1 to 255 bytes without NUL and slash, other than "." and
 * "..".
 */
static inline bool dsfs_name_valid(const char *name, unsigned int len)
{
	unsigned int i;

	if (!len || len > DSFS_NAME_MAX)
		return false;
	/* Eight bytes at a time: the kernel's memchr() works byte by byte. */
	if (len >= 8) {
		for (i = 0; i < len - 8; i += 8)
			if (dsfs_name_bad8(name + i))
				return false;
		return !dsfs_name_bad8(name + len - 8);
	}
	if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')))
		return false;
	for (i = 0; i < len; i++)
		if (!name[i] || name[i] == '/')
			return false;
	return true;
}

/**
 * dsfs_dir_iter_next - get the next name
 * @it: the iterator
 * @name: filled in; valid until the next call
 * @err: filled in on failure
 *
 * Return: 1 for a name, 0 at the end, -EUCLEAN, or an error of dsfs_meta_get().
 */
static inline int dsfs_dir_iter_next(struct dsfs_dir_iter *it, struct dsfs_name *name,
				     struct dsfs_err *err)
{
	int ret;

	if (it->pos >= it->dir->count)
		return 0;
	if (!it->names.raw || it->pos - it->names.first >= it->names.count) {
		ret = dsfs_dir_iter_load(it, err);
		if (ret < 0)
			return ret;
	}
	if (dsfs_names_slot(&it->names, it->pos - it->names.first, name, err))
		return -EUCLEAN;
	if (!dsfs_name_valid(name->name, name->len))
		return dsfs_broken(err, "name that no directory may hold", it->pos, it->dir->count);
	it->pos++;
	return 1;
}

/* Where the row is of the name that @it gave last */
static inline u64 dsfs_iter_place(const struct dsfs_dir_iter *it, const struct dsfs_name *name)
{
	return dsfs_row_place(dsfs_names_pos(it->dir, it->block), name->pos - it->names.first);
}

/*
 * The name index is a two-choice hash table. An entry lies in one of two
 * buckets and consists of slot plus one, name block and fingerprint.
 */
static inline u64 dsfs_name_hash(const char *name, unsigned int len)
{
	return xxh64(name, len, 0);
}

static inline u32 dsfs_index_bucket(u64 hash, u32 buckets, unsigned int choice)
{
	u32 half = choice ? hash >> 32 : (u32)hash;

	return ((u64)half * buckets) >> 32;
}

static inline u32 dsfs_index_fp(u64 hash, unsigned int place_bits)
{
	return (u32)hash << place_bits;
}

/* Index entry of a name: fingerprint, name block, slot plus one */
static inline u32 dsfs_index_entry(u64 hash, u32 block, u32 slot, unsigned int slot_bits,
				   unsigned int block_bits)
{
	return dsfs_index_fp(hash, slot_bits + block_bits) |
	       block << slot_bits | (slot + 1);
}

#endif /* DSFS_FORMAT_DIR_H */
