// SPDX-License-Identifier: GPL-2.0
/*
 * Regions in memory, and a strict dsfs_meta_get() for them: it returns a copy of
 * exactly the requested length, so the sanitizer detects a read behind it and a
 * read after dsfs_meta_put(); references that are not put are counted.
 */
#include "builder.h"

static void *need(void *p)
{
	if (!p) {
		fputs("unit: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

void bld_init(struct dsfs_source *src)
{
	memset(src, 0, sizeof(*src));
	src->fail_after = -1;
	src->geo.align_bits = DSFS_BLOCK_BITS;
	src->geo.chunk_bits = 15;
	src->geo.small_bits = 15;
	src->geo.large_bits = 15;
	src->geo.data_start = DSFS_DATA_START_MIN;
	src->geo.data_end = DSFS_MAX_OFFSET - (1ULL << 40);
	src->geo.inodes = DSFS_MAX_INODES + 1;
}

void bld_free(struct dsfs_source *src)
{
	unsigned int i;

	for (i = 0; i < DSFS_REGIONS; i++)
		free(src->regions[i].bytes);
	memset(src, 0, sizeof(*src));
}

static void bld_count(struct dsfs_source *src, enum dsfs_region_id id)
{
	const struct bld_region *r = &src->regions[id];
	struct dsfs_geo *geo = &src->geo;
	const u64 bytes = r->base + r->len;

	geo->regions[id].bytes = bytes;
	switch (id) {
	case DSFS_REGION_DIRS:
		geo->dirs = bytes / sizeof(struct dsfs_dir);
		break;
	case DSFS_REGION_INDEX:
		geo->buckets = bytes / sizeof(struct dsfs_bucket);
		break;
	case DSFS_REGION_OWNERS:
		geo->owners = bytes / sizeof(struct dsfs_owner);
		break;
	case DSFS_REGION_EXTRAS:
		geo->extras = bytes / sizeof(struct dsfs_extra);
		break;
	case DSFS_REGION_EXTENTS:
		geo->extents = bytes / sizeof(struct dsfs_extent_record);
		break;
	case DSFS_REGION_CHUNKSUMS:
		geo->chunksums = bytes / sizeof(__le32);
		break;
	case DSFS_REGION_UNITS:
		geo->units = bytes / sizeof(__le32);
		break;
	default:
		break;
	}
}

u64 bld_add(struct dsfs_source *src, enum dsfs_region_id id, const void *bytes,
	    size_t len, size_t align)
{
	struct bld_region *r = &src->regions[id];
	size_t at = (r->len + align - 1) / align * align;

	if (at + len > r->room) {
		r->room = 2 * (at + len);
		r->bytes = need(realloc(r->bytes, r->room));
	}
	memset(r->bytes + r->len, 0, at - r->len);
	if (bytes)
		memcpy(r->bytes + at, bytes, len);
	else
		memset(r->bytes + at, 0, len);
	r->len = at + len;
	bld_count(src, id);
	return r->base + at;
}

void *bld_at(struct dsfs_source *src, enum dsfs_region_id id, u64 off)
{
	return src->regions[id].bytes + (off - src->regions[id].base);
}

void bld_stretch(struct dsfs_source *src, enum dsfs_region_id id, u64 bytes)
{
	src->regions[id].base = bytes - src->regions[id].len;
	bld_count(src, id);
}

void bld_fail(struct dsfs_source *src, int after, int with)
{
	src->fail_after = after;
	src->fail_with = with;
}

/* --- directories --------------------------------------------------------- */

struct bld_place {
	u32 block;
	u32 slot;
};

static unsigned int bits_for(u32 value)
{
	unsigned int bits = 0;

	for (; value; value >>= 1)
		bits++;
	return bits;
}

/* How many names from @at on fit a name block of @room bytes; @bytes: how long it gets. */
static u32 bld_block_fill(const struct bld_dir *want, u32 at, size_t room, size_t *bytes)
{
	const size_t row = sizeof(__le16);
	size_t used = sizeof(struct dsfs_names) + sizeof(struct dsfs_rows), more;
	u32 i;

	for (i = at; i < want->count; i++) {
		more = strlen(want->names[i]) + 2 + row;
		if (used + more > room ||
		    (want->per_block && i - at >= want->per_block))
			break;
		used += more;
	}
	*bytes = used;
	return i - at;
}

/* Empty files that differ in the time alone */
static void bld_rows_write(void *to, u32 ino, u32 count)
{
	struct dsfs_rows raw = { 0 };
	__le16 time;
	u32 i;

	raw.base[DSFS_COLUMN_KIND] = cpu_to_le64(1ULL << 32 | S_IFREG | 0644);
	raw.base[DSFS_COLUMN_MTIME] = cpu_to_le64(ino);
	raw.width[DSFS_COLUMN_MTIME] = sizeof(time);
	memcpy(to, &raw, sizeof(raw));
	for (i = 0; i < count; i++) {
		time = cpu_to_le16(i);
		memcpy((u8 *)to + sizeof(raw) + i * sizeof(time), &time, sizeof(time));
	}
}

static void bld_block_write(struct dsfs_names *raw, const struct bld_dir *want,
			    u32 first, u32 count)
{
	u32 at = sizeof(*raw) + 2 * count, i, type;

	raw->first = cpu_to_le32(first);
	raw->count = cpu_to_le16(count);
	for (i = 0; i < count; i++) {
		type = want->types ? want->types[first + i] : DT_REG;
		raw->slots[i] = cpu_to_le16(at | type << DSFS_SLOT_TYPE_SHIFT);
		memcpy((char *)raw + at, want->names[first + i],
		       strlen(want->names[first + i]));
		at += strlen(want->names[first + i]);
	}
	raw->end = cpu_to_le16(at);
	bld_rows_write((u8 *)raw + at, want->first + first, count);
}

static u32 bld_name_blocks(struct dsfs_source *src, const struct bld_dir *want,
			   struct bld_place *places, u64 *names)
{
	const enum dsfs_region_id id = DSFS_REGION_NAMES;
	size_t bytes, room;
	u32 first, count, blocks = 0, i;
	__le32 number;
	u64 off;

	/* The first block begins right behind the names of others, if a name fits there. */
	room = DSFS_BLOCK_SIZE - (src->regions[id].len + 3) / 4 * 4 % DSFS_BLOCK_SIZE;
	if (!bld_block_fill(want, 0, room, &bytes))
		room = DSFS_BLOCK_SIZE;
	for (first = 0; first < want->count; first += count, blocks++, room = DSFS_BLOCK_SIZE) {
		count = bld_block_fill(want, first, room, &bytes);
		off = bld_add(src, id, NULL, bytes, room < DSFS_BLOCK_SIZE ? 4 : DSFS_BLOCK_SIZE);
		bld_block_write(bld_at(src, id, off), want, first, count);
		number = cpu_to_le32(want->first + first);
		if (!(off & (DSFS_BLOCK_SIZE - 1)))
			bld_add(src, DSFS_REGION_NUMBERS, &number, sizeof(number), sizeof(number));
		if (!blocks)
			*names = off;
		for (i = 0; i < count; i++)
			places[first + i] = (struct bld_place){ blocks, i };
	}
	return blocks;
}

/* Put @name into one of its buckets; someone else moves if both are full. */
static void bld_index_put(const struct bld_dir *want, const u64 *hashes,
			  u32 *table, u32 buckets, u32 name)
{
	u64 random = 88172645463325252ULL;
	unsigned int kicks, choice, i;
	u32 *bucket, other;

	for (kicks = 0; kicks < 100000; kicks++) {
		for (choice = 0; choice < 2; choice++) {
			bucket = table + (size_t)DSFS_BUCKET_ENTRIES *
			       dsfs_index_bucket(hashes[name], buckets, choice);
			for (i = 0; i < DSFS_BUCKET_ENTRIES; i++) {
				if (bucket[i])
					continue;
				bucket[i] = name + 1;
				return;
			}
		}
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		bucket = table + (size_t)DSFS_BUCKET_ENTRIES *
		       dsfs_index_bucket(hashes[name], buckets, random & 1);
		other = bucket[random >> 60] - 1;
		bucket[random >> 60] = name + 1;
		name = other;
	}
	fprintf(stderr, "unit: no place in the index for %s\n", want->names[name]);
	exit(1);
}

static void bld_index(struct dsfs_source *src, const struct bld_dir *want,
		      const struct bld_place *places, struct dsfs_dir *dir)
{
	const u32 buckets = want->buckets ? want->buckets : want->count / 11 + 1;
	const size_t slots = (size_t)buckets * DSFS_BUCKET_ENTRIES;
	u32 *table = need(calloc(slots, sizeof(*table)));
	u64 *hashes = need(calloc(want->count, sizeof(*hashes)));
	u32 most = 0, blocks = 0, i, n;
	struct dsfs_bucket *raw;
	u64 off;

	for (i = 0; i < want->count; i++) {
		hashes[i] = dsfs_name_hash(want->names[i],
					   strlen(want->names[i]));
		most = places[i].slot + 1 > most ? places[i].slot + 1 : most;
		blocks = places[i].block;
	}
	for (i = 0; i < want->count; i++)
		bld_index_put(want, hashes, table, buckets, i);
	dir->slot_bits = bits_for(most);
	dir->block_bits = bits_for(blocks) + want->place_bits_more;
	off = bld_add(src, DSFS_REGION_INDEX, NULL, buckets * sizeof(*raw), 64);
	raw = bld_at(src, DSFS_REGION_INDEX, off);
	for (i = 0; i < slots; i++) {
		if (!table[i])
			continue;
		n = table[i] - 1;
		raw[i / DSFS_BUCKET_ENTRIES].entries[i % DSFS_BUCKET_ENTRIES] =
			cpu_to_le32(dsfs_index_entry(hashes[n], places[n].block,
						     places[n].slot,
						     dir->slot_bits,
						     dir->block_bits));
	}
	dir->buckets = cpu_to_le32(buckets);
	dir->first_bucket = cpu_to_le64(off / sizeof(*raw));
	free(hashes);
	free(table);
}

u64 bld_dir(struct dsfs_source *src, const struct bld_dir *want)
{
	struct bld_place *places = need(calloc(want->count + 1, sizeof(*places)));
	struct dsfs_dir dir;
	u64 names = 0;

	memset(&dir, 0, sizeof(dir));
	dir.self = cpu_to_le32(want->self);
	dir.parent = cpu_to_le32(want->parent);
	if (want->count) {
		dir.first = cpu_to_le32(want->first);
		dir.count = cpu_to_le32(want->count);
		dir.name_blocks = cpu_to_le32(bld_name_blocks(src, want, places,
							      &names));
		dir.names = cpu_to_le64(names);
		if (want->index)
			bld_index(src, want, places, &dir);
	}
	free(places);
	return bld_add(src, DSFS_REGION_DIRS, &dir, sizeof(dir), sizeof(dir)) /
	       sizeof(dir);
}

/* --- the seam ------------------------------------------------------------ */

int bld_held;

int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region, u64 off,
		  size_t len, struct dsfs_mref *ref)
{
	const struct bld_region *r = &src->regions[region];
	const u64 bytes = r->base + r->len;

	src->gets++;
	if (src->fail_after >= 0 && !src->fail_after--)
		return src->fail_with;
	if (!len || len > DSFS_BLOCK_SIZE || off > bytes || len > bytes - off ||
	    (off & (DSFS_BLOCK_SIZE - 1)) + len > DSFS_BLOCK_SIZE)
		return -EUCLEAN;
	if (off < r->base)	/* a test that looks where it put nothing */
		return -ENODATA;
	ref->priv = need(malloc(len));
	memcpy(ref->priv, r->bytes + (off - r->base), len);
	ref->p = ref->priv;
	bld_held++;
	return 0;
}

void dsfs_meta_release(struct dsfs_mref *ref)
{
	free(ref->priv);
	ref->priv = NULL;
	ref->p = NULL;
	bld_held--;
}

const struct dsfs_geo *dsfs_source_geo(const struct dsfs_source *src)
{
	return &src->geo;
}
