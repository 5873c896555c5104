// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the orders of "dsfs order": each file once, and the same order everywhere.
 */
#include "random.h"
#include "shuffle.h"
#include "tap.h"

#define FILES	5000
/* XXH64 over the numbers of the order, chained */
#define SUM_OF_SEED_1	0x8c543abbfc688d14ULL

static u64 sizes[FILES];

/* Sizes from 0 to 10,000 */
static void make_sizes(void)
{
	struct random r;

	random_seed(&r, 42);
	for (u32 i = 0; i < FILES; i++)
		sizes[i] = random_below(&r, 10001);
}

static bool is_permutation(const u32 *order, size_t nr)
{
	static bool seen[FILES];

	memset(seen, 0, sizeof(seen));
	for (size_t i = 0; i < nr; i++) {
		if (order[i] >= nr || seen[order[i]])
			return false;
		seen[order[i]] = true;
	}
	return true;
}

static u64 print_of(const u32 *order)
{
	u64 sum = 0;

	for (size_t i = 0; i < FILES; i++) {
		const __le32 v = cpu_to_le32(order[i]);

		sum = xxh64(&v, sizeof(v), sum);
	}
	return sum;
}

static void test_random(void)
{
	struct random r;

	random_seed(&r, 0);
	/* The value that other implementations have, as rand_xoshiro's seed_from_u64(0) */
	OK(random_next(&r) == 0x99ec5f36cb75f2b4ULL,
	   "random: the first number of seed 0");
	OK(random_below(&r, 1) == 0, "random: one number");
}

/* Each kind of order of the first @nr files */
static void test_permutations(size_t nr)
{
	static const u64 buffers[] = { 1, 4096, 100000, 1 << 30 };
	static u32 order[FILES];

	for (unsigned int i = 0; i < 4; i++) {
		OK(!order_buffered(order, sizes, nr, 20000, buffers[i], i, false) &&
		   is_permutation(order, nr),
		   "order: %zu files, buffer %llu: each once", nr, buffers[i]);
	}
	order_true(order, nr, 1);
	OK(is_permutation(order, nr), "true shuffle: %zu files: each once", nr);
}

static u64 buffered(u64 seed)
{
	static u32 order[FILES];

	if (order_buffered(order, sizes, FILES, 1 << 17, 1 << 22, seed, false))
		return 0;
	return print_of(order);
}

/* A training run is repeated by its seed, on whatever machine: an order is for ever. */
static void test_same_everywhere(void)
{
	const u64 sum = buffered(1);

	if (!OK(sum == SUM_OF_SEED_1, "order: seed 1 gives the order that it gave"))
		tap_note("the sum is %#llx", sum);
	OK(buffered(1) == sum, "order: the same seed, the same order");
	OK(buffered(2) != sum, "order: another seed, another order");
}

/* Who asks ahead asks for the same files, buffer by buffer. */
static void test_ahead(void)
{
	const u64 range = 1 << 17, buffer = 1 << 22;
	static u32 order[FILES], ahead[FILES];
	u64 total = 0;
	static bool in_buffer[FILES];
	bool sorted = true;
	size_t n = 0, same = 0;

	if (!OK(!order_buffered(order, sizes, FILES, range, buffer, 9, false) &&
		!order_buffered(ahead, sizes, FILES, range, buffer, 9, true),
		"ahead"))
		return;
	OK(is_permutation(ahead, FILES), "ahead: each once");
	for (; total + sizes[ahead[n + 1]] < buffer; n++) {
		total += sizes[ahead[n]];
		sorted &= ahead[n] < ahead[n + 1];
	}
	OK(sorted && n > 100, "ahead: a buffer is in the order of the device");
	/* But for the one that fills it */
	for (size_t i = 0; i < n + 2; i++)
		in_buffer[ahead[i]] = true;
	for (size_t i = 0; i < n - 1; i++)
		same += in_buffer[order[i]];
	OK(same == n - 1, "ahead: it has the files of the buffer");
}

TESTS(orders)
{
	make_sizes();
	test_random();
	test_permutations(FILES);
	test_permutations(1);
	test_permutations(0);
	test_same_everywhere();
	test_ahead();
}
