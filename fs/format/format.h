/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code that the kernel module and the tools share, compiled once
 * for each.
 *
 * It decodes and checks untrusted bytes. The functions allocate nothing, take
 * no lock and keep no state, so they can be called from any context. They
 * return 0 or a negative errno, and fill in struct dsfs_err on failure. Those that read
 * from @src, a metadata source, pass on the errors of dsfs_meta_get(). The others are
 * - -EUCLEAN: a structure breaks a rule of format.rst
 * - -EINVAL: not this file system
 * - -EOPNOTSUPP: a format version or feature that this code does not know
 * - -EBADMSG: a wrong checksum
 * - -EFBIG: an image longer than its device
 *
 * Metadata is read by dsfs_meta_get(), which each platform implements: the
 * kernel over resident metadata and a page cache, the tools over the image
 * file, the unit tests over memory.
 */
#ifndef DSFS_FORMAT_H
#define DSFS_FORMAT_H

#include "dsfs_platform.h"
#include "dsfs_fs.h"

/**
 * struct dsfs_err - a broken rule, for a message
 * @what: name of the rule or field, a constant string; NULL: no error
 * @value: the value found
 * @limit: the bound or the expected value
 */
struct dsfs_err {
	const char *what;
	u64 value;
	u64 limit;
};

/* super.c; cold: every lookup passes the checks that call it. */
void __cold dsfs_err_set(struct dsfs_err *err, const char *what, u64 value, u64 limit);

static inline int dsfs_bad(struct dsfs_err *err, const char *what, u64 value, u64 limit, int ret)
{
	dsfs_err_set(err, what, value, limit);
	return ret;
}

/* dsfs_bad() for a rule of format.rst */
static inline int dsfs_broken(struct dsfs_err *err, const char *what, u64 value, u64 limit)
{
	return dsfs_bad(err, what, value, limit, -EUCLEAN);
}

/**
 * struct dsfs_region_info - a decoded region descriptor
 * @pos: byte offset in the image
 * @bytes: length
 */
struct dsfs_region_info {
	u64 pos;
	u64 bytes;
};

/**
 * struct dsfs_geo - geometry of an image: a decoded and checked superblock
 *
 * Counts are derived from region lengths. @inodes includes 0, which is no number: valid
 * inode numbers are 1 to @inodes - 1. @buckets is the number of buckets
 * in all name indexes.
 */
struct dsfs_geo {
	struct dsfs_region_info regions[DSFS_REGIONS];
	u64 compat;
	u64 incompat;
	u64 generation;
	s64 build_time;
	u64 image_bytes;
	u64 data_start;
	u64 data_end;
	u64 meta_start;
	u64 meta_bytes;
	u64 content_bytes;
	u64 stored_bytes;
	u64 files;
	u64 inodes;
	u32 dirs;
	u32 owners;
	u32 extras;
	u32 extents;
	u64 buckets;
	u64 chunksums;
	u64 units;
	u32 igeneration;	/* i_generation of every inode */
	u32 sums_checksum;	/* of the blocks of BLOCKSUMS */
	u8 align_bits;
	u8 chunk_bits;		/* log2 of the chunk size; 0: no data checksums */
	u8 small_bits;		/* of a file that is one chunk; at least @chunk_bits */
	u8 large_bits;		/* of the chunks of large files; as @chunk_bits if it has none */
	u8 object_bits;
	struct dsfs_root root;
	u8 uuid[16];
	u8 label[DSFS_LABEL_MAX + 1];	/* NUL-terminated */
};

/* The only place that decides the chunk size of a file; see dsfs_chunk_bits(). */
static inline unsigned int dsfs_chunk_choose(u8 chunk_bits, u8 small_bits, u8 large_bits,
					     u64 stored)
{
	if (stored <= 1ULL << small_bits)
		return small_bits;
	return stored > 1ULL << DSFS_LARGE_BITS ? large_bits : chunk_bits;
}

/*
 * dsfs_chunk_bits - log2 of the chunk size of a file with @stored bytes of data
 *
 * 0: no data checksums
 */
static inline unsigned int dsfs_chunk_bits(const struct dsfs_geo *geo, u64 stored)
{
	return dsfs_chunk_choose(geo->chunk_bits, geo->small_bits, geo->large_bits, stored);
}

