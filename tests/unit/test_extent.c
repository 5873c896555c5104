// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping of offsets in files to stored data and checksums.
 */
#include "unit.h"

#define K	1024ULL

struct extent {
	u64 logical, stored;
};

/* A file with holes, and what its map has to look like: `d` or `h` and a length. */
struct shape {
	const char *name;
	u64 size, stored;
	struct extent extents[5];
	const char *map;
};

static const struct shape shapes[] = {
	{ "one hole", 1 << 20, 0, {}, "h1048576" },
	{ "one byte of hole", 1, 0, {}, "h1" },
	{ "hole of 2^48-1", (1ULL << 48) - 1, 0, {}, "h281474976710655" },
	{ "data first", 100 * K, 8 * K, { { 0, 0 } }, "d8192 h94208" },
	{ "data last", 100 * K, 8 * K, { { 92 * K, 0 } }, "h94208 d8192" },
	{ "data last, tail", 100 * K + 1, 8 * K + 1, { { 92 * K, 0 } },
	  "h94208 d8193" },
	{ "tail alone", 96 * K + 5, 5, { { 96 * K, 0 } }, "h98304 d5" },
	{ "both ends", 100 * K, 12 * K, { { 0, 0 }, { 96 * K, 8 * K } },
	  "d8192 h90112 d4096" },
	{ "middle", 100 * K, 4 * K, { { 48 * K, 0 } }, "h49152 d4096 h49152" },
	{ "five", 72 * K, 40 * K, { { 0, 0 }, { 16 * K, 8 * K },
				     { 32 * K, 16 * K }, { 48 * K, 24 * K },
				     { 64 * K, 32 * K } },
	  "d8192 h8192 d8192 h8192 d8192 h8192 d8192 h8192 d8192" },
	{ "touching extents", 32 * K, 16 * K, { { 8 * K, 0 }, { 16 * K, 8 * K } },
	  "h8192 d8192 d8192 h8192" },
	{ "1 TiB with a block", 1ULL << 40, 4 * K, { { 1ULL << 39, 0 } },
	  "h549755813888 d4096 h549755809792" },
};

static void shape_add(const struct shape *s, struct dsfs_attr *a, struct dsfs_extra_info *extra)
{
	struct dsfs_extent_record raw;
	unsigned int i;

	memset(a, 0, sizeof(*a));
	memset(extra, 0, sizeof(*extra));
	a->mode = S_IFREG;
	a->flags = DSFS_INODE_HOLES;
	a->size = s->size;
	extra->stored = s->stored;
	/* someone else's in front */
	bld_add(&src, DSFS_REGION_EXTENTS, "0123456789abcdef", sizeof(raw), 16);
	for (i = 0; i < 5 && (!i ? s->stored : s->extents[i].logical); i++) {
		raw.logical = cpu_to_le64(s->extents[i].logical);
		raw.stored = cpu_to_le64(s->extents[i].stored);
		bld_add(&src, DSFS_REGION_EXTENTS, &raw, sizeof(raw), 16);
	}
	extra->extents = i;
	extra->first_extent = i ? src.geo.extents - i : 0;
}

