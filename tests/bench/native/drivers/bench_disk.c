// SPDX-License-Identifier: GPL-2.0
/*
 * Read-only disks /dev/bench0, bench1, ... that are files of the host in memory:
 * bench_disk.images=FILE,FILE,...
 *
 * Why not ubd: it reads by a thread of the host and a pipe, which cost more than what is
 * to be measured.  Here a request is a copy.  Parameters, for all disks and at any time:
 *
 *   nsec	the request ends so many nanoseconds later, by a timer; 0: at once, in
 *		the context of the submitter
 *   bypass	the copy leaves the data in memory and not in the processor's cache, as
 *		DMA does on many machines
 */
#include <linux/atomic.h>
#include <linux/blk-mq.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include "bench_host.h"

#define BENCH_DISKS	32

static char *images[BENCH_DISKS];
static int nr_images;
module_param_array(images, charp, &nr_images, 0444);
static unsigned long nsec;
module_param(nsec, ulong, 0644);
static bool bypass;
module_param(bypass, bool, 0644);

struct bench_disk {
	const void *map;
	unsigned long long size;
	struct blk_mq_tag_set tags;
};

struct bench_cmd {
	struct hrtimer timer;
};

static atomic64_t copied, copied_bytes, requests;

unsigned long long bench_disk_copied(void)
{
	return atomic64_read(&copied);
}

unsigned long long bench_disk_requests(void)
{
	return atomic64_read(&requests);
}

static noinline void bench_copy(void *to, const void *from, size_t len)
{
	asm volatile("rep movsb" : "+D" (to), "+S" (from), "+c" (len) : : "memory");
}

/* @len is a multiple of 512. */
static noinline void bench_copy_bypass(void *to, const void *from, size_t len)
{
	const u64 *src = from, *end = from + len;
	u64 *dest = to;

	for (; src < end; src += 4, dest += 4) {
		asm volatile("movnti %1, %0" : "=m" (dest[0]) : "r" (src[0]));
		asm volatile("movnti %1, %0" : "=m" (dest[1]) : "r" (src[1]));
		asm volatile("movnti %1, %0" : "=m" (dest[2]) : "r" (src[2]));
		asm volatile("movnti %1, %0" : "=m" (dest[3]) : "r" (src[3]));
	}
	asm volatile("sfence" : : : "memory");
}

/*
 * Read bytes of a disk; zeros follow the end of its file, which may be within a
 * block.
 */
static void bench_fill(const struct bench_disk *disk, u64 pos, void *to, size_t len)
{
	size_t have = pos < disk->size ? min_t(u64, len, disk->size - pos) : 0;

	if (have < len) {
		memcpy(to, disk->map + pos, have);
		memset(to + have, 0, len - have);
	} else if (bypass) {
		bench_copy_bypass(to, disk->map + pos, len);
	} else {
		bench_copy(to, disk->map + pos, len);
	}
}

/* A copy of this size takes some microseconds */
#define BENCH_CHUNK	(64UL << 10)

/*
 * Not the clock of bench_host_cpu(): that one is a system call.  A chunk that took several
 * times what it may was interrupted by the host, and counts as the mean of the others.
 */
static void bench_account(u64 ns, u64 bytes)
{
	u64 others = atomic64_read(&copied_bytes);

	if (ns > bytes + 10 * NSEC_PER_USEC)
		ns = others ? div64_u64(bytes * atomic64_read(&copied), others) : 0;
	atomic64_add(ns, &copied);
	atomic64_add(bytes, &copied_bytes);
}

static void bench_transfer(const struct bench_disk *disk, u64 pos, void *to, size_t len)
{
	size_t chunk;
	u64 start;

	for (; len; len -= chunk, pos += chunk, to += chunk) {
		chunk = min(len, BENCH_CHUNK);
		start = ktime_get_ns();
		bench_fill(disk, pos, to, chunk);
		bench_account(ktime_get_ns() - start, chunk);
	}
}

