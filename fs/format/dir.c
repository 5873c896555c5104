// SPDX-License-Identifier: GPL-2.0
/*
 * Directories: sorted name blocks, and a name index.
 *
 * The entries of a directory have consecutive inode numbers in sorted order of
 * names, so the position of a name gives its inode number, and neither name
 * blocks nor the index store one. The index is a two-choice hash table, so a
 * lookup reads at most two buckets, of one cache line each, whatever the size
 * of the directory.
 */
#include "format.h"

/* The entries of a directory that has some, and their names */
static int dsfs_dir_entries(const struct dsfs_geo *geo, const struct dsfs_dir_info *dir,
			    struct dsfs_err *err)
{
	const u64 room = geo->regions[DSFS_REGION_NAMES].bytes;

	if (dir->first <= dir->self || dir->count > geo->inodes - 1 ||
	    dir->first > geo->inodes - dir->count)
		return dsfs_broken(err, "first entry of a directory", dir->first,
				   geo->inodes - dir->count);
	if (dir->names & 3)
		return dsfs_broken(err, "alignment of names", dir->names, 4);
	/* NAMES is too short for the second sum to wrap. */
	if (dir->names >= room || dsfs_names_pos(dir, dir->name_blocks - 1) >= room)
		return dsfs_broken(err, "place of names",
				   dsfs_names_pos(dir, dir->name_blocks - 1), room);
	return 0;
}

static int dsfs_dir_index(const struct dsfs_geo *geo, const struct dsfs_dir_info *dir,
			  struct dsfs_err *err)
{
	if (dir->buckets > geo->buckets || dir->first_bucket > geo->buckets - dir->buckets)
		return dsfs_broken(err, "place of an index", dir->first_bucket, geo->buckets);
	if (!dir->slot_bits || dir->slot_bits > DSFS_BLOCK_BITS ||
	    dir->slot_bits + dir->block_bits > 32 - DSFS_INDEX_FP_MIN)
		return dsfs_broken(err, "bits of an index entry", dir->slot_bits + dir->block_bits,
				   32 - DSFS_INDEX_FP_MIN);
	return 0;
}

/*
 * dsfs_dir_in - check that a directory is in the one that it names as its parent
 *
 * Whoever goes from a directory into another one asks: so each has one path, and a walk comes to
 * it once. @parent of the root is the root.
 */
int dsfs_dir_in(const struct dsfs_dir_info *dir, u32 parent, struct dsfs_err *err)
{
	if (dir->parent == parent)
		return 0;
	return dsfs_broken(err, "directory's parent", dir->parent, parent);
}

/* dsfs_dir_decode - check directory record number @index */
int dsfs_dir_decode(const struct dsfs_geo *geo, u64 index, const struct dsfs_dir *raw,
		    struct dsfs_dir_info *dir, struct dsfs_err *err)
{
	static const u8 zero[sizeof(raw->reserved)];
	bool unindexed;
	int ret;

	dir->self = le32_to_cpu(raw->self);
	dir->parent = le32_to_cpu(raw->parent);
	dir->first = le32_to_cpu(raw->first);
	dir->count = le32_to_cpu(raw->count);
	dir->names = le64_to_cpu(raw->names);
	dir->name_blocks = le32_to_cpu(raw->name_blocks);
	dir->buckets = le32_to_cpu(raw->buckets);
	dir->first_bucket = le64_to_cpu(raw->first_bucket);
	dir->slot_bits = raw->slot_bits;
	dir->block_bits = raw->block_bits;
	unindexed = !(dir->first_bucket || dir->slot_bits || dir->block_bits);

