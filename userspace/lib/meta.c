// SPDX-License-Identifier: GPL-2.0
/*
 * The cache of metadata.  Blocks that are asked for are read in ranges, because metadata is read
 * in order nearly always, and a block whose checksum is right is marked good.  A good block is
 * not written again while anybody uses it, so threads need no lock to use it.  A bad block costs
 * an error for what it holds and nothing else.
 *
 * The address space for all metadata is reserved at once, so what spans blocks is used as
 * it lies; pages come with what is read.  The image is not mapped: one that is cut short
 * would be answered with SIGBUS, and one that is overwritten would change behind the checks.
 *
 * A source with a limit gives ranges back: the ones that nobody holds and nobody used since
 * the hand of the clock came by.  Without a limit nothing is counted.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "image.h"
#include "../http/sleep.h"

#define RANGE_BLOCKS	64	/* a word of @good */
#define SUMS_BLOCK	(DSFS_BLOCK_SIZE / sizeof(__le32))	/* entries of BLOCKSUMS */
#define SUMS_STEP	(4ULL << 20)	/* bytes of it that are read at a time */
#define RANGE_BYTES	((u64)RANGE_BLOCKS << DSFS_BLOCK_BITS)
#define LIMIT_DEFAULT	(64ULL << 20)
#define LOCKS		16
#define FAR_DOUBLED	5	/* what a far reader is asked for at a time: up to 8 MiB */

/**
 * struct meta_range - who uses a range; for sources with a limit
 * @held: references to its blocks
 * @used: it was asked for since the hand came by
 */
struct meta_range {
	u32 held;
	bool used;
};

/**
 * struct meta_cache - a source
 * @blocks: of the metadata area
 * @data: that many, mapped; defined where @good says so
 * @good: a bit a block: it was read and is right
 * @first_sum: block that BLOCKSUMS begins with
 * @end_sum: block behind BLOCKSUMS
 * @checked: BLOCKSUMS is what the superblock says
 * @misses: ranges that were not there when they were needed
 * @far_end: behind the span that a far reader was asked for last
 * @lock: of the ranges that are read, by their number
 * @sums_lock: of the blocks of BLOCKSUMS
 * @clock_lock: of what follows
 * @ranges: as many as @blocks need; NULL: nothing is given back
 * @limit: of ranges in memory
 * @count: of ranges in memory, those with a part of BLOCKSUMS not counted, which stay
 * @hand: the range that is looked at next
 */
struct meta_cache {
	struct dsfs_source src;
	u64 blocks;
	u8 *data;
	u64 *good;
	u64 first_sum;
	u64 end_sum;
	bool checked;
	unsigned int misses;
	u64 far_end;
	sem_t lock[LOCKS];
	sem_t sums_lock;
	pthread_mutex_t clock_lock;
	struct meta_range *ranges;
	u64 limit;
	u64 count;
	u64 hand;
};

static struct meta_cache *meta_of(struct dsfs_source *src)
{
	return container_of(src, struct meta_cache, src);
}

static u64 nr_ranges(const struct meta_cache *m)
{
	return (m->blocks + RANGE_BLOCKS - 1) / RANGE_BLOCKS;
}

static bool is_good(const struct meta_cache *m, u64 block)
{
	const u64 word = __atomic_load_n(&m->good[block / RANGE_BLOCKS], __ATOMIC_SEQ_CST);

	return word >> (block % RANGE_BLOCKS) & 1;
}

static void set_good(struct meta_cache *m, u64 block)
{
	__atomic_fetch_or(&m->good[block / RANGE_BLOCKS], 1ULL << (block % RANGE_BLOCKS),
			  __ATOMIC_RELEASE);
}

static bool is_sums(const struct meta_cache *m, u64 block)
{
	return block >= m->first_sum && block < m->end_sum;
}

static bool has_sums(const struct meta_cache *m, u64 range)
{
	return range >= m->first_sum / RANGE_BLOCKS &&
	       range <= (m->end_sum - 1) / RANGE_BLOCKS;
}