static void test_shape(const struct shape *s)
{
	struct dsfs_extra_info extra;
	struct dsfs_mapping mapping, part, step;
	struct dsfs_attr a;
	char map[200] = "";
	u64 pos, stored = 0, at;
	bool right = true;

	bld_init(&src);
	shape_add(s, &a, &extra);
	for (pos = 0; pos < a.size; pos += mapping.len) {
		if (dsfs_map(&src, &a, &extra, pos, &mapping, &err) || !mapping.len) {
			right = false;
			break;
		}
		/* The next one, without a search, is the same. */
		if (pos)
			right &= !dsfs_map_next(&src, &a, &extra, &step, &err) &&
				 step.logical == mapping.logical &&
				 step.len == mapping.len && step.hole == mapping.hole &&
				 step.stored == mapping.stored;
		step = mapping;
		snprintf(map + strlen(map), sizeof(map) - strlen(map), "%s%c%llu",
			 pos ? " " : "", mapping.hole ? 'h' : 'd',
			 (unsigned long long)mapping.len);
		right &= mapping.logical == pos && mapping.stored == stored;
		/* From within and from the last byte it is the same mapping. */
		at = pos + mapping.len / 2;
		right &= !dsfs_map(&src, &a, &extra, at, &part, &err) &&
			 part.hole == mapping.hole && part.logical == at &&
			 part.len == pos + mapping.len - at &&
			 part.stored == stored + (mapping.hole ? 0 : at - pos);
		at = pos + mapping.len - 1;
		right &= !dsfs_map(&src, &a, &extra, at, &part, &err) &&
			 part.hole == mapping.hole && part.len == 1;
		stored += mapping.hole ? 0 : mapping.len;
	}
	OK(right && stored == s->stored && !bld_held, "map: %s: mappings", s->name);
	if (!OK(!strcmp(map, s->map), "map: %s", s->name))
		tap_note("map is %s, expected %s", map, s->map);
	bld_free(&src);
}

/* A walk over many extents takes the same for each, wherever it is. */
static void test_walk(void)
{
	const u32 count = 5000;
	struct dsfs_attr a = { .mode = S_IFREG, .flags = DSFS_INODE_HOLES,
			       .size = count * 16 * K };
	struct dsfs_extra_info extra = { .extents = count, .stored = count * 8 * K };
	struct dsfs_extent_record raw;
	struct dsfs_mapping mapping;
	unsigned int mappings = 1, most = 0, gets;
	bool right;
	u32 i;

	bld_init(&src);
	for (i = 0; i < count; i++) {
		raw.logical = cpu_to_le64(i * 16 * K);
		raw.stored = cpu_to_le64(i * 8 * K);
		bld_add(&src, DSFS_REGION_EXTENTS, &raw, sizeof(raw), 16);
	}
	right = !dsfs_map(&src, &a, &extra, 0, &mapping, &err);
	while (right && mapping.logical + mapping.len < a.size) {
		gets = src.gets;
		right = !dsfs_map_next(&src, &a, &extra, &mapping, &err);
		if (src.gets - gets > most)
			most = src.gets - gets;
		mappings++;
	}
	OK(right && mappings == 2 * count, "walk: all mappings of %u extents", count);
	if (!OK(most && most <= 6, "walk: without a search"))
		tap_note("a step reads up to %u extents", most);
	bld_free(&src);
}

static void test_plain(void)
{
	struct dsfs_attr a = { .mode = S_IFREG, .size = (1ULL << 48) - 1 };
	struct dsfs_extra_info extra = {};
	struct dsfs_mapping mapping;

	bld_init(&src);
	ANSWER(dsfs_map(&src, &a, &extra, 0, &mapping, &err), 0, NULL, "map: plain");
	OK(!mapping.hole && !mapping.stored && !mapping.logical && mapping.len == a.size,
	   "map: plain, whole");
	ANSWER(dsfs_map(&src, &a, &extra, a.size - 1, &mapping, &err), 0, NULL,
	       "map: plain, last byte");
	OK(!mapping.hole && mapping.stored == a.size - 1 && mapping.len == 1,
	   "map: plain, last byte is itself");
	OK(!src.gets, "map: plain, reads no metadata");
	bld_free(&src);
}

struct bad_shape {
	struct shape s;
	u64 pos;
	const char *what;
};