	if (memcmp(raw->reserved, zero, sizeof(zero)))
		return dsfs_broken(err, "directory record reserved bytes", index, 0);
	if (dir->self < DSFS_ROOT_INO || dir->self >= geo->inodes)
		return dsfs_broken(err, "directory's own number", dir->self, geo->inodes - 1);
	/* The parent has a lower number, so there are no loops. */
	if (dir->parent < DSFS_ROOT_INO || dir->parent > dir->self ||
	    (dir->parent == dir->self && dir->self != DSFS_ROOT_INO))
		return dsfs_broken(err, "directory's parent", dir->parent, dir->self);
	if (!dir->count != !dir->name_blocks || dir->name_blocks > dir->count)
		return dsfs_broken(err, "name blocks of a directory", dir->name_blocks, dir->count);
	if (!dir->count) {
		if (dir->first || dir->names || dir->buckets || !unindexed)
			return dsfs_broken(err, "fields of an empty directory", index, 0);
		return 0;
	}
	ret = dsfs_dir_entries(geo, dir, err);
	if (ret)
		return ret;
	if (dir->buckets)
		return dsfs_dir_index(geo, dir, err);
	return unindexed ? 0 : dsfs_broken(err, "fields of a missing index", index, 0);
}

/* dsfs_dir_get - read and check the record of a directory */
int dsfs_dir_get(struct dsfs_source *src, const struct dsfs_attr *attr,
		 struct dsfs_dir_info *dir, struct dsfs_err *err)
{
	struct dsfs_mref ref;
	int ret;

	ret = dsfs_meta_get(src, DSFS_REGION_DIRS, attr->start * sizeof(struct dsfs_dir),
			    sizeof(struct dsfs_dir), &ref);
	if (ret)
		return dsfs_bad(err, "directory record", attr->start, 0, ret);
	ret = dsfs_dir_decode(dsfs_source_geo(src), attr->start, ref.p, dir, err);
	dsfs_meta_put(&ref);
	if (!ret && dir->self != attr->ino)
		ret = dsfs_broken(err, "directory's own number", dir->self, attr->ino);
	return ret;
}

/*
 * Where the parts of the names are. Without slots all middles are equally long, so that this
 * bounds each of them.
 */
static __always_inline int dsfs_names_parts(struct dsfs_names_info *names, struct dsfs_err *err)
{
	const struct dsfs_names *raw = names->raw;
	const u32 fixed = raw->prefix + raw->suffix;
	u32 most = raw->width;

	names->form = raw->form >> DSFS_NAMES_FORM_SHIFT;
	names->prefix = raw->prefix;
	names->suffix = raw->suffix;
	names->width = raw->width;
	names->from = sizeof(*raw);
	if (names->form == DSFS_NAMES_SLOTS) {
		names->from += 2 * names->count;
		names->middles = names->from + fixed;
		if (raw->form || raw->width)
			return dsfs_broken(err, "form of a name block", raw->form, raw->width);
		return names->middles <= names->end ? 0 :
		       dsfs_broken(err, "slots of a name block", names->count, names->end);
	}
	if (names->form == DSFS_NAMES_PACKED) {
		names->from += DSFS_SYMBOLS;
		most *= 2;
	} else if (names->form != DSFS_NAMES_EQUAL) {
		return dsfs_broken(err, "form of a name block", raw->form, raw->width);
	}
	names->middles = names->from + fixed;
	if (!raw->width && names->count > 1)
		return dsfs_broken(err, "names without a difference", names->count, 1);
	if (fixed + most > DSFS_NAME_MAX)
		return dsfs_broken(err, "bytes of a name", fixed + most, DSFS_NAME_MAX);
	if (names->middles + names->count * raw->width != names->end)
		return dsfs_broken(err, "end of a name block", names->end,
				   names->middles + names->count * raw->width);
	return dsfs_slot_type_valid(raw->form & DSFS_NAMES_TYPE) ? 0 :
	       dsfs_broken(err, "type of a name", raw->form & DSFS_NAMES_TYPE, DSFS_DT_HARDLINK);
}

/* Inline, so that a lookup searches a name block in one function */
static __always_inline int __dsfs_names_decode(const void *buf, size_t avail,
					       const struct dsfs_dir_info *dir,
					       struct dsfs_names_info *names, struct dsfs_err *err)
{
	const struct dsfs_names *raw = buf;

