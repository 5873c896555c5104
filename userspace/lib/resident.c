// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata that stays in memory once it was read, as in the kernel, for any number of
 * threads.  A block that was found right is never written again, so whoever sees its bit
 * may use it without a lock and for as long as the image is open; nothing is counted or
 * given back.
 *
 * The address space for all metadata is reserved at once, so that what spans blocks can be
 * used as it lies; pages come with what is read.  The file itself is not mapped: one that
 * is cut short would be answered with SIGBUS, and one that is overwritten would change
 * behind the checks.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "internal.h"

/* What is not there yet is read in pieces, a word of @good each. */
#define PIECE_BLOCKS	64
#define LOCKS		16

/**
 * struct resident - a source
 * @blocks: of the metadata area
 * @meta: that many, mapped; defined where @good says so
 * @good: a bit a block: it was read and is right
 * @sums: BLOCKSUMS in @meta, checked
 * @lock: of the pieces that are being read, by their number
 */
struct resident {
	struct dsfs_source src;
	u64 blocks;
	u8 *meta;
	u64 *good;
	const __le32 *sums;
	pthread_mutex_t lock[LOCKS];
};

static struct resident *resident_of(struct dsfs_source *src)
{
	return container_of(src, struct resident, src);
}

static bool is_good(const struct resident *r, u64 block)
{
	const u64 word = __atomic_load_n(&r->good[block / PIECE_BLOCKS], __ATOMIC_ACQUIRE);

	return word >> (block % PIECE_BLOCKS) & 1;
}

static void set_good(struct resident *r, u64 block)
{
	__atomic_fetch_or(&r->good[block / PIECE_BLOCKS], 1ULL << (block % PIECE_BLOCKS),
			  __ATOMIC_RELEASE);
}

static int read_blocks(struct resident *r, u64 first, u64 n)
{
	const u64 at = first << DSFS_BLOCK_BITS;

	return image_pread(r->src.img, r->meta + at, n << DSFS_BLOCK_BITS,
			   r->src.geo.meta_start + at);
}

/* Under the lock of the piece: read @n blocks that are not good, and judge them. */
static int load_blocks(struct resident *r, u64 first, u64 n)
{
	u64 i;
	int ret = read_blocks(r, first, n);

	for (i = first; !ret && i < first + n; i++)
		if (dsfs_crc32c(0, r->meta + (i << DSFS_BLOCK_BITS), DSFS_BLOCK_SIZE) ==
		    le32_to_cpu(r->sums[i]))
			set_good(r, i);
	return ret;
}

/* Bring in the blocks of a piece around @block that are not there. */
static int load_around(struct resident *r, u64 block)
{
	u64 first = block, end = block + 1;
	int ret;

	while (first % PIECE_BLOCKS && !is_good(r, first - 1))
		first--;
	while (end % PIECE_BLOCKS && end < r->blocks && !is_good(r, end))
		end++;
	ret = load_blocks(r, first, end - first);
	/* Some of it cannot be read: lose no more than that. */
	return ret && end - first > 1 ? load_blocks(r, block, 1) : ret;
}

static int load(struct resident *r, u64 block)
{
	pthread_mutex_t *lock = &r->lock[block / PIECE_BLOCKS % LOCKS];
	int ret = 0;

	pthread_mutex_lock(lock);
	if (!is_good(r, block)) {
		ret = load_around(r, block);
		if (!ret && !is_good(r, block))
			ret = -EBADMSG;
	}
	pthread_mutex_unlock(lock);
	return ret;
}

static int resident_block(struct dsfs_source *src, u64 block, bool check,
			  struct dsfs_mref *ref)
{
	struct resident *r = resident_of(src);
	int ret;

	(void)check;	/* BLOCKSUMS was, with the others */
	if (!is_good(r, block)) {
		ret = load(r, block);
		if (ret)
			return ret;
	}
	ref->p = r->meta + (block << DSFS_BLOCK_BITS);
	ref->priv = NULL;
	return 0;
}

