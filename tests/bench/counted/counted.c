// SPDX-License-Identifier: GPL-2.0
/*
 * counted - what a checksum of a file's data costs in a kernel, for tests/bench/checksum: the
 * kernel's own code, called for 4 KiB at once as DSFS calls it, on a clock that counts
 * instructions.  What it finds is in the kernel log.
 */
#include <linux/crc32c.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/xxhash.h>

static u8 data[112 << 10];
static struct xxh64_state state;
static u32 sum;

static void count(const char *name, bool by_crc32c)
{
	u64 start, best = U64_MAX;
	unsigned int i, at;

	for (i = 0; i < 16; i++) {
		start = ktime_get_ns();
		for (at = 0; at < sizeof(data); at += SZ_4K)
			if (by_crc32c)
				sum = crc32c(sum, data + at, SZ_4K);
			else
				xxh64_update(&state, data + at, SZ_4K);
		best = min(best, ktime_get_ns() - start);
	}
	pr_info("counted: %s %llu\n", name, best);
}

static int __init counted_init(void)
{
	xxh64_reset(&state, 0);
	count("crc32c", true);
	count("XXH64", false);
	return 0;
}
module_init(counted_init);

static void __exit counted_exit(void)
{
}
module_exit(counted_exit);

MODULE_DESCRIPTION("Instructions of checksums");
MODULE_LICENSE("GPL");