	if (avail < sizeof(*raw))
		return dsfs_broken(err, "room for a name block", avail, sizeof(*raw));
	names->raw = raw;
	names->first = le32_to_cpu(raw->first);
	names->count = le16_to_cpu(raw->count);
	names->end = le16_to_cpu(raw->end);
	if (names->end > avail)
		return dsfs_broken(err, "end of a name block", names->end, avail);
	if (!names->count || (u64)names->first + names->count > dir->count)
		return dsfs_broken(err, "names in a name block", names->count, dir->count);
	return dsfs_names_parts(names, err);
}

/*
 * dsfs_names_decode - check the header of a name block
 *
 * @buf is aligned to 4 bytes; @avail bytes are left in its 4 KiB block, or in the region.
 */
int dsfs_names_decode(const void *buf, size_t avail, const struct dsfs_dir_info *dir,
		      struct dsfs_names_info *names, struct dsfs_err *err)
{
	return __dsfs_names_decode(buf, avail, dir, names, err);
}

/*
 * dsfs_names_good - whether each name of a block has a valid place, type and bytes
 *
 * The result depends on the bytes of the block only, so it stays true while
 * they are in memory, and dsfs_names_good_slot() may be used.
 */
bool dsfs_names_good(const struct dsfs_names_info *names)
{
	struct dsfs_err err = {};
	struct dsfs_name name;
	u32 slot;

	for (slot = 0; slot < names->count; slot++)
		if (dsfs_names_slot(names, slot, &name, &err) ||
		    !dsfs_name_valid(name.name, name.len))
			return false;
	return true;
}

/* dsfs_name_cmp - compare two names as memcmp() does: unsigned bytes, a prefix first */
int dsfs_name_cmp(const char *a, unsigned int alen, const char *b, unsigned int blen)
{
	int cmp = memcmp(a, b, alen < blen ? alen : blen);

	return cmp ? cmp : (int)alen - (int)blen;
}

/* The name block at @off in NAMES */
static __always_inline int dsfs_names_at(struct dsfs_source *src, const struct dsfs_dir_info *dir,
					 u64 off, struct dsfs_mref *ref,
					 struct dsfs_names_info *names, struct dsfs_err *err)
{
	const u64 room = dsfs_source_geo(src)->regions[DSFS_REGION_NAMES].bytes;
	const u64 avail = dsfs_names_avail(dsfs_source_geo(src), off);
	int ret;

	ret = dsfs_meta_get(src, DSFS_REGION_NAMES, off, avail, ref);
	if (ret)
		return dsfs_bad(err, "name block", off, room, ret);
	ret = __dsfs_names_decode(ref->p, avail, dir, names, err);
	if (ret)
		dsfs_meta_put(ref);
	return ret;
}

static int dsfs_names_get(struct dsfs_source *src, const struct dsfs_dir_info *dir, u32 block,
			  struct dsfs_mref *ref, struct dsfs_names_info *names,
			  struct dsfs_err *err)
{
	return dsfs_names_at(src, dir, dsfs_names_pos(dir, block), ref, names, err);
}

/* Binary search in one block: -ENOENT, or 0 and @at. */
static int dsfs_names_search(const struct dsfs_names_info *names, const char *name,
			     unsigned int len, struct dsfs_name *at, struct dsfs_err *err)
{
	u32 lo = 0, hi = names->count, mid;
	int ret, cmp;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		ret = dsfs_names_slot(names, mid, at, err);
		if (ret)
			return ret;
		cmp = dsfs_name_cmp(name, len, at->name, at->len);
		if (!cmp)
			return 0;
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -ENOENT;
}

/*
 * Lookup without an index: a binary search for the last block whose first name
 * is not greater than @name, then one within that block
 */
