// SPDX-License-Identifier: GPL-2.0
/*
 * Building of the name index: each name goes into one of two buckets of 16 entries.
 *
 * A name goes to its first bucket while that has room, and to its second one only when the first is
 * full.  If both are full, a name in one of them is moved to its other bucket.  (If names went to
 * the emptier bucket, half of all lookups would read both buckets.  This way it is one in sixteen,
 * measured at this load.) A full bucket stays full, so a name in its second bucket has a full first
 * one.
 *
 * The result depends on the names alone: equal trees give equal indexes.
 *
 * A directory may have most names of a data set, so the index is written where it was built.
 */
#include "format.h"
#include "layout.h"

#define MOVES_MAX	2000	/* for one name, before more buckets are tried */
#define GROWTHS		8	/* by 1/16 each, before the directory does without an index */

/**
 * union bucket - a bucket while the index is built, and as it is written
 * @pos: positions in the directory plus one; 0: free
 */
union bucket {
	u32 pos[DSFS_BUCKET_ENTRIES];
	struct dsfs_bucket raw;
};

/**
 * struct build - an index being built
 * @hashes: of the names; at the end their entries
 * @used: entries in each bucket
 */
struct build {
	const struct dir *dir;
	u64 *hashes;
	union bucket *buckets;
	u8 *used;
	u32 nbuckets;
	u32 step;
};

static unsigned int bits_for(u64 max)
{
	return max ? 64 - __builtin_clzll(max) : 0;
}

bool index_bits(u32 count, u32 most, u32 blocks, u8 *slot, u8 *block)
{
	const bool many = count >= DSFS_INDEX_MIN_NAMES;
	const bool fits = many && bits_for(most) + bits_for(blocks - 1) <= 32 - DSFS_INDEX_FP_MIN;

	*slot = fits ? bits_for(most) : 0;
	*block = fits ? bits_for(blocks - 1) : 0;
	return fits;
}

u32 index_buckets(u32 count)
{
	return count / INDEX_LOAD + !!(count % INDEX_LOAD);
}

static bool put(struct build *b, u32 bucket, u32 pos)
{
	if (b->used[bucket] == DSFS_BUCKET_ENTRIES)
		return false;
	b->buckets[bucket].pos[b->used[bucket]++] = pos + 1;
	return true;
}

/* The other one of the two buckets of the name @pos. */
static u32 other_bucket(const struct build *b, u32 pos, u32 bucket)
{
	u32 first = dsfs_index_bucket(b->hashes[pos], b->nbuckets, 0);

	return first != bucket ? first :
	       dsfs_index_bucket(b->hashes[pos], b->nbuckets, 1);
}

/* Both buckets are full: replace a name, and go on with that one, for some steps. */
static bool put_evict(struct build *b, u32 bucket, u32 pos)
{
	for (unsigned int i = 0; i < MOVES_MAX; i++) {
		u32 k, victim;

		/* a name whose other bucket has room ends the walk */
		for (k = 0; k < DSFS_BUCKET_ENTRIES; k++) {
			victim = b->buckets[bucket].pos[k] - 1;
			if (b->used[other_bucket(b, victim, bucket)] < DSFS_BUCKET_ENTRIES)
				break;
		}
		if (k == DSFS_BUCKET_ENTRIES)
			k = b->step++ % DSFS_BUCKET_ENTRIES;
		victim = b->buckets[bucket].pos[k] - 1;
		b->buckets[bucket].pos[k] = pos + 1;
		pos = victim;
		bucket = other_bucket(b, pos, bucket);
		if (put(b, bucket, pos))
			return true;
	}
	return false;
}

static bool try_build(struct build *b)
{
	memset(b->used, 0, b->nbuckets);
	memset(b->buckets, 0, (size_t)b->nbuckets * sizeof(*b->buckets));
	b->step = 0;
	for (u32 pos = 0; pos < b->dir->count; pos++) {
		u64 hash = b->hashes[pos];
		u32 first = dsfs_index_bucket(hash, b->nbuckets, 0);
		u32 second = dsfs_index_bucket(hash, b->nbuckets, 1);

		if (!put(b, first, pos) && !put(b, second, pos) && !put_evict(b, first, pos))
			return false;
	}
	return true;
}

static int build_sized(struct build *b, u32 nbuckets)
{
	free(b->used);
	free(b->buckets);
	b->nbuckets = nbuckets;
	b->used = malloc(nbuckets);
	b->buckets = malloc((size_t)nbuckets * sizeof(*b->buckets));
	if (!b->used || !b->buckets)
		return -ENOMEM;
	return try_build(b);
}

/* Return: 1: built; 0: impossible with all sizes; -ENOMEM. */
static int build_any(struct build *b)
{
	const struct dir *dir = b->dir;
	u32 base = index_buckets(dir->count);
	int ret = 0;

	for (u32 i = 0; i < dir->count; i++)
		b->hashes[i] = dsfs_name_hash(node_name(&dir->nodes[i]), node_len(&dir->nodes[i]));
	for (u32 k = 0; !ret && k < GROWTHS; k++)
		ret = build_sized(b, base + (u64)base * k / 16 + k);
	return ret;
}

/* Replace each hash by the index entry of its name: block, slot and fingerprint. */
static void make_entries(struct build *b, const u16 *fills)
{
	const struct dir *dir = b->dir;
	u64 *hash = b->hashes;

	for (u32 block = 0; block < dir->name_blocks; block++)
		for (u32 slot = 0; slot < fills[block]; slot++, hash++)
			*hash = dsfs_index_entry(*hash, block, slot, dir->slot_bits,
						 dir->block_bits);
}

/* Replace each position in the buckets by the entry of its name. */
static void fill_buckets(struct build *b)
{
	for (u32 i = 0; i < b->nbuckets; i++) {
		union bucket *to = &b->buckets[i];

		for (u32 k = 0; k < b->used[i]; k++)
			to->raw.entries[k] = cpu_to_le32(b->hashes[to->pos[k] - 1]);
	}
}

static u32 fullest(const struct dir *dir, const u16 *fills)
{
	u32 most = 0;

	for (u32 i = 0; i < dir->name_blocks; i++)
		if (fills[i] > most)
			most = fills[i];
	return most;
}

int index_build(struct dir *dir, const u16 *fills, struct dsfs_bucket **buckets)
{
	struct build b = { .dir = dir };
	int ret;

	*buckets = NULL;
	dir->buckets = 0;
	if (!index_bits(dir->count, fullest(dir, fills), dir->name_blocks, &dir->slot_bits,
			&dir->block_bits))
		return 0;
	b.hashes = malloc(dir->count * sizeof(*b.hashes));
	ret = b.hashes ? build_any(&b) : -ENOMEM;
	if (ret == 1) {
		dir->buckets = b.nbuckets;
		make_entries(&b, fills);
		fill_buckets(&b);
		*buckets = &b.buckets->raw;
		b.buckets = NULL;
		ret = 0;
	} else if (!ret) {
		dir->slot_bits = 0;
		dir->block_bits = 0;
	}
	free(b.hashes);
	free(b.used);
	free(b.buckets);
	return ret;
}
