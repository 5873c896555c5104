// SPDX-License-Identifier: GPL-2.0
/* Directories, their name blocks and their indexes: dir.c */
#include "proof.c"

/* Of a directory with an index: what a lookup by it relies on */
static bool index_good(const struct dsfs_geo *geo, const struct dsfs_dir_info *dir, u32 block)
{
	return dir->slot_bits && dir->slot_bits + dir->block_bits <= 32 - DSFS_INDEX_FP_MIN &&
	       (block >= dir->name_blocks ||
		dsfs_names_pos(dir, block) < geo->regions[DSFS_REGION_NAMES].bytes);
}

/* Entries are inodes of the image, names are in NAMES, buckets are in INDEX. */
void proof_dir_decode(void)
{
	struct dsfs_dir raw;
	struct dsfs_geo geo = geo_any();
	const u32 block = any(u32);
	struct dsfs_dir_info dir;
	struct dsfs_err err = {};
	int ret;

	ret = dsfs_dir_decode(&geo, any(u64), &raw, &dir, &err);
	assert(ret <= 0);
	said(ret, &err);
	if (ret)
		return;
	assert(dir.self >= DSFS_ROOT_INO && dir.self < geo.inodes);
	assert(dir.parent < dir.self || (dir.self == DSFS_ROOT_INO && dir.parent == dir.self));
	if (!dir.count)
		return;
	assert(dir.first > dir.self && (u64)dir.first + dir.count <= geo.inodes);
	if (block < dir.name_blocks)
		assert(dsfs_names_pos(&dir, block) < geo.regions[DSFS_REGION_NAMES].bytes);
	if (!dir.buckets)
		return;
	assert(dir.first_bucket + dir.buckets <= geo.buckets);
	assert(index_good(&geo, &dir, block));
}

/* A bucket of any hash is one of the directory's. */
void proof_index_bucket(void)
{
	const u64 hash = any(u64);
	const u32 buckets = any(u32);

	assume(buckets);
	assert(dsfs_index_bucket(hash, buckets, 0) < buckets);
	assert(dsfs_index_bucket(hash, buckets, 1) < buckets);
}

/* What dsfs_names_decode() says of a block that it accepts, and all who read names of it assume */
static bool names_fit(const struct dsfs_names_info *n, size_t avail,
		      const struct dsfs_dir_info *dir)
{
	const u32 fixed = n->prefix + n->suffix;
	const u32 behind = n->form == DSFS_NAMES_SLOTS ? 2 * n->count :
			   n->form == DSFS_NAMES_PACKED ? DSFS_SYMBOLS : 0;

	if (!n->count || n->count > (u16)-1 || (u64)n->first + n->count > dir->count ||
	    n->end > avail || n->end > (u16)-1 ||
	    n->raw->form >> DSFS_NAMES_FORM_SHIFT != n->form ||
	    n->from != sizeof(*n->raw) + behind || n->middles != n->from + fixed)
		return false;
	if (n->form == DSFS_NAMES_SLOTS)
		return n->middles <= n->end;
	return fixed + n->width * (n->form == DSFS_NAMES_PACKED ? 2 : 1) <= DSFS_NAME_MAX &&
	       n->middles + n->count * n->width == n->end && (n->width || n->count == 1) &&
	       dsfs_slot_type_valid(n->raw->form & DSFS_NAMES_TYPE);
}

/* A name block of any bytes and any length */
void proof_names_decode(void)
{
	const size_t avail = any(size_t);
	struct dsfs_names_info names;
	struct dsfs_dir_info dir;
	struct dsfs_err err = {};
	int ret;

	assume(avail <= PROOF_SIZE);
	ret = dsfs_names_decode(bytes_any(avail), avail, &dir, &names, &err);
	assert(ret <= 0);
	said(ret, &err);
	if (!ret)
		assert(names_fit(&names, avail, &dir));
}

int stub_names_decode(const void *buf, size_t avail, const struct dsfs_dir_info *dir,
		      struct dsfs_names_info *names, struct dsfs_err *err)
{
	const int ret = any(int);

	assert(__CPROVER_r_ok(buf, avail));
	*names = any(struct dsfs_names_info);
	names->raw = buf;
	assume(ret <= 0 && (ret || (avail >= sizeof(*names->raw) &&
				    names_fit(names, avail, dir))));
	return ret;
}

/* Any block that dsfs_names_decode() accepts, of any directory */
static struct dsfs_names_info names_any(const struct dsfs_dir_info *dir)
{
	const size_t avail = any(size_t);
	struct dsfs_names_info names;