/* superblock: super.c */
/* Record size of each region. The length of a region is a multiple of it. */
extern const u8 dsfs_record_bytes[DSFS_REGIONS_USED];
u32 dsfs_super_sum(const struct dsfs_super *raw);
bool dsfs_all_zero(const u8 *p, size_t len);
int dsfs_super_decode(const struct dsfs_super *raw, u64 device_bytes,
		      struct dsfs_geo *geo, struct dsfs_err *err);

/**
 * struct dsfs_slot - a superblock slot as read from the device
 * @raw: its bytes; zero if they could not be read
 * @geo: its geometry; valid if @ret is 0
 * @err: the broken rule if @ret is not 0; @err.what may be NULL after a read error
 * @ret: 0, or the errno of the read or of dsfs_super_decode()
 */
struct dsfs_slot {
	struct dsfs_super raw;
	struct dsfs_geo geo;
	struct dsfs_err err;
	int ret;
};

int dsfs_super_choose(const struct dsfs_slot *slots, int *use, struct dsfs_err *err);

/*
 * Callback that reads the sizeof(*raw) bytes at byte offset @pos of the image,
 * which lie in one block. Returns 0 or a negative errno.
 */
typedef int (*dsfs_super_read)(void *arg, u64 pos, struct dsfs_super *raw);

/*
 * The generation whose HISTORY holds a previous generation: what that is
 * checked against
 */
struct dsfs_later {
	u64 generation;
	u64 data_end;
	u64 meta_start;
};

/* previous generations: history.c */
int dsfs_history_next(const struct dsfs_geo *geo, u64 device_bytes,
		      dsfs_super_read read, void *arg, struct dsfs_slot *older);
int dsfs_history_find(const struct dsfs_slot *newest, u64 generation, u64 device_bytes,
		      dsfs_super_read read, void *arg, struct dsfs_slot *found);

/**
 * struct dsfs_attr - a decoded inode
 * @size: file size in bytes; 0 for a directory
 * @start: byte offset of the data, or as struct dsfs_rows says for other types
 * @mtime: nanoseconds since 1970
 * @ino: inode number
 * @nlink: link count
 * @extra: as struct dsfs_rows
 * @rdev: device number: major << 20 | minor
 * @mode: type and permissions; only the type for a hard-link entry
 * @owner: index into OWNERS
 * @flags: DSFS_INODE_*
 * @sum, @stored, @units: as struct dsfs_rows
 */
struct dsfs_attr {
	u64 size;
	u64 start;
	s64 mtime;
	u32 ino;
	u32 nlink;
	u32 extra;
	u32 rdev;
	u32 sum;
	u32 owner;
	u32 stored;
	u32 units;
	u16 mode;
	u16 flags;
};

/* Decoded inode extra record. Fields that the inode flags do not select are zero. */
struct dsfs_extra_info {
	u64 xattrs;
	u64 stored;
	u32 first_extent;
	u32 extents;
};

/* inode.c */
int dsfs_inode_check(const struct dsfs_geo *geo, struct dsfs_attr *attr, struct dsfs_err *err);
int dsfs_root_decode(const struct dsfs_geo *geo, struct dsfs_attr *attr, struct dsfs_err *err);
int dsfs_extent_check(const struct dsfs_geo *geo, u64 start, u64 stored, struct dsfs_err *err);

/* extra.c */
int dsfs_extra_decode(const struct dsfs_geo *geo, const struct dsfs_attr *attr,
		      const struct dsfs_extra *raw, struct dsfs_extra_info *extra,
		      struct dsfs_err *err);

/**
 * dsfs_mode_to_dt - directory entry type of a mode
 * @mode: as st_mode
 *
 * Return: a DT_* value that fits 4 bits; 0 for a mode without a known type.
 */
static inline unsigned int dsfs_mode_to_dt(u16 mode)
{
	const unsigned int type = mode >> 12;
	const unsigned int known = 1 << (S_IFREG >> 12) | 1 << (S_IFDIR >> 12) |
				   1 << (S_IFLNK >> 12) | 1 << (S_IFCHR >> 12) |
				   1 << (S_IFBLK >> 12) | 1 << (S_IFIFO >> 12) |
				   1 << (S_IFSOCK >> 12);

	return known >> type & 1 ? type : 0;
}

static inline bool dsfs_attr_is_hardlink(const struct dsfs_attr *attr)
{
	return attr->flags & DSFS_INODE_HARDLINK;
}

/* Metadata access, implemented by the platform */
struct dsfs_source;

/**
 * struct dsfs_mref - a reference to metadata in memory
 * @p: the requested bytes
 * @priv: owned by the platform; NULL: no release needed
 */