static sem_t *lock_of(struct meta_cache *m, u64 range)
{
	return &m->lock[range % LOCKS];
}

/* Who has the lock may wait for a server for minutes: that ends by signals, and so does this. */
static int take(const struct meta_cache *m, sem_t *lock)
{
	const struct dsfs_reader *r = m->src.img->reader;

	while (sleep_on(lock, r->far ? r->stop : NULL))
		if (r->far)
			return -EINTR;
	return 0;
}

static int read_blocks(struct meta_cache *m, u64 first, u64 n, unsigned int flags)
{
	const u64 at = first << DSFS_BLOCK_BITS;
	const struct iovec iov = { m->data + at, n << DSFS_BLOCK_BITS };

	return image_preadv(m->src.img, &iov, 1, iov.iov_len, m->src.geo.meta_start + at, flags);
}

/* Read a block of BLOCKSUMS without a check: the superblock has the only checksum, of all of it. */
static int load_sums_block(struct meta_cache *m, u64 block, unsigned int flags)
{
	int ret = take(m, &m->sums_lock);

	if (ret)
		return ret;
	if (!is_good(m, block) || flags & READ_AGAIN) {
		ret = read_blocks(m, block, 1, flags);
		if (!ret)
			set_good(m, block);
	}
	sem_post(&m->sums_lock);
	return ret;
}

/* The checksums of the range that begins with @first lie in one block: they take 256 bytes. */
static int sums_of(struct meta_cache *m, u64 first, const __le32 **sums)
{
	const u64 at = (m->first_sum << DSFS_BLOCK_BITS) + first * sizeof(__le32);
	const u64 block = at >> DSFS_BLOCK_BITS;

	*sums = (const __le32 *)(m->data + at);
	return is_good(m, block) ? 0 : load_sums_block(m, block, 0);
}

/* Read @n blocks of a range, none of them good, and judge them. */
static int load_blocks(struct meta_cache *m, u64 first, u64 n, unsigned int flags)
{
	const u64 range = first - first % RANGE_BLOCKS;
	const __le32 *sums;
	int ret = sums_of(m, range, &sums) ?: read_blocks(m, first, n, flags);

	for (u64 i = first; !ret && i < first + n; i++)
		if (dsfs_crc32c(0, m->data + (i << DSFS_BLOCK_BITS), DSFS_BLOCK_SIZE) ==
		    le32_to_cpu(sums[i - range]))
			set_good(m, i);
	return ret;
}

static bool is_missing(const struct meta_cache *m, u64 block)
{
	return !is_good(m, block) && !is_sums(m, block);
}

/*
 * Read a block with a wrong checksum again.  The checksum itself may have come wrong, unless
 * BLOCKSUMS was compared as a whole.
 */
static int load_again(struct meta_cache *m, u64 block)
{
	const u64 sum = (m->first_sum << DSFS_BLOCK_BITS) + block * sizeof(__le32);
	int ret = load_blocks(m, block, 1, READ_AGAIN);

	if (ret || is_good(m, block) || m->checked)
		return ret;
	return load_sums_block(m, sum >> DSFS_BLOCK_BITS, READ_AGAIN) ?:
	       load_blocks(m, block, 1, READ_AGAIN);
}

/*
 * Tell a far reader what to bring in for the missing blocks @first to @end.  A request costs it
 * about as much for one range as for many, so a miss brings in the span around it.  The span
 * doubles with each miss, as it gets likelier that all metadata is wanted.  Where the span in
 * front was the last one, the span behind is brought in, too.
 */
static void far_ahead(struct meta_cache *m, u64 first, u64 end)
{
	const u64 start = m->src.geo.meta_start;
	u64 span = RANGE_BLOCKS, from, to;
	unsigned int miss;

	if (!m->src.img->reader->far || image_has(m->src.img, start + (first << DSFS_BLOCK_BITS)))
		return;
	miss = __atomic_fetch_add(&m->misses, 1, __ATOMIC_RELAXED);
	span <<= miss < FAR_DOUBLED ? miss : FAR_DOUBLED;
	from = first - first % span;
	to = from + span;
	if (from == __atomic_load_n(&m->far_end, __ATOMIC_RELAXED) && miss > FAR_DOUBLED)
		to += span;
	__atomic_store_n(&m->far_end, to, __ATOMIC_RELAXED);
	while (first > from && is_missing(m, first - 1))
		first--;
	while (end < to && end < m->blocks && is_missing(m, end))
		end++;
	image_ahead(m->src.img, start + (first << DSFS_BLOCK_BITS),
		    (end - first) << DSFS_BLOCK_BITS);
}