static const struct bad_shape bad_shapes[] = {
	{ { "odd logical", 100 * K, 8 * K, { { 512, 0 } } }, 600,
	  "alignment of an extent" },
	{ { "odd stored", 100 * K, 12 * K, { { 0, 0 }, { 16 * K, 8 * K + 1 } } },
	  16 * K, "alignment of an extent" },
	{ { "first stores behind", 100 * K, 8 * K, { { 16 * K, 4 * K } } }, 16 * K,
	  "alignment of an extent" },
	{ { "empty extent", 100 * K, 8 * K, { { 0, 0 }, { 16 * K, 0 } } }, 0,
	  "stored bytes of an extent" },
	{ { "extent stores backwards", 100 * K, 16 * K,
	    { { 0, 0 }, { 16 * K, 12 * K }, { 32 * K, 8 * K } } }, 16 * K,
	  "stored bytes of an extent" },
	{ { "last one empty", 100 * K, 8 * K, { { 0, 0 }, { 16 * K, 8 * K } } },
	  16 * K, "stored bytes of an extent" },
	{ { "stores behind the end", 100 * K, 8 * K,
	    { { 0, 0 }, { 16 * K, 16 * K } } }, 0,
	  "stored bytes of an extent" },
	{ { "logical behind the end", 100 * K, 8 * K, { { 100 * K, 0 } } }, 0,
	  "end of an extent" },
	{ { "logical 2^64-4096", 100 * K, 8 * K, { { ~0ULL << 12, 0 } } }, 0,
	  "end of an extent" },
	{ { "ends behind the file", 100 * K, 8 * K, { { 96 * K, 0 } } }, 96 * K,
	  "end of an extent" },
	{ { "tail in the middle", 100 * K, 4 * K + 1, { { 0, 0 } } }, 0,
	  "length of an extent" },
	{ { "overlap", 100 * K, 16 * K, { { 0, 0 }, { 4 * K, 8 * K } } }, 0,
	  "order of extents" },
	{ { "equal", 100 * K, 16 * K, { { 4 * K, 0 }, { 4 * K, 8 * K } } }, 0,
	  "order of extents" },
	{ { "backwards", 100 * K, 12 * K,
	    { { 32 * K, 0 }, { 64 * K, 4 * K }, { 16 * K, 8 * K } } }, 70 * K,
	  "order of extents" },
};

static void test_bad_shapes(void)
{
	const struct bad_shape *b;
	struct dsfs_extra_info extra;
	struct dsfs_attr a;
	struct dsfs_mapping mapping;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_shapes); i++) {
		b = &bad_shapes[i];
		bld_init(&src);
		shape_add(&b->s, &a, &extra);
		memset(&mapping, 0, sizeof(mapping));
		ANSWER(dsfs_map(&src, &a, &extra, b->pos, &mapping, &err),
		       b->what ? -EUCLEAN : 0, b->what, "map: bad: %s", b->s.name);
		bld_free(&src);
	}
}

/* However the extents are, a map ends, goes forward and stays in the file. */
static void test_random_extents(void)
{
	struct dsfs_extra_info extra;
	struct dsfs_attr a;
	struct dsfs_mapping mapping, step;
	unsigned int round, i, bad = 0, good = 0;
	struct shape s = { "random", 64 * K, 20 * K, {}, "" };
	u64 pos;

	srandom(1);
	for (round = 0; round < 20000; round++) {
		bld_init(&src);
		for (i = 0; i < 5; i++) {
			s.extents[i].logical = (random() % 17) * 4 * K;
			s.extents[i].stored = i * 4 * K;
			if (!(random() % 16))
				s.extents[i].stored = (random() % 17) * 2 * K;
		}
		shape_add(&s, &a, &extra);
		for (pos = 0; pos < a.size; pos += mapping.len) {
			if (dsfs_map(&src, &a, &extra, pos, &mapping, &err))
				break;
			/* What says where it is may be wrong as well. */
			step = mapping;
			step.extent = random() % 7;
			if (mapping.logical + mapping.len < a.size &&
			    !dsfs_map_next(&src, &a, &extra, &step, &err))
				bad += !step.len ||
				       step.len > a.size - step.logical;
			bad += !mapping.len || mapping.logical != pos ||
			       mapping.len > a.size - pos ||
			       (!mapping.hole && (mapping.stored >= extra.stored ||
						  mapping.len > extra.stored - mapping.stored));
			if (!mapping.len)
				break;
		}
		good += pos == a.size;
		bad += !!bld_held;
		bld_free(&src);
	}
	OK(!bad && good, "map: random extents keep to the file");
}