struct dsfs_mref {
	const void *p;
	void *priv;
};

/*
 * dsfs_source.h defines
 *
 * int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region,
 *		     u64 off, size_t len, struct dsfs_mref *ref);
 *
 * const struct dsfs_geo *dsfs_source_geo(const struct dsfs_source *src);
 *
 * dsfs_meta_get() takes a reference to the @len bytes (1 to 4096) at offset
 * @off of a region. They must lie in one block of the region. The bytes are
 * verified against their checksum. The function may sleep. It returns 0,
 * -EUCLEAN for a range past the end of the region or across a block, -EBADMSG,
 * -EIO or -ENOMEM.
 */
#include "dsfs_source.h"

void dsfs_meta_release(struct dsfs_mref *ref);

/* dsfs_meta_put - release a reference from dsfs_meta_get() */
static inline void dsfs_meta_put(struct dsfs_mref *ref)
{
	if (ref->priv)
		dsfs_meta_release(ref);
}

/* meta.c */
int dsfs_meta_copy(struct dsfs_source *src, enum dsfs_region_id region, u64 off,
		   size_t len, void *to);

/* extra.c, inode.c: read and decode; -ESTALE: no such inode number */
int dsfs_inode_get(struct dsfs_source *src, u32 ino, struct dsfs_attr *attr, struct dsfs_err *err);
int dsfs_inode_place(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_err *err);
int dsfs_inode_next(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_attr *attr,
		    struct dsfs_err *err);
int dsfs_inode_at(struct dsfs_source *src, u32 ino, u64 place, struct dsfs_attr *attr,
		  struct dsfs_err *err);
int dsfs_hardlink_follow(struct dsfs_source *src, u64 place, u32 *ino, u8 *type,
			 struct dsfs_err *err);
int dsfs_extra_get(struct dsfs_source *src, const struct dsfs_attr *attr,
		   struct dsfs_extra_info *extra, struct dsfs_err *err);
int dsfs_owner_get(struct dsfs_source *src, const struct dsfs_attr *attr, u32 *uid, u32 *gid,
		   struct dsfs_err *err);
int dsfs_symlink_get(struct dsfs_source *src, const struct dsfs_attr *attr,
		     struct dsfs_mref *ref, struct dsfs_err *err);

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

/*
 * Where the row of an inode is: its name block, which begins at a multiple of 4 in NAMES, and
 * its slot, below 2^12
 */
static inline u64 dsfs_row_place(u64 names, u32 slot)
{
	return names << (DSFS_BLOCK_BITS - 2) | slot;
}

/* Where the name block of a row begins in NAMES */
static inline u64 dsfs_row_block(u64 place)
{
	return place >> DSFS_BLOCK_BITS << 2;
}

#define DSFS_NO_PLACE	(~0ULL)		/* not known, or not in a row */

/* rows.c */
extern const u32 dsfs_mtime_units[DSFS_MTIME_UNITS];	/* nanoseconds */
int dsfs_rows_decode(const struct dsfs_names *names, size_t avail, u32 slot,
		     struct dsfs_attr *attr, struct dsfs_err *err);
u64 dsfs_rows_bytes(const struct dsfs_names *names, size_t avail);
int dsfs_row_get(struct dsfs_source *src, u32 ino, u64 place, struct dsfs_attr *attr,
		 struct dsfs_err *err);
int dsfs_row_find(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_err *err);
int dsfs_row_next(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_err *err);

/* Bytes at @off in NAMES up to the end of the block, or of the region, which @off is below */
static inline u64 dsfs_names_avail(const struct dsfs_geo *geo, u64 off)
{
	const u64 room = geo->regions[DSFS_REGION_NAMES].bytes - off;
	const u64 avail = DSFS_BLOCK_SIZE - (off & (DSFS_BLOCK_SIZE - 1));

	return avail < room ? avail : room;
}

/* A name in a directory; a lookup leaves out its bytes */
struct dsfs_name {
	u64 place;		/* dsfs_row_place(); of a lookup only */
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
		  unsigned int len, struct dsfs_name *found, struct dsfs_err *err);
int dsfs_dir_lookup(struct dsfs_source *src, const struct dsfs_dir_info *dir, const char *name,
		    unsigned int len, u32 *pos, u8 *type, struct dsfs_err *err);
void dsfs_dir_iter_init(struct dsfs_dir_iter *it, struct dsfs_source *src,
			const struct dsfs_dir_info *dir, u32 pos);