/* Bring in @block, and the missing blocks around it in its range. */
static int load_around(struct meta_cache *m, u64 block)
{
	u64 first = block, end = block + 1;
	int ret;

	while (first % RANGE_BLOCKS && is_missing(m, first - 1))
		first--;
	while (end % RANGE_BLOCKS && end < m->blocks && is_missing(m, end))
		end++;
	far_ahead(m, first, end);
	ret = load_blocks(m, first, end - first, 0);
	/* Some blocks cannot be read: @block may be none of them. */
	if (ret && ret != -EINTR && end - first > 1)
		ret = load_blocks(m, block, 1, 0);
	if (!ret && !is_good(m, block) && image_again(m->src.img))
		ret = load_again(m, block);
	return ret;
}

static void give_back(struct meta_cache *m, u64 range)
{
	const u64 at = range * RANGE_BYTES, all = m->src.geo.meta_bytes;

	madvise(m->data + at, all - at < RANGE_BYTES ? all - at : RANGE_BYTES, MADV_DONTNEED);
}

/*
 * Give a range back, unless it is used.  Its holders count themselves before they look for
 * good blocks, and here blocks stop being good before holders are counted: one of both sees
 * the other.
 */
static bool evict(struct meta_cache *m, u64 range)
{
	struct meta_range *p = &m->ranges[range];
	u64 good;
	bool held;

	if (has_sums(m, range) || __atomic_exchange_n(&p->used, false, __ATOMIC_RELAXED))
		return false;
	if (sem_trywait(lock_of(m, range)))
		return false;
	good = __atomic_exchange_n(&m->good[range], 0, __ATOMIC_SEQ_CST);
	held = __atomic_load_n(&p->held, __ATOMIC_SEQ_CST);
	if (held)
		__atomic_store_n(&m->good[range], good, __ATOMIC_SEQ_CST);
	else if (good)
		give_back(m, range);
	sem_post(lock_of(m, range));
	return good && !held;
}

/* Give ranges back until there are no more than the limit allows; with @clock_lock. */
static void turn_clock(struct meta_cache *m)
{
	const u64 n = nr_ranges(m);

	for (u64 i = 0; m->count > m->limit && i < 2 * n; i++, m->hand = (m->hand + 1) % n)
		m->count -= evict(m, m->hand);
}

/* A range came into memory: another one goes if there are too many. */
static void count_range(struct meta_cache *m)
{
	pthread_mutex_lock(&m->clock_lock);
	m->count++;
	turn_clock(m);
	pthread_mutex_unlock(&m->clock_lock);
}

static u64 limit_ranges(u64 limit)
{
	return (limit ? limit : LIMIT_DEFAULT) / RANGE_BYTES + 1;
}

void source_limit(struct dsfs_source *src, u64 limit)
{
	struct meta_cache *m = meta_of(src);

	pthread_mutex_lock(&m->clock_lock);
	m->limit = limit_ranges(limit);
	turn_clock(m);
	pthread_mutex_unlock(&m->clock_lock);
}

static int load(struct meta_cache *m, u64 block)
{
	const u64 range = block / RANGE_BLOCKS;
	bool was_good, came = false;
	int ret;

	if (is_sums(m, block))
		return load_sums_block(m, block, 0);
	ret = take(m, lock_of(m, range));
	if (ret)
		return ret;
	if (!is_good(m, block)) {
		was_good = m->good[range];
		ret = load_around(m, block);
		came = !was_good && m->good[range];
		if (!ret && !is_good(m, block))
			ret = -EBADMSG;
		if (m->ranges && !m->good[range])
			give_back(m, range);
	}
	sem_post(lock_of(m, range));
	if (came && m->ranges && !has_sums(m, range))
		count_range(m);
	return ret;
}