static blk_status_t bench_queue_rq(struct blk_mq_hw_ctx *hctx,
				   const struct blk_mq_queue_data *bd)
{
	struct request *rq = bd->rq;
	struct bench_disk *disk = rq->q->queuedata;
	struct bench_cmd *cmd = blk_mq_rq_to_pdu(rq);
	u64 pos = (u64)blk_rq_pos(rq) << SECTOR_SHIFT;
	struct req_iterator iter;
	struct bio_vec bv;

	blk_mq_start_request(rq);
	if (req_op(rq) != REQ_OP_READ) {
		blk_mq_end_request(rq, req_op(rq) == REQ_OP_FLUSH ? BLK_STS_OK : BLK_STS_IOERR);
		return BLK_STS_OK;
	}
	atomic64_inc(&requests);
	rq_for_each_bvec(bv, rq, iter) {
		bench_transfer(disk, pos, page_address(bv.bv_page) + bv.bv_offset, bv.bv_len);
		pos += bv.bv_len;
	}
	if (nsec)
		hrtimer_start(&cmd->timer, ns_to_ktime(nsec), HRTIMER_MODE_REL);
	else
		blk_mq_end_request(rq, BLK_STS_OK);
	return BLK_STS_OK;
}

static enum hrtimer_restart bench_timer(struct hrtimer *timer)
{
	struct bench_cmd *cmd = container_of(timer, struct bench_cmd, timer);

	blk_mq_end_request(blk_mq_rq_from_pdu(cmd), BLK_STS_OK);
	return HRTIMER_NORESTART;
}

static int bench_init_request(struct blk_mq_tag_set *tags, struct request *rq,
			      unsigned int index, int node)
{
	struct bench_cmd *cmd = blk_mq_rq_to_pdu(rq);

	hrtimer_setup(&cmd->timer, bench_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	return 0;
}

static const struct blk_mq_ops bench_mq_ops = {
	.queue_rq	= bench_queue_rq,
	.init_request	= bench_init_request,
};

static const struct block_device_operations bench_disk_ops = {
	.owner	= THIS_MODULE,
};

/* As null_blk is set up by tests/guest/nullblk.sh: requests of up to 4 MiB */
static const struct queue_limits bench_limits = {
	.logical_block_size	= SECTOR_SIZE,
	.physical_block_size	= SECTOR_SIZE,
	.max_hw_sectors		= 8192,
	.max_segments		= USHRT_MAX,
	.max_segment_size	= UINT_MAX,
};

static int __init bench_add(int index, int major)
{
	struct queue_limits limits = bench_limits;
	struct bench_disk *disk;
	struct gendisk *gd;
	int err;

	disk = kzalloc(sizeof(*disk), GFP_KERNEL);
	if (!disk)
		return -ENOMEM;
	disk->map = bench_host_map(images[index], &disk->size);
	if (!disk->map)
		return -ENOENT;
	disk->tags.ops = &bench_mq_ops;
	disk->tags.nr_hw_queues = num_online_cpus();
	disk->tags.queue_depth = 1024;
	disk->tags.numa_node = NUMA_NO_NODE;
	disk->tags.cmd_size = sizeof(struct bench_cmd);
	err = blk_mq_alloc_tag_set(&disk->tags);
	if (err)
		return err;
	gd = blk_mq_alloc_disk(&disk->tags, &limits, disk);
	if (IS_ERR(gd))
		return PTR_ERR(gd);
	gd->major = major;
	gd->first_minor = index;
	gd->minors = 1;
	gd->flags |= GENHD_FL_NO_PART;
	gd->fops = &bench_disk_ops;
	snprintf(gd->disk_name, DISK_NAME_LEN, "bench%d", index);
	set_capacity(gd, DIV_ROUND_UP_ULL(disk->size, PAGE_SIZE) * PAGE_SECTORS);
	set_disk_ro(gd, true);
	return add_disk(gd);
}

/* Errors need no cleanup: the kernel of this run ends. */
static int __init bench_disk_init(void)
{
	int major = register_blkdev(0, "bench"), index, err;

	for (index = 0; index < nr_images; index++) {
		err = bench_add(index, major);
		if (err)
			pr_err("bench_disk: %s: error %d\n", images[index], err);
	}
	return 0;
}
device_initcall(bench_disk_init);