static int dsfs_lookup_sorted(struct dsfs_source *src, const struct dsfs_dir_info *dir,
			      const char *name, unsigned int len, struct dsfs_found *found,
			      struct dsfs_err *err)
{
	u32 lo = 0, hi = dir->name_blocks, mid;
	struct dsfs_names_info names;
	struct dsfs_mref ref;
	struct dsfs_name at;
	int ret;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		ret = dsfs_names_get(src, dir, mid, &ref, &names, err);
		if (ret)
			return ret;
		ret = dsfs_names_slot(&names, 0, &at, err);
		if (ret) {
			dsfs_meta_put(&ref);
			return ret;
		}
		if (dsfs_name_cmp(name, len, at.name, at.len) < 0)
			hi = mid;
		else
			lo = mid;
		dsfs_meta_put(&ref);
	}
	ret = dsfs_names_get(src, dir, lo, &ref, &names, err);
	if (ret)
		return ret;
	ret = dsfs_names_search(&names, name, len, &at, err);
	if (!ret) {
		found->place = dsfs_row_place(dsfs_names_pos(dir, lo), at.pos - names.first);
		found->pos = at.pos;
		found->type = at.type;
	}
	dsfs_meta_put(&ref);
	return ret;
}

/* memcmp() for parts of names, which are short: the kernel's goes byte by byte at their end. */
static __always_inline bool dsfs_bytes_equal(const u8 *a, const char *b, u32 n)
{
	u32 i;

	if (n >= 8) {
		for (i = 0; i < n - 8; i += 8)
			if (memcmp(a + i, b + i, 8))
				return false;
		return !memcmp(a + n - 8, b + n - 8, 8);
	}
	if (n >= 4)
		return !memcmp(a, b, 4) && !memcmp(a + n - 4, b + n - 4, 4);
	for (i = 0; i < n; i++)
		if (a[i] != (u8)b[i])
			return false;
	return true;
}

/* Whether a middle of symbols is the @len bytes of @name */
static __always_inline bool dsfs_symbols_equal(const u8 *symbols, const u8 *middle, u32 bytes,
					       const char *name, u32 len)
{
	const u8 *behind = middle + bytes;
	const char *end = name + (len & ~1U);

	if (len > 2 * bytes)
		return false;
	for (; name < end; name += 2, middle++)
		if ((symbols[*middle & 15] ^ (u8)name[0]) | (symbols[*middle >> 4] ^ (u8)name[1]))
			return false;
	if (len & 1) {
		if ((symbols[*middle & 15] ^ (u8)*name) | symbols[*middle >> 4])
			return false;
		middle++;
	}
	for (; middle < behind; middle++)
		if (symbols[*middle & 15] | symbols[*middle >> 4])
			return false;
	return true;
}

static __always_inline bool dsfs_middle_equal(const struct dsfs_names_info *names,
					      const struct dsfs_middle *middle, const char *name,
					      u32 len)
{
	const u8 *raw = (const u8 *)names->raw, *at = raw + middle->at;
	const u32 bytes = middle->end - middle->at;

	if (names->form == DSFS_NAMES_PACKED)
		return dsfs_symbols_equal(raw + sizeof(*names->raw), at, bytes, name, len);
	return bytes == len && dsfs_bytes_equal(at, name, len);
}

/* Compare @name with that of a slot. Return: 0 and @found without its place, -ENOENT, -EUCLEAN */
static __always_inline int dsfs_names_match(const struct dsfs_names_info *names, u32 slot,
					    const char *name, u32 len, struct dsfs_found *found,
					    struct dsfs_err *err)
{
	const u8 *prefix = (const u8 *)names->raw + names->from;
	const u32 fixed = names->prefix + names->suffix;
	struct dsfs_middle middle = {};
	int ret = dsfs_middle_get(names, slot, &middle, err);

	if (ret)
		return ret;
	found->type = middle.type;
	found->pos = names->first + slot;
	if (len < fixed || !dsfs_bytes_equal(prefix, name, names->prefix) ||
	    !dsfs_bytes_equal(prefix + names->prefix, name + len - names->suffix, names->suffix) ||
	    !dsfs_middle_equal(names, &middle, name + names->prefix, len - fixed))
		return -ENOENT;
	return 0;
}