static void hold(struct meta_range *p)
{
	__atomic_add_fetch(&p->held, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&p->used, __ATOMIC_RELAXED))
		__atomic_store_n(&p->used, true, __ATOMIC_RELAXED);
}

void dsfs_meta_release(struct dsfs_mref *ref)
{
	struct meta_range *p = ref->priv;

	__atomic_sub_fetch(&p->held, 1, __ATOMIC_RELEASE);
	ref->priv = NULL;
	ref->p = NULL;
}

int source_block(struct dsfs_source *src, u64 block, struct dsfs_mref *ref)
{
	struct meta_cache *m = meta_of(src);
	int ret = 0;

	ref->p = m->data + (block << DSFS_BLOCK_BITS);
	ref->priv = NULL;
	if (m->ranges) {
		ref->priv = &m->ranges[block / RANGE_BLOCKS];
		hold(ref->priv);
	}
	if (!is_good(m, block))
		ret = load(m, block);
	if (ret)
		dsfs_meta_put(ref);
	return ret;
}

const struct dsfs_geo *dsfs_source_geo(const struct dsfs_source *src)
{
	return &src->geo;
}

int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region, u64 off,
		  size_t len, struct dsfs_mref *ref)
{
	const struct dsfs_region_info *r = &src->geo.regions[region];
	const u64 in = off & (DSFS_BLOCK_SIZE - 1);
	int ret;

	if (!len || off > r->bytes || len > r->bytes - off || in + len > DSFS_BLOCK_SIZE)
		return -EUCLEAN;
	ret = source_block(src, (r->pos + off - src->geo.meta_start) >> DSFS_BLOCK_BITS, ref);
	if (!ret)
		ref->p = (const u8 *)ref->p + in;
	return ret;
}

/* Tell the reader of all missing blocks by one range. */
static void ahead_all(const struct meta_cache *m)
{
	u64 first = 0, end = m->blocks;

	while (first < end && !is_missing(m, first))
		first++;
	while (end > first && !is_missing(m, end - 1))
		end--;
	image_ahead(m->src.img, m->src.geo.meta_start + (first << DSFS_BLOCK_BITS),
		    (end - first) << DSFS_BLOCK_BITS);
}

int source_load(struct dsfs_source *src, struct dsfs_err *err)
{
	struct meta_cache *m = meta_of(src);
	int ret;

	ahead_all(m);
	for (u64 block = 0; block < m->blocks; block++) {
		ret = is_good(m, block) ? 0 : load(m, block);
		if (ret)
			return dsfs_bad(err, "metadata block at",
					src->geo.meta_start + (block << DSFS_BLOCK_BITS),
					src->geo.meta_start + src->geo.meta_bytes, ret);
	}
	return 0;
}

/*
 * Whether a block of BLOCKSUMS is a hole: of a sparse file that claims more metadata than it has.
 * Zeros are the entries of BLOCKSUMS' own blocks alone.
 */
static bool is_hole(const struct meta_cache *m, u64 block)
{
	const u64 first = (block - m->first_sum) * SUMS_BLOCK, end = first + SUMS_BLOCK;
	const u8 *p = m->data + (block << DSFS_BLOCK_BITS);

	return end <= m->blocks && (first < m->first_sum || end > m->end_sum) &&
	       !*p && !memcmp(p, p + 1, DSFS_BLOCK_SIZE - 1);
}

/* In steps, so that what is not there takes neither the time nor the memory that it claims. */
static int read_sums(struct meta_cache *m, const struct dsfs_region_info *r, unsigned int flags,
		     struct dsfs_err *err)
{
	u64 block = m->first_sum, end, bytes, left = r->bytes;
	u32 sum = 0;
	int ret;

