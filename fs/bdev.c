// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of superblocks and metadata, past the page cache of the device.
 *
 * A device may be stuck, and a fatal signal must end the wait for it all the same. The
 * requests stay in flight then, so they and the waiting task share the memory and the
 * open device: the last of them frees both.
 */
#include "internal.h"

#include <linux/file.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wait_bit.h>

/* Below this size, rounding up to huge pages may cost more than 2 % of the memory. */
#define DSFS_HUGE_FROM	(50 * PMD_SIZE)

/* Huge pages save TLB misses, but they are not worth much reclaim. */
static void *dsfs_mem_alloc(u64 bytes)
{
	void *p = NULL;

	if (bytes > SIZE_MAX)
		return NULL;
	if (bytes <= max_t(size_t, PAGE_SIZE, DSFS_LAZY_BYTES))
		return kvmalloc(max_t(size_t, PAGE_SIZE, bytes), GFP_KERNEL);
	if (bytes >= DSFS_HUGE_FROM)
		p = vmalloc_huge(bytes, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!p)
		p = __vmalloc(bytes, DSFS_MEM_GFP);
	return p;
}

/*
 * Drops the reference to the module that dsfs_mem_put() has taken. dsfs_exit() waits for
 * RCU callbacks, so this one returns before the module is gone.
 */
static void dsfs_mem_free(struct rcu_head *rcu)
{
	struct dsfs_mem *mem = container_of(rcu, struct dsfs_mem, rcu);

	fput(mem->bdev);
	kvfree(mem->p);
	kfree(mem);
	module_put(THIS_MODULE);
}

/* dsfs_mem_new - allocate memory to read into, or NULL, also after a fatal signal */
struct dsfs_mem *dsfs_mem_new(struct super_block *sb, u64 bytes)
{
	struct dsfs_mem *mem = kzalloc_obj(*mem);

	if (mem)
		mem->p = dsfs_mem_alloc(bytes);
	if (!mem || !mem->p) {
		kfree(mem);
		return NULL;
	}
	mem->bdev = get_file(sb->s_bdev_file);
	atomic_set(&mem->refs, 1);
	return mem;
}

/* dsfs_mem_put - free memory, if any, now or when the last request has ended */
void dsfs_mem_put(struct dsfs_mem *mem)
{
	if (!mem)
		return;
	__module_get(THIS_MODULE);
	if (atomic_dec_and_test(&mem->refs))
		dsfs_mem_free(&mem->rcu);
}

static void dsfs_mem_end_io(struct bio *bio)
{
	struct dsfs_piece *piece = bio->bi_private;
	struct dsfs_mem *mem = piece->mem;

	piece->failed = bio->bi_status != BLK_STS_OK;
	bio_put(bio);
	switch (atomic_dec_return(&mem->refs)) {
	case 0:
		/* Not in the context of a driver, which may hold locks */
		call_rcu(&mem->rcu, dsfs_mem_free);
		break;
	case 1:
		/* May be freed by now; this takes the address only. */
		wake_up_var(&mem->refs);
	}
}

static void dsfs_mem_submit(struct super_block *sb, struct dsfs_piece *piece,
			    u64 pos, char *p, unsigned int len)
{
	struct bio *bio = bio_alloc(sb->s_bdev, bio_max_segs((len >> PAGE_SHIFT) + 2),
				    REQ_OP_READ | REQ_META, GFP_KERNEL);
	unsigned int part;

	bio->bi_iter.bi_sector = pos >> SECTOR_SHIFT;
	bio->bi_private = piece;
	bio->bi_end_io = dsfs_mem_end_io;
	for (; len; p += part, len -= part) {
		struct page *page = is_vmalloc_addr(p) ? vmalloc_to_page(p) :
							 virt_to_page(p);

		part = min_t(unsigned int, len, PAGE_SIZE - offset_in_page(p));
		/* All pages fit. If one did not, its block would fail verification. */
		if (bio_add_page(bio, page, part, offset_in_page(p)) < part)
			break;
	}
	atomic_inc(&piece->mem->refs);
	submit_bio(bio);
}

/*
 * dsfs_mem_read - read from the device and wait
 *
 * No other read of the memory is under way. The place in the device, that in the memory and the
 * length, at most DSFS_BATCH_BYTES, are multiples of the logical block size.
 *
 * Return: 0; -EIO if a request failed: see dsfs_mem_failed(); -EINTR after a fatal signal:
 * requests may be in flight, so the memory must be put, not used again.
 */
int dsfs_mem_read(struct dsfs_mem *mem, struct super_block *sb, u64 pos, size_t off,
		  size_t len)
{
	struct blk_plug plug;
	size_t at;
	int ret = 0;

	if (fatal_signal_pending(current))
		return -EINTR;
	blk_start_plug(&plug);
	for (at = 0; at < len; at += DSFS_PIECE_BYTES) {
		struct dsfs_piece *piece = &mem->piece[at / DSFS_PIECE_BYTES];

		piece->mem = mem;
		dsfs_mem_submit(sb, piece, pos + at, mem->p + off + at,
				min_t(size_t, len - at, DSFS_PIECE_BYTES));
	}
	blk_finish_plug(&plug);
	if (wait_var_event_killable(&mem->refs, atomic_read_acquire(&mem->refs) == 1))
		return -EINTR;
	invalidate_kernel_vmap_range(mem->p + off, len);
	for (at = 0; at < len; at += DSFS_PIECE_BYTES)
		if (dsfs_mem_failed(mem, at))
			ret = -EIO;
	return ret;
}