int resident_get(struct dsfs_source *src, enum dsfs_region_id region, u64 off, size_t len,
		 const void **p)
{
	const struct dsfs_region_info *info = &src->geo.regions[region];
	struct resident *r = resident_of(src);
	u64 at, block;
	int ret;

	if (!len || off > info->bytes || len > info->bytes - off)
		return -EUCLEAN;
	at = info->pos - src->geo.meta_start + off;
	for (block = at >> DSFS_BLOCK_BITS; block <= (at + len - 1) >> DSFS_BLOCK_BITS;
	     block++) {
		if (is_good(r, block))
			continue;
		ret = load(r, block);
		if (ret)
			return ret;
	}
	*p = r->meta + at;
	return 0;
}

int resident_load(struct dsfs_source *src, struct dsfs_err *err)
{
	struct resident *r = resident_of(src);
	u64 block;
	int ret;

	for (block = 0; block < r->blocks; block++) {
		ret = is_good(r, block) ? 0 : load(r, block);
		if (ret)
			return dsfs_bad(err, "metadata block at",
					src->geo.meta_start + (block << DSFS_BLOCK_BITS),
					src->geo.meta_start + src->geo.meta_bytes, ret);
	}
	return 0;
}

/* The checksums of all blocks, first: they have one of their own. */
static int load_sums(struct resident *r, struct dsfs_err *err)
{
	const struct dsfs_region_info *info = &r->src.geo.regions[DSFS_REGION_BLOCKSUMS];
	const u64 at = info->pos - r->src.geo.meta_start;
	const u64 n = (info->bytes + DSFS_BLOCK_SIZE - 1) >> DSFS_BLOCK_BITS;
	u64 i;
	u32 sum;
	int ret;

	ret = read_blocks(r, at >> DSFS_BLOCK_BITS, n);
	if (ret)
		return dsfs_bad(err, "block checksums at", info->pos,
				info->pos + info->bytes, ret);
	sum = dsfs_crc32c(0, r->meta + at, info->bytes);
	if (sum != info->checksum)
		return dsfs_bad(err, "checksum of the block checksums", sum,
				info->checksum, -EBADMSG);
	for (i = 0; i < n; i++)
		set_good(r, (at >> DSFS_BLOCK_BITS) + i);
	r->sums = (const __le32 *)(r->meta + at);
	return 0;
}

static void *reserve(u64 bytes)
{
	void *p = MAP_FAILED;

	if (bytes == (size_t)bytes)
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static size_t good_bytes(const struct resident *r)
{
	return (r->blocks + PIECE_BLOCKS - 1) / PIECE_BLOCKS * sizeof(*r->good);
}

static void resident_free(struct dsfs_source *src)
{
	struct resident *r = resident_of(src);
	int i;

	if (r->meta)
		munmap(r->meta, src->geo.meta_bytes);
	if (r->good)
		munmap(r->good, good_bytes(r));
	for (i = 0; i < LOCKS; i++)
		pthread_mutex_destroy(&r->lock[i]);
	free(r);
}

int resident_source(const struct image *img, struct dsfs_source **src,
		    struct dsfs_err *err)
{
	struct resident *r = calloc(1, sizeof(*r));
	int ret, i;

	if (!r)
		return dsfs_bad(err, "memory", sizeof(*r), 0, -ENOMEM);
	r->src = (struct dsfs_source){
		.img = img, .geo = *img->geo, .block = resident_block,
		.free = resident_free,
	};
	r->blocks = img->geo->meta_bytes >> DSFS_BLOCK_BITS;
	for (i = 0; i < LOCKS; i++)
		pthread_mutex_init(&r->lock[i], NULL);
	r->meta = reserve(img->geo->meta_bytes);
	r->good = reserve(good_bytes(r));
	if (!r->meta || !r->good)
		ret = dsfs_bad(err, "memory for metadata", img->geo->meta_bytes, SIZE_MAX,
			       -ENOMEM);
	else
		ret = load_sums(r, err);
	if (ret)
		resident_free(&r->src);
	else
		*src = &r->src;
	return ret;
}