	for (; left; left -= bytes) {
		bytes = left < SUMS_STEP ? left : SUMS_STEP;
		end = block + ((bytes + DSFS_BLOCK_SIZE - 1) >> DSFS_BLOCK_BITS);
		ret = read_blocks(m, block, end - block, flags);
		if (ret)
			return dsfs_bad(err, "block checksums at", r->pos, r->pos + r->bytes, ret);
		sum = dsfs_crc32c(sum, m->data + (block << DSFS_BLOCK_BITS),
				  (end - block) << DSFS_BLOCK_BITS);
		for (; block < end; block++)
			if (is_hole(m, block))
				return dsfs_bad(err, "block checksums are zero from block",
						(block - m->first_sum) * SUMS_BLOCK, m->blocks,
						-EBADMSG);
	}
	if (sum != m->src.geo.sums_checksum)
		return dsfs_bad(err, "checksum of the block checksums", sum,
				m->src.geo.sums_checksum, -EBADMSG);
	return 0;
}

int source_check_sums(struct dsfs_source *src, struct dsfs_err *err)
{
	const struct dsfs_region_info *r = &src->geo.regions[DSFS_REGION_BLOCKSUMS];
	struct meta_cache *m = meta_of(src);
	int ret = read_sums(m, r, 0, err);

	if (ret == -EBADMSG && image_again(src->img))
		ret = read_sums(m, r, READ_AGAIN, err);
	for (u64 i = m->first_sum; !ret && i < m->end_sum; i++)
		set_good(m, i);
	m->checked = !ret;
	return ret;
}

static void *reserve(u64 bytes)
{
	void *p = MAP_FAILED;

	if (bytes == (size_t)bytes)
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static size_t good_bytes(const struct meta_cache *m)
{
	return nr_ranges(m) * sizeof(*m->good);
}

void image_source_free(struct dsfs_source *src)
{
	struct meta_cache *m;

	if (!src)
		return;
	m = meta_of(src);
	if (m->data)
		munmap(m->data, src->geo.meta_bytes);
	if (m->good)
		munmap(m->good, good_bytes(m));
	for (int i = 0; i < LOCKS; i++)
		sem_destroy(&m->lock[i]);
	sem_destroy(&m->sums_lock);
	pthread_mutex_destroy(&m->clock_lock);
	free(m->ranges);
	free(m);
}

static void init_blocks(struct meta_cache *m)
{
	const struct dsfs_geo *geo = &m->src.geo;
	const struct dsfs_region_info *r = &geo->regions[DSFS_REGION_BLOCKSUMS];

	m->blocks = geo->meta_bytes >> DSFS_BLOCK_BITS;
	m->first_sum = (r->pos - geo->meta_start) >> DSFS_BLOCK_BITS;
	m->end_sum = m->first_sum + ((r->bytes + DSFS_BLOCK_SIZE - 1) >> DSFS_BLOCK_BITS);
	for (int i = 0; i < LOCKS; i++)
		sem_init(&m->lock[i], 0, 1);
	sem_init(&m->sums_lock, 0, 1);
	pthread_mutex_init(&m->clock_lock, NULL);
}

/* Tell a far reader of all of BLOCKSUMS, which each range needs first. */
static void far_sums(const struct meta_cache *m)
{
	const struct image *img = m->src.img;
	const u64 bytes = (m->end_sum - m->first_sum) << DSFS_BLOCK_BITS;

	if (img->reader->far)
		image_ahead(img, m->src.geo.meta_start + (m->first_sum << DSFS_BLOCK_BITS), bytes);
}

struct dsfs_source *image_source(const struct image *img, u64 limit)
{
	struct meta_cache *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->src = (struct dsfs_source){ .img = img, .geo = *img->geo };
	init_blocks(m);
	m->limit = limit_ranges(limit);
	m->data = reserve(img->geo->meta_bytes);
	m->good = reserve(good_bytes(m));
	if (m->limit < nr_ranges(m))
		m->ranges = calloc(nr_ranges(m), sizeof(*m->ranges));
	if (m->data && m->good && (m->ranges || m->limit >= nr_ranges(m))) {
		far_sums(m);
		return &m->src;
	}
	image_source_free(&m->src);
	return NULL;
}