/* Compare the name of an index entry with a matching fingerprint */
static int dsfs_lookup_entry(struct dsfs_source *src, const struct dsfs_dir_info *dir, u32 place,
			     const char *name, unsigned int len, struct dsfs_found *found,
			     struct dsfs_err *err)
{
	const u32 slot = place & ((1U << dir->slot_bits) - 1), block = place >> dir->slot_bits;
	const u64 off = dsfs_names_pos(dir, block);
	/* Cleared by hand they need not be in memory: what kernels clear by themselves is */
	struct dsfs_names_info names = {};
	struct dsfs_mref ref = {};
	int ret;

	if (!slot || block >= dir->name_blocks)
		return dsfs_broken(err, "index entry", place, dir->name_blocks);
	ret = dsfs_names_at(src, dir, off, &ref, &names, err);
	if (ret)
		return ret;
	ret = dsfs_names_match(&names, slot - 1, name, len, found, err);
	found->place = dsfs_row_place(off, slot - 1);
	dsfs_meta_put(&ref);
	return ret;
}

/*
 * Next entry from @i on that equals @fp in the bits above @place, or
 * DSFS_BUCKET_ENTRIES
 */
static __always_inline unsigned int dsfs_bucket_next(const struct dsfs_bucket *bucket,
						     unsigned int i, u32 fp, u32 place)
{
	const __le32 *e = bucket->entries;

	/* Behind one of another name */
	for (; i & 3; i++)
		if ((le32_to_cpu(e[i]) ^ fp) <= place)
			return i;
	/* Four at a time: the comparison is cheaper than the loop */
	for (; i < DSFS_BUCKET_ENTRIES; i += 4) {
		if ((le32_to_cpu(e[i]) ^ fp) <= place)
			return i;
		if ((le32_to_cpu(e[i + 1]) ^ fp) <= place)
			return i + 1;
		if ((le32_to_cpu(e[i + 2]) ^ fp) <= place)
			return i + 2;
		if ((le32_to_cpu(e[i + 3]) ^ fp) <= place)
			return i + 3;
	}
	return i;
}

static int dsfs_lookup_bucket(struct dsfs_source *src, const struct dsfs_dir_info *dir, u32 bucket,
			      u64 hash, const char *name, unsigned int len,
			      struct dsfs_found *found, struct dsfs_err *err)
{
	const unsigned int place_bits = dir->slot_bits + dir->block_bits;
	const u32 fp = dsfs_index_fp(hash, place_bits);
	const u32 place = (1U << place_bits) - 1;
	const struct dsfs_bucket *raw;
	struct dsfs_mref ref;
	unsigned int i;
	u32 entry;
	int ret;

	ret = dsfs_meta_get(src, DSFS_REGION_INDEX, (dir->first_bucket + bucket) * sizeof(*raw),
			    sizeof(*raw), &ref);
	if (ret)
		return dsfs_bad(err, "index bucket", dir->first_bucket + bucket, 0, ret);
	raw = ref.p;
	ret = -ENOENT;
	for (i = dsfs_bucket_next(raw, 0, fp, place); i < DSFS_BUCKET_ENTRIES;
	     i = dsfs_bucket_next(raw, i + 1, fp, place)) {
		entry = le32_to_cpu(raw->entries[i]);
		if (!entry)
			continue;
		ret = dsfs_lookup_entry(src, dir, entry & place, name, len, found, err);
		if (ret != -ENOENT)
			break;
	}
	dsfs_meta_put(&ref);
	return ret;
}

static __always_inline int dsfs_lookup_hashed(struct dsfs_source *src,
					      const struct dsfs_dir_info *dir, const char *name,
					      unsigned int len, struct dsfs_found *found,
					      struct dsfs_err *err)
{
	const u64 hash = dsfs_name_hash(name, len);
	u32 bucket = dsfs_index_bucket(hash, dir->buckets, 0);
	const u32 other = dsfs_index_bucket(hash, dir->buckets, 1);
	int ret;

