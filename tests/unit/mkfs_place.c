// SPDX-License-Identifier: GPL-2.0
/*
 * Placement: for any sizes, every extent obeys the format, none overlaps another, and
 * the flag of shared blocks is exact.
 */
#include "place.h"
#include "mkfs.h"

#define START	(1ULL << 21)

struct put {
	u64 start, stored;
	struct node *node;
};

static int by_start(const void *a, const void *b)
{
	const struct put *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Sizes as they come: many small ones, block sizes and what lies around them. */
static u64 some_size(void)
{
	static const u64 edges[] = { 1, 511, 512, 513, 4095, 4096, 4097, 8191,
				     8192, 12288, 65536, 1048576, 1048577 };

	switch (random() % 4) {
	case 0:
		return edges[random() % ARRAY_SIZE(edges)];
	case 1:
		return 1 + random() % 4096;
	case 2:
		return 1 + random() % 200;
	default:
		return 1 + random() % 100000;
	}
}

static bool shares(const struct put *a, const struct put *b)
{
	return (a->start + a->stored - 1) >> DSFS_BLOCK_BITS ==
	       b->start >> DSFS_BLOCK_BITS;
}

/* The puts are sorted: neighbours in the image are neighbours in the array. */
static unsigned int bad_flags(const struct put *put, unsigned int n)
{
	unsigned int i, bad = 0;
	bool want;

	for (i = 0; i < n; i++) {
		want = (i && shares(&put[i - 1], &put[i])) ||
		       (i + 1 < n && shares(&put[i], &put[i + 1]));
		bad += want != !!(put[i].node->flags & NODE_SHARED);
	}
	return bad;
}

/* A file lies in no more objects than its size asks for. */
static unsigned int object_rule(const struct put *put, unsigned int n,
				unsigned int bits)
{
	unsigned int i, bad = 0;

	for (i = 0; bits && i < n; i++) {
		u64 objects = ((put[i].start + put[i].stored - 1) >> bits) -
			      (put[i].start >> bits);

		bad += objects > (put[i].stored - 1) >> bits;
	}
	return bad;
}

static void one_run(unsigned int align_bits, unsigned int object_bits,
		    unsigned int n)
{
	struct dsfs_geo geo = { .align_bits = align_bits, .data_start = START,
				.data_end = 1ULL << 47 };
	struct node *nodes = unit_alloc(n * sizeof(*nodes));
	struct put *put = unit_alloc(n * sizeof(*put));
	unsigned int i, rule = 0, overlap = 0, cross = 0, flags, objects;
	char what[64];
	struct place *p = unit_alloc(sizeof(*p));
	struct dsfs_err err;
	u64 sum = 0;

	snprintf(what, sizeof(what), "align 2^%u, objects 2^%u", align_bits,
		 object_bits);
	place_init(p, START, align_bits, object_bits);
	for (i = 0; i < n; i++) {
		put[i].node = &nodes[i];
		put[i].stored = some_size();
		nodes[i].size = put[i].stored;
		put[i].start = place_file(p, &nodes[i], put[i].stored);
		sum += put[i].stored;
		rule += !!dsfs_extent_check(&geo, put[i].start, put[i].stored,
					    &err);
		cross += put[i].stored <= DSFS_BLOCK_SIZE &&
			 put[i].start >> DSFS_BLOCK_BITS !=
			 (put[i].start + put[i].stored - 1) >> DSFS_BLOCK_BITS;
		overlap += put[i].start + put[i].stored > p->at.end;
	}
	qsort(put, n, sizeof(*put), by_start);
	for (i = 1; i < n; i++)
		overlap += put[i - 1].start + put[i - 1].stored > put[i].start;
	flags = bad_flags(put, n);
	objects = object_rule(put, n, object_bits);
	OK(!rule, "place: %s: every extent is allowed", what);
	OK(!cross, "place: %s: no small file crosses a block", what);
	OK(!overlap, "place: %s: no overlap", what);
	OK(!flags, "place: %s: flags of shared blocks", what);
	OK(p->stored == sum, "place: %s: sum of stored bytes", what);
	OK(p->packed > n / 10, "place: %s: room behind files is used",
	   what);
	OK(!objects, "place: %s: no file crosses an object it could fit in", what);
	free(p);
	free(put);
	free(nodes);
}

/* A file larger than that has its blocks for itself. */
static void test_large_alone(void)
{
	struct place *p = unit_alloc(sizeof(*p));
	struct node large = { 0 }, small = { 0 };
	u64 a, b;

	place_init(p, START, 12, 0);
	a = place_file(p, &large, PLACE_OWNER_MAX + 1);
	b = place_file(p, &small, 100);
	OK(!(large.flags & NODE_SHARED) && !(small.flags & NODE_SHARED) &&
	   b >> DSFS_BLOCK_BITS > (a + PLACE_OWNER_MAX) >> DSFS_BLOCK_BITS,
	   "place: a large file shares no block");
	free(p);
}

static void test_resize(void)
{
	struct place *p = unit_alloc(sizeof(*p));
	struct node first = { 0 }, next = { 0 };
	u64 a, b;

	place_init(p, START, 12, 0);
	a = place_file(p, &first, 5000);
	place_resize(p, a, 5000, 9000);
	b = place_file(p, &next, 8000);
	OK(b >= a + 9000 && p->stored == 17000, "place: a file that grew");
	free(p);
}

/* Sizes like ImageNet's: see tests/tools/mkset. */
static u64 imagenet_size(void)
{
	static const unsigned int share[] = { 1, 2, 4, 8, 13, 38, 33, 1 };
	unsigned int at = random() % 100, i;

	for (i = 0; at >= share[i]; i++)
		at -= share[i];
	return (2048ULL << i) + random() % (2048ULL << i);
}

static void test_imagenet(void)
{
	struct place *p = unit_alloc(sizeof(*p));
	struct node any = { 0 };
	u64 lost;

	place_init(p, START, 12, 22);
	for (unsigned int i = 0; i < 20000; i++) {
		any.size = imagenet_size();
		place_file(p, &any, any.size);
	}
	lost = place_object_padding(p);
	printf("# object padding for ImageNet's sizes: %.3f %%\n",
	       100.0 * lost / p->stored);
	OK(lost * 100 < 2 * p->stored, "place: object padding below 2 %%");
	free(p);
}

/* What is left of an object is for smaller files; of an old one for none. */
static void test_fill(void)
{
	const u64 object = 1 << 22;
	struct node big = { .size = 3 << 20 }, small = { .size = 100000 };
	struct place *p = unit_alloc(sizeof(*p));
	u64 a, b, c;
	unsigned int i;

	place_init(p, object, 12, 22);
	a = place_file(p, &big, big.size);
	b = place_file(p, &big, big.size);
	c = place_file(p, &small, small.size);
	OK(a == object && b == 2 * object && c == object + big.size,
	   "place: a small file fills what is left of an object");
	OK(place_object_padding(p) == object - big.size - small.size,
	   "place: object padding");
	OK(place_meta(p, true) == 3 * object,
	   "place: metadata begins with an object");
	OK(place_meta(p, false) == 2 * object + big.size,
	   "place: metadata of an update follows its data");
	for (i = 0; i < 20; i++)
		place_file(p, &big, big.size);
	c = place_file(p, &small, small.size);
	OK(c > p->at.end - (PLACE_OLD_OBJECTS + 2) * object,
	   "place: an object far behind is left alone");
	free(p);
}

TESTS(place)
{
	unsigned int bits;

	srandom(7);
	for (bits = DSFS_ALIGN_BITS_MIN; bits <= DSFS_ALIGN_BITS_MAX; bits += 3)
		one_run(bits, 0, 5000);
	one_run(16, 0, 5000);
	one_run(9, 16, 5000);
	one_run(12, 16, 5000);
	one_run(12, 22, 20000);
	one_run(21, 16, 5000);
	test_large_alone();
	test_resize();
	test_imagenet();
	test_fill();
}
