// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata in a cache of limited size, for a tool that goes through images of any size
 * with one thread a source.  An image can be cut short or overwritten while a tool
 * reads it, which a mapping would answer with SIGBUS, so everything is read into a cache
 * of pieces.  Pieces are large because metadata is read in order nearly always; checksums
 * are compared a block at a time and only for blocks that are asked for, so that a bad
 * block costs an error for what it holds and nothing else.
 */
#include <stdlib.h>

#include "internal.h"

#define PIECE_BLOCKS	64
#define PIECE_BYTES	((u64)PIECE_BLOCKS << DSFS_BLOCK_BITS)
#define WAYS		8
#define CACHE_DEFAULT	(64ULL << 20)

/**
 * struct piece - blocks of metadata, a multiple of PIECE_BYTES from its start
 * @number: which; UINT64_MAX: none
 * @used: when it was last asked for
 * @refs: holders; it is not replaced while there are any
 * @read: a bit a block: it could be read
 * @checked: a bit a block: compared with its checksum, and right
 * @owned: in the cache; else its last holder frees it
 * @data: PIECE_BYTES, or all metadata if that is less
 */
struct piece {
	u64 number;
	u64 used;
	u64 read;
	u64 checked;
	u32 refs;
	bool owned;
	__le32 sums[PIECE_BLOCKS];
	u8 data[];
};

/**
 * struct cache - a source
 * @pieces: @sets sets of WAYS pieces; a piece's number tells its set
 */
struct cache {
	struct dsfs_source src;
	u64 sets;
	u64 clock;
	struct piece **pieces;
};

static int piece_load(const struct cache *c, struct piece *p, u64 number)
{
	const struct image *img = c->src.img;
	const struct dsfs_geo *geo = &c->src.geo;
	u64 blocks = geo->meta_bytes >> DSFS_BLOCK_BITS;
	u64 first = number * PIECE_BLOCKS, i;
	u64 n = blocks - first < PIECE_BLOCKS ? blocks - first : PIECE_BLOCKS;
	u64 pos = geo->meta_start + (first << DSFS_BLOCK_BITS);
	int ret;

	p->number = UINT64_MAX;
	p->checked = 0;
	p->read = UINT64_MAX;
	ret = image_pread(img, p->sums, n * sizeof(__le32),
			  geo->regions[DSFS_REGION_BLOCKSUMS].pos +
			  first * sizeof(__le32));
	if (ret)
		return ret;
	p->number = number;
	if (!image_pread(img, p->data, n << DSFS_BLOCK_BITS, pos))
		return 0;
	/* Some of it cannot be read: lose no more than that. */
	for (p->read = 0, i = 0; i < n; i++)
		if (!image_pread(img, p->data + (i << DSFS_BLOCK_BITS),
				 DSFS_BLOCK_SIZE, pos + (i << DSFS_BLOCK_BITS)))
			p->read |= 1ULL << i;
	return 0;
}

static struct piece *piece_new(const struct cache *c)
{
	u64 bytes = c->src.geo.meta_bytes;

	return calloc(1, sizeof(struct piece) +
			 (bytes < PIECE_BYTES ? bytes : PIECE_BYTES));
}

/* A piece to load into: one of the set that nobody holds, or a loose one. */
static struct piece *piece_victim(const struct cache *c, struct piece **set)
{
	struct piece *old = NULL;
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		if (!set[i]) {
			set[i] = piece_new(c);
			if (!set[i])
				break;
			set[i]->owned = true;
			set[i]->number = UINT64_MAX;
			return set[i];
		}
		if (!set[i]->refs && (!old || set[i]->used < old->used))
			old = set[i];
	}
	return old ? old : piece_new(c);
}

/* Hold a piece. */
static int piece_get(struct cache *c, u64 number, struct piece **out)
{
	struct piece **set = &c->pieces[number % c->sets * WAYS];
	struct piece *p;
	unsigned int i;
	int ret;

	for (i = 0; i < WAYS && set[i]; i++) {
		if (set[i]->number == number) {
			*out = set[i];
			(*out)->refs++;
			(*out)->used = ++c->clock;
			return 0;
		}
	}
	p = piece_victim(c, set);
	if (!p)
		return -ENOMEM;
	ret = piece_load(c, p, number);
	if (ret) {
		if (!p->owned)
			free(p);
		return ret;
	}
	p->refs = 1;
	p->used = ++c->clock;
	*out = p;
	return 0;
}

static void piece_put(struct piece *p)
{
	if (!--p->refs && !p->owned)
		free(p);
}

static int cache_block(struct dsfs_source *src, u64 block, bool check,
		       struct dsfs_mref *ref)
{
	struct cache *c = container_of(src, struct cache, src);
	unsigned int i = block % PIECE_BLOCKS;
	struct piece *p;
	const u8 *data;
	int ret;

	ret = piece_get(c, block / PIECE_BLOCKS, &p);
	if (ret)
		return ret;
	data = p->data + ((u64)i << DSFS_BLOCK_BITS);
	if (!(p->read >> i & 1)) {
		piece_put(p);
		return -EIO;
	}
	if (check && !(p->checked >> i & 1)) {
		if (dsfs_crc32c(0, data, DSFS_BLOCK_SIZE) != le32_to_cpu(p->sums[i])) {
			piece_put(p);
			return -EBADMSG;
		}
		p->checked |= 1ULL << i;
	}
	ref->p = data;
	ref->priv = p;
	return 0;
}

/* Only a cache has something to be given back. */
void dsfs_meta_release(struct dsfs_mref *ref)
{
	piece_put(ref->priv);
	ref->priv = NULL;
	ref->p = NULL;
}

static void cache_free(struct dsfs_source *src)
{
	struct cache *c = container_of(src, struct cache, src);
	u64 i;

	for (i = 0; i < c->sets * WAYS; i++)
		free(c->pieces[i]);
	free(c->pieces);
	free(c);
}

struct dsfs_source *image_source(const struct image *img, u64 cache_bytes)
{
	struct cache *c = calloc(1, sizeof(*c));
	u64 bytes = cache_bytes ? cache_bytes : CACHE_DEFAULT;

	if (!c)
		return NULL;
	/* No more than there is to hold, but room to hold a few at once. */
	if (bytes > img->geo->meta_bytes)
		bytes = img->geo->meta_bytes;
	c->src = (struct dsfs_source){
		.img = img, .geo = *img->geo, .block = cache_block, .free = cache_free,
	};
	c->sets = bytes / (PIECE_BYTES * WAYS) + 1;
	c->pieces = calloc(c->sets * WAYS, sizeof(*c->pieces));
	if (!c->pieces) {
		free(c);
		return NULL;
	}
	return &c->src;
}