int dsfs_dir_iter_load(struct dsfs_dir_iter *it, struct dsfs_err *err);
void dsfs_dir_iter_end(struct dsfs_dir_iter *it);

/* Inline, because readdir of a large directory does little else. */
static inline bool dsfs_slot_type_valid(u8 type)
{
	return type == DSFS_DT_HARDLINK || dsfs_mode_to_dt((u16)type << 12);
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

/* Put the bytes behind the prefix, and all else but the place, into @name. */
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

/**
 * struct dsfs_mapping - a mapping: an extent or a hole of a file
 * @logical: offset in the file
 * @len: bytes
 * @stored: offset in the stored data of the file; for a hole, of the next
 *	extent
 * @extent: number of extent records of the file that begin at or before
 *	@logical
 * @hole: not stored, reads as zeros
 */
struct dsfs_mapping {
	u64 logical;
	u64 len;
	u64 stored;
	u32 extent;
	bool hole;
};

/* The checksum of a chunk of data: the low 32 bits of its XXH64 with the seed 0 */
static inline u32 dsfs_datasum(const void *p, size_t len)
{
	return (u32)xxh64(p, len, 0);
}

/* The same of a chunk that comes in pieces */
struct dsfs_datasum {
	struct xxh64_state state;
};

static inline void dsfs_datasum_begin(struct dsfs_datasum *s)
{
	xxh64_reset(&s->state, 0);
}

static inline void dsfs_datasum_add(struct dsfs_datasum *s, const void *p, size_t len)
{
	xxh64_update(&s->state, p, len);
}

static inline u32 dsfs_datasum_end(const struct dsfs_datasum *s)
{
	return (u32)xxh64_digest(&s->state);
}

/* extent.c */
int dsfs_map(struct dsfs_source *src, const struct dsfs_attr *attr,
	     const struct dsfs_extra_info *extra, u64 pos, struct dsfs_mapping *map,
	     struct dsfs_err *err);
int dsfs_map_next(struct dsfs_source *src, const struct dsfs_attr *attr,
		  const struct dsfs_extra_info *extra, struct dsfs_mapping *map,
		  struct dsfs_err *err);
int dsfs_chunk_sum(struct dsfs_source *src, const struct dsfs_attr *attr,
		   u64 stored, u64 chunk, u32 *sum, struct dsfs_err *err);

/* Number of units of a compressed file */
static inline u64 dsfs_units(const struct dsfs_attr *attr)
{
	return (attr->size + DSFS_UNIT_SIZE - 1) >> DSFS_UNIT_BITS;
}

/* Content bytes of unit number @unit of it */
static inline u32 dsfs_unit_bytes(const struct dsfs_attr *attr, u64 unit)
{
	const u64 left = attr->size - (unit << DSFS_UNIT_BITS);

	return left < DSFS_UNIT_SIZE ? left : DSFS_UNIT_SIZE;
}

/* DSFS_CODEC_* of a file; 0: it is not compressed */
static inline u8 dsfs_attr_codec(const struct dsfs_attr *attr)
{
	return (attr->flags & DSFS_INODE_COMPRESSED) >> DSFS_CODEC_SHIFT;
}

/* compressed.c */
int dsfs_frame_check(const struct dsfs_attr *attr, u64 unit, u32 from, u32 to,
		     struct dsfs_err *err);
int dsfs_units_get(struct dsfs_source *src, const struct dsfs_attr *attr, u64 unit, u32 *from,
		   u32 *to, struct dsfs_err *err);

/* xattr.c */
struct dsfs_xattr_info {
	const char *name;	/* without the prefix; not terminated */
	const void *value;
	u32 value_len;
	u8 prefix;
	u8 name_len;
};

int dsfs_xattr_bytes(struct dsfs_source *src, const struct dsfs_extra_info *extra,
		     u32 *bytes, struct dsfs_err *err);
int dsfs_xattr_first(const void *set, size_t bytes, u32 *count, u32 *cursor, struct dsfs_err *err);
int dsfs_xattr_next(const void *set, size_t bytes, u32 *cursor,
		    struct dsfs_xattr_info *info, struct dsfs_err *err);
const char *dsfs_xattr_prefix(u8 prefix);

/* note.c */
int dsfs_note_check(const struct dsfs_note *raw, struct dsfs_err *err);
const char *dsfs_digest_name(u8 kind);

#endif /* DSFS_FORMAT_H */