	assume(avail >= sizeof(*names.raw) && avail <= PROOF_SIZE);
	names.raw = bytes_any(avail);
	names.count = any(u16);
	names.count &= 2 * DSFS_BLOCK_SIZE - 1;	/* each has a byte, or a slot */
	names.end = any(u16);
	assume(names_fit(&names, avail, dir));
	return names;
}

/*
 * A slot of it, any.  That a product is not less than that of a lower number is known to all but
 * solvers, which take hours.
 */
static u32 slot_any(const struct dsfs_names_info *n)
{
	const u32 slot = any(u16);

	assume(slot >= n->count || slot * n->width + n->width <= n->count * n->width);
	return slot;
}

/* Each slot of it that is accepted has a name in it, which a reader without checks finds, too. */
void proof_names_slot(void)
{
	struct dsfs_dir_info dir;
	const struct dsfs_names_info names = names_any(&dir);
	const u32 slot = slot_any(&names);
	struct dsfs_name name, good;
	struct dsfs_err err = {};
	int ret;

	ret = dsfs_names_slot(&names, slot, &name, &err);
	assert(ret <= 0);
	said(ret, &err);
	if (ret)
		return;
	assert(slot < names.count && name.pos == names.first + slot);
	assert(dsfs_slot_type_valid(name.type));
	dsfs_names_good_slot(&names, slot, &good);
	assert(good.pos == name.pos && good.type == name.type);
}

/* A name of any bytes against that of any slot */
void proof_names_match(void)
{
	struct dsfs_dir_info dir;
	const struct dsfs_names_info names = names_any(&dir);
	const u32 len = any(u32);
	struct dsfs_found found;
	struct dsfs_err err = {};
	int ret;

	assume(len && len <= DSFS_NAME_MAX);
	ret = dsfs_names_match(&names, slot_any(&names), bytes_any(len), len, &found, &err);
	assert(ret <= 0);
	if (ret != -ENOENT)
		said(ret, &err);
	if (!ret)
		assert(found.pos < dir.count && dsfs_slot_type_valid(found.type));
}

int stub_names_match(const struct dsfs_names_info *names, u32 slot, const char *name, u32 len,
		     struct dsfs_found *found, struct dsfs_err *err)
{
	const int ret = any(int);

	assert(__CPROVER_r_ok(names->raw, names->end) && __CPROVER_r_ok(name, len));
	found->pos = any(u32);
	found->type = any(u8);
	assume(ret <= 0 && (ret || (found->pos - names->first < names->count &&
				    found->type < 16 && dsfs_slot_type_valid(found->type))));
	return ret;
}

u32 stub_names_unpack(const u8 *symbols, const u8 *from, u32 bytes, char *to)
{
	const u32 n = any(u32);

	assert(__CPROVER_r_ok(symbols, DSFS_SYMBOLS));
	assert(!bytes || (__CPROVER_r_ok(from, bytes) && __CPROVER_w_ok(to, 2 * bytes)));
	assume(n <= 2 * bytes);
	__CPROVER_havoc_object(to);
	return n;
}

/* Symbols of any bytes. A middle of more is a turn more of the same loops. */
void proof_names_unpack(void)
{
	const u8 *symbols = bytes_any(DSFS_SYMBOLS);
	const u32 bytes = any(u32);
	char *to;
	u32 n;

	assume(bytes <= PROOF_SIZE);
	to = bytes_any(2 * bytes);
	n = dsfs_names_unpack(symbols, bytes_any(bytes), bytes, to);
	assert(n <= 2 * bytes && (!n || to[n - 1]));
}

static bool slot_bad;
static u32 slots;

int stub_names_slot(const struct dsfs_names_info *names, u32 slot, struct dsfs_name *name,
		    struct dsfs_err *err)
{
	const int ret = any(int);

	assert(slot < names->count && slot == slots++);
	*name = any(struct dsfs_name);
	assume(ret <= 0);
	slot_bad = ret;
	return ret;
}

bool stub_name_valid(const char *name, unsigned int len)
{
	const bool ret = any(bool);

	assert(!slot_bad);
	slot_bad = !ret;
	return ret;
}

/* A block is good when no slot is bad. Each slot is a turn of one loop, that keeps nothing. */
void proof_names_good(void)
{
	struct dsfs_names_info names;

	assume(names.count <= PROOF_SIZE);
	if (dsfs_names_good(&names))
		assert(!slot_bad && slots == names.count);
	else
		assert(slot_bad);
}