	for (;;) {
		ret = dsfs_lookup_bucket(src, dir, bucket, hash, name, len, found, err);
		if (ret != -ENOENT || bucket == other)
			return ret;
		bucket = other;
	}
}

/*
 * dsfs_dir_find - find a name of 1 to 255 bytes in a directory
 *
 * All of @found is set but the name and its length. The error is -ENOENT, with nothing in @err,
 * if there is no such name.
 */
int dsfs_dir_find(struct dsfs_source *src, const struct dsfs_dir_info *dir, const char *name,
		  unsigned int len, struct dsfs_found *found, struct dsfs_err *err)
{
	if (dir->buckets)
		return dsfs_lookup_hashed(src, dir, name, len, found, err);
	return dir->count ? dsfs_lookup_sorted(src, dir, name, len, found, err) : -ENOENT;
}

/*
 * dsfs_dir_lookup - dsfs_dir_find() for position and type alone
 *
 * @pos is set to its position, below @dir->count, and @type to DT_* or DSFS_DT_HARDLINK.
 */
int dsfs_dir_lookup(struct dsfs_source *src, const struct dsfs_dir_info *dir, const char *name,
		    unsigned int len, u32 *pos, u8 *type, struct dsfs_err *err)
{
	struct dsfs_found found;
	int ret = dsfs_dir_find(src, dir, name, len, &found, err);

	if (ret)
		return ret;
	*pos = found.pos;
	*type = found.type;
	return 0;
}

/*
 * dsfs_dir_iter_init - start to iterate over names in sorted order, from position @pos on
 *
 * @dir must outlive the iterator, which dsfs_dir_iter_end() releases.
 */
void dsfs_dir_iter_init(struct dsfs_dir_iter *it, struct dsfs_source *src,
			const struct dsfs_dir_info *dir, u32 pos)
{
	memset(it, 0, sizeof(*it));
	it->src = src;
	it->dir = dir;
	it->pos = pos;
}

/* dsfs_dir_iter_end - release an iterator */
void dsfs_dir_iter_end(struct dsfs_dir_iter *it)
{
	if (it->names.raw)
		dsfs_meta_put(&it->ref);
	it->names.raw = NULL;
}

/* Binary search for the name block with position it->pos; takes a reference */
static int dsfs_dir_iter_seek(struct dsfs_dir_iter *it, struct dsfs_err *err)
{
	u32 lo = 0, hi = it->dir->name_blocks, mid;
	int ret;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		ret = dsfs_names_get(it->src, it->dir, mid, &it->ref, &it->names, err);
		if (ret)
			return ret;
		if (it->names.first > it->pos)
			hi = mid;
		else
			lo = mid;
		dsfs_meta_put(&it->ref);
	}
	it->block = lo;
	return dsfs_names_get(it->src, it->dir, lo, &it->ref, &it->names, err);
}

/* dsfs_dir_iter_load - get the name block of it->pos: the first, or the one after it->names */
int dsfs_dir_iter_load(struct dsfs_dir_iter *it, struct dsfs_err *err)
{
	const bool next = it->names.raw;
	int ret;

	if (!next) {
		ret = dsfs_dir_iter_seek(it, err);
	} else {
		dsfs_meta_put(&it->ref);
		it->names.raw = NULL;
		if (++it->block >= it->dir->name_blocks)
			return dsfs_broken(err, "name block", it->block, it->dir->name_blocks);
		ret = dsfs_names_get(it->src, it->dir, it->block, &it->ref, &it->names, err);
	}
	if (ret) {
		it->names.raw = NULL;
		return ret;
	}
	/* Only the first block of an iteration may start before it->pos. */
	if (it->names.first > it->pos || (next && it->names.first < it->pos) ||
	    it->pos - it->names.first >= it->names.count) {
		dsfs_dir_iter_end(it);
		return dsfs_broken(err, "first position of a name block", it->names.first, it->pos);
	}
	return 0;
}