static void test_map_io(void)
{
	struct dsfs_extra_info extra;
	struct dsfs_attr a;
	struct dsfs_mapping mapping;
	unsigned int bad = 0;
	int n, ret;

	bld_init(&src);
	shape_add(&shapes[9], &a, &extra);
	for (n = 0; n < 20; n++) {
		bld_fail(&src, n, -EBADMSG);
		ret = dsfs_map(&src, &a, &extra, 33 * K, &mapping, &err);
		bad += bld_held || (ret && ret != -EBADMSG) ||
		       (!ret && src.fail_after < 0);
	}
	OK(!bad, "map: errors of reading come out");
	extra.first_extent++;
	ANSWER(dsfs_map(&src, &a, &extra, 71 * K, &mapping, &err), -EUCLEAN, "extent record",
	       "map: extent past the region");
	bld_free(&src);
}

/* What the inode says, by the size of the file and the chunk; @error: of the only read */
static const struct {
	const char *name;
	u32 of_inode;
	u64 size, chunk;
	u8 chunk_bits, small_bits;
	u32 sum;
	const char *what;
	int error;
} sums[] = {
	{ "file of a byte", 0xaabbccdd, 1, 0, 15, 15, 0xaabbccdd },
	{ "file of a chunk", 0xaabbccdd, 32768, 0, 15, 15, 0xaabbccdd, .error = -EIO },
	{ "file of two chunks, first", 2, 32769, 0, 15, 15, 22 },
	{ "file of two chunks, second", 2, 32769, 1, 15, 15, 33 },
	{ "past the region", 2, 1 << 20, 2, 15, 15, 0, "chunk checksum" },
	{ "index of 2^33", 0xaabbccdd, 1ULL << 47, 1ULL << 32, 15, 15, 0, "chunk checksum" },
	{ "table cannot be read", 2, 40000, 0, 15, 15, 0, "chunk checksum", -EIO },
	{ "chunks of 4 KiB", 2, 4097, 1, 12, 12, 33 },
	{ "small file", 0xaabbccdd, 1 << 18, 0, 12, 18, 0xaabbccdd },
	{ "file that is not small", 2, (1 << 18) + 1, 1, 12, 18, 33 },
};

static void test_sums(void)
{
	__le32 chunks[4] = { 0, 0, cpu_to_le32(22), cpu_to_le32(33) };

	bld_init(&src);
	bld_add(&src, DSFS_REGION_CHUNKSUMS, chunks, sizeof(chunks), 4);
	for (unsigned int i = 0; i < ARRAY_SIZE(sums); i++) {
		struct dsfs_attr a = { .mode = S_IFREG, .sum = sums[i].of_inode };
		const int error = sums[i].error ? sums[i].error : -EUCLEAN;
		u32 sum = 0;

		src.geo.chunk_bits = sums[i].chunk_bits;
		src.geo.small_bits = sums[i].small_bits;
		bld_fail(&src, sums[i].error ? 0 : -1, sums[i].error);
		ANSWER(dsfs_chunk_sum(&src, &a, sums[i].size, sums[i].chunk, &sum, &err),
		       sums[i].what ? error : 0, sums[i].what, "sum: %s", sums[i].name);
		if (!sums[i].what)
			OK(sum == sums[i].sum, "sum: %s: its value", sums[i].name);
	}
	bld_free(&src);
}

TESTS(extent)
{
	unsigned int i;

	test_plain();
	test_walk();
	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		test_shape(&shapes[i]);
	test_bad_shapes();
	test_random_extents();
	test_map_io();
	test_sums();
}