/* A name that is accepted has no NUL, no slash, and is no way up. */
void proof_name_valid(void)
{
	const unsigned int len = any(unsigned int), at = any(unsigned int);
	const char *name;

	assume(len <= DSFS_NAME_MAX + 1);
	name = bytes_any(len);
	if (!dsfs_name_valid(name, len))
		return;
	assert(len && len <= DSFS_NAME_MAX);
	assume(at < len);
	assert(name[at] && name[at] != '/');
	assert(name[0] != '.' || len > 2 || (len == 2 && name[1] != '.'));
}

bool stub_symbols_equal(const u8 *symbols, const u8 *middle, u32 bytes, const char *name, u32 len)
{
	assert(__CPROVER_r_ok(symbols, DSFS_SYMBOLS));
	assert(!bytes || __CPROVER_r_ok(middle, bytes));
	assert(!len || __CPROVER_r_ok(name, len));
	return any(bool);
}

bool stub_bytes_equal(const u8 *a, const char *b, u32 n)
{
	assert(!n || (__CPROVER_r_ok(a, n) && __CPROVER_r_ok(b, n)));
	return any(bool);
}

/* A middle of symbols and a part of a name, of any bytes */
void proof_symbols_equal(void)
{
	const u8 *symbols = bytes_any(DSFS_SYMBOLS);
	const u32 bytes = any(u32), len = any(u32);

	assume(bytes <= PROOF_SIZE && len <= 2 * PROOF_SIZE + 2);
	if (dsfs_symbols_equal(symbols, bytes_any(bytes), bytes, bytes_any(len), len))
		assert(len <= 2 * bytes);
}

/* Two parts of names, of any bytes */
void proof_bytes_equal(void)
{
	const u32 n = any(u32);

	assume(n <= PROOF_SIZE);
	dsfs_bytes_equal(bytes_any(n), bytes_any(n), n);
}

/* What an index entry of any bits leads to */
void proof_lookup_entry(void)
{
	struct dsfs_source src = source_any();
	struct dsfs_dir_info dir;
	const unsigned int len = any(unsigned int);
	const u32 place = any(u32);
	struct dsfs_found found;
	struct dsfs_err err = {};
	int ret;

	assume(len && len <= DSFS_NAME_MAX && dir.buckets);
	assume(dir.slot_bits < 32 && index_good(&src.geo, &dir, place >> dir.slot_bits));
	assume(place < 1U << (dir.slot_bits + dir.block_bits));
	ret = dsfs_lookup_entry(&src, &dir, place, bytes_any(len), len, &found, &err);
	assert(ret <= 0);
	refs_none();
	if (!ret)
		assert(found.pos < dir.count && dsfs_slot_type_valid(found.type));
}

int stub_lookup_entry(struct dsfs_source *src, const struct dsfs_dir_info *dir, u32 place,
		      const char *name, unsigned int len, struct dsfs_found *found,
		      struct dsfs_err *err)
{
	const int ret = any(int);

	assert(place < 1U << (dir->slot_bits + dir->block_bits));
	*found = any(struct dsfs_found);
	assume(ret <= 0);
	assume(ret || (found->pos < dir->count && found->type < 16 &&
		       dsfs_slot_type_valid(found->type)));
	return ret;
}

/* The next entry of a bucket of any bits, from any of them on */
void proof_bucket_next(void)
{
	struct dsfs_bucket bucket;
	const unsigned int i = any(unsigned int);
	unsigned int next;

	assume(i <= DSFS_BUCKET_ENTRIES);
	next = dsfs_bucket_next(&bucket, i, any(u32), any(u32));
	assert(next >= i && next <= DSFS_BUCKET_ENTRIES);
}

unsigned int stub_bucket_next(const struct dsfs_bucket *bucket, unsigned int i, u32 fp, u32 place)
{
	const unsigned int next = any(unsigned int);

	assert(i <= DSFS_BUCKET_ENTRIES && __CPROVER_r_ok(bucket, sizeof(*bucket)));
	assume(next >= i && next <= DSFS_BUCKET_ENTRIES);
	return next;
}

/* A lookup in any bucket, of a name of any bytes in any directory */
void proof_lookup_bucket(void)
{
	struct dsfs_source src = source_any();
	const unsigned int len = any(unsigned int);
	struct dsfs_dir_info dir;
	struct dsfs_found found;
	struct dsfs_err err = {};
	int ret;

	assume(len && len <= DSFS_NAME_MAX && index_good(&src.geo, &dir, 0));
	ret = dsfs_lookup_bucket(&src, &dir, any(u32), any(u64), bytes_any(len), len, &found, &err);
	assert(ret <= 0);
	refs_none();
	if (!ret)
		assert(found.pos < dir.count && dsfs_slot_type_valid(found.type));
}
