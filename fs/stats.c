// SPDX-License-Identifier: GPL-2.0
/* Counters of a mount: allocation and sums. */
#include "stats.h"

#include <linux/iomap.h>

/* dsfs_stats_init - allocate the counters; dsfs_kill_sb() frees them */
int dsfs_stats_init(struct super_block *sb)
{
	DSFS_SB(sb)->stats = alloc_percpu(struct dsfs_stats);
	return DSFS_SB(sb)->stats ? 0 : -ENOMEM;
}

/* dsfs_stats_sum - read a counter, with or without concurrent increments */
u64 dsfs_stats_sum(const struct dsfs_sb_info *sbi, enum dsfs_counter which)
{
	u64 sum = 0;
	int cpu;

	/* CPUs that are offline have counts too. */
	for_each_possible_cpu(cpu)
		sum += local64_read(&per_cpu_ptr(sbi->stats, cpu)->count[which]);
	return sum;
}

/*
 * O_DIRECT: iomap builds the bios; their number depends on the layout of the
 * caller's memory.
 */
static void dsfs_dio_submit(const struct iomap_iter *iter, struct bio *bio,
			    loff_t pos)
{
	dsfs_count_requests(iter->inode->i_sb, DSFS_REQUEST_DIRECT, 1,
			    bio->bi_iter.bi_size);
	submit_bio(bio);
}

const struct iomap_dio_ops dsfs_dio_ops = {
	.submit_io = dsfs_dio_submit,
};
