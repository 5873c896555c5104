// SPDX-License-Identifier: GPL-2.0
/*
 * The geometry of a superblock, and the choice between two.  Defects are in cases_super.h.
 */
#include "cases_super.h"
#include "unit.h"

static void test_super_values(void)
{
	struct dsfs_super s;
	struct dsfs_geo geo;
	unsigned int i;
	bool zero;

	dsfs_case_super(&s);
	s.generation = cpu_to_le64(0x1122334455667788ULL);
	s.build_time = cpu_to_le64(-5ULL);
	s.content_bytes = cpu_to_le64(1ULL << 60);
	s.stored_bytes = cpu_to_le64(3);
	s.files = cpu_to_le64(4);
	s.compat = cpu_to_le64(DSFS_COMPAT_ARCHIVES);
	s.object_bits = 22;
	s.large_bits = 12;
	memset(s.uuid, 0xa5, sizeof(s.uuid));
	memset(s.label, 'L', sizeof(s.label));
	s.checksum = cpu_to_le32(dsfs_super_sum(&s));
	memset(&geo, 0xee, sizeof(geo));
	ANSWER(dsfs_super_decode(&s, 0, &geo, &err), 0, NULL, "super: decoded");
	OK(geo.generation == 0x1122334455667788ULL && geo.build_time == -5 &&
	   geo.content_bytes == 1ULL << 60 && geo.stored_bytes == 3 && geo.files == 4 &&
	   geo.compat == DSFS_COMPAT_ARCHIVES && geo.incompat == DSFS_INCOMPAT_COMPRESSED &&
	   geo.object_bits == 22 && geo.chunk_bits == 15 && geo.small_bits == 15 &&
	   geo.large_bits == 12 && dsfs_chunk_bits(&geo, 1 << 20) == 15 &&
	   dsfs_chunk_bits(&geo, (1 << 20) + 1) == 12 && geo.align_bits == 12 &&
	   geo.sums_checksum == 0x12345678, "super: values");
	OK(!memcmp(&geo.root, &s.root, sizeof(s.root)), "super: the root, as it is stored");
	OK(geo.data_start == DSFS_DATA_START_MIN &&
	   geo.data_end == CASE_META && geo.meta_start == CASE_META &&
	   geo.meta_bytes == CASE_META_BYTES &&
	   geo.image_bytes == CASE_IMAGE, "super: areas");
	OK(geo.inodes == CASE_INODES && geo.dirs == CASE_DIRS &&
	   geo.buckets == CASE_BUCKETS && geo.owners == CASE_OWNERS &&
	   geo.extras == CASE_EXTRAS && geo.extents == CASE_EXTENTS &&
	   geo.chunksums == 10 && geo.units == CASE_UNITS,
	   "super: counts");
	OK(strlen((char *)geo.label) == 64 && geo.label[63] == 'L',
	   "super: label of 64 bytes, terminated");
	for (i = 0; i < DSFS_REGIONS_USED; i++)
		OK(geo.regions[i].pos == CASE_META + CASE_START(i) &&
		   geo.regions[i].bytes == dsfs_case_region_bytes[i], "super: region %u", i);
	for (zero = true; i < DSFS_REGIONS; i++)
		zero &= !geo.regions[i].bytes;
	OK(zero, "super: no other region");
}

static void test_super_sum(void)
{
	struct dsfs_super s;
	unsigned int i;
	bool covers = true;
	u32 sum;

	dsfs_case_super(&s);
	sum = dsfs_super_sum(&s);
	for (i = 0; i < sizeof(s); i++) {
		((u8 *)&s)[i] ^= 0x40;
		covers &= (dsfs_super_sum(&s) == sum) == (i >= 4 && i < 8);
		((u8 *)&s)[i] ^= 0x40;
	}
	OK(covers, "super: checksum covers every byte but its own");
	s.checksum = 0;
	OK(dsfs_crc32c(0, &s, sizeof(s)) == sum,
	   "super: checksum is that with the field zero");
}

/* A good slot. */
static void set_slot(struct dsfs_slot *slot, u64 generation)
{
	dsfs_case_super(&slot->raw);
	slot->raw.generation = cpu_to_le64(generation);
	slot->raw.checksum = cpu_to_le32(dsfs_super_sum(&slot->raw));
	slot->ret = dsfs_super_decode(&slot->raw, 0, &slot->geo, &slot->err);
}

static void fail_slot(struct dsfs_slot *slot, int ret)
{
	slot->ret = dsfs_bad(&slot->err, "a reason", 1, 2, ret);
}

static void test_super_choose(void)
{
	struct dsfs_slot slots[2] = {};
	int use;

	set_slot(&slots[0], 5);
	set_slot(&slots[1], 5);
	OK(!dsfs_super_choose(slots, &use, &err) && use == 0, "choose: alike");
	set_slot(&slots[1], 6);
	OK(!dsfs_super_choose(slots, &use, &err) && use == 1, "choose: second is newer");
	set_slot(&slots[0], 7);
	OK(!dsfs_super_choose(slots, &use, &err) && use == 0, "choose: first is newer");

	set_slot(&slots[1], 7);
	slots[1].raw.label[0] ^= 1;
	OK(dsfs_super_choose(slots, &use, &err) == -EUCLEAN && use == 0 &&
	   !strcmp(err.what, "superblocks of one generation differ"), "choose: they differ");

	fail_slot(&slots[1], -EBADMSG);
	OK(!dsfs_super_choose(slots, &use, &err) && use == 0, "choose: second is damaged");
	set_slot(&slots[1], 7);
	fail_slot(&slots[0], -EIO);
	OK(!dsfs_super_choose(slots, &use, &err) && use == 1, "choose: first is unreadable");

	set_slot(&slots[0], 8);
	fail_slot(&slots[0], -EOPNOTSUPP);
	OK(dsfs_super_choose(slots, &use, &err) == -EOPNOTSUPP &&
	   !strcmp(err.what, "a reason"), "choose: newer one with an unknown feature");
	set_slot(&slots[0], 6);
	fail_slot(&slots[0], -EOPNOTSUPP);
	OK(!dsfs_super_choose(slots, &use, &err) && use == 1,
	   "choose: older one with an unknown feature");

	fail_slot(&slots[0], -EINVAL);
	fail_slot(&slots[1], -EBADMSG);
	OK(dsfs_super_choose(slots, &use, &err) == -EBADMSG && use == -1,
	   "choose: none, the second tells more");
	fail_slot(&slots[0], -EUCLEAN);
	OK(dsfs_super_choose(slots, &use, &err) == -EUCLEAN && use == -1,
	   "choose: none, the first tells it");
}

/* The longest regions, which no small image has room for. */
static void test_super_extreme(void)
{
	const u64 meta = DSFS_META_MAX;
	const u64 blocks = meta >> DSFS_BLOCK_BITS;
	struct dsfs_super s;
	struct dsfs_geo geo;
	u64 at = 0, bytes;
	unsigned int i;

	dsfs_case_super(&s);
	s.image_bytes = cpu_to_le64(DSFS_MAX_OFFSET - DSFS_BLOCK_SIZE);
	s.meta_start = cpu_to_le64(DSFS_MAX_OFFSET - DSFS_BLOCK_SIZE - meta);
	s.data_end = s.meta_start;
	s.meta_bytes = cpu_to_le64(meta);
	s.regions[DSFS_REGION_BLOCKSUMS].bytes = cpu_to_le64(4 * blocks);
	s.regions[DSFS_REGION_DIRS].bytes = cpu_to_le64(64 * 0xfffffffeULL);
	s.regions[DSFS_REGION_NAMES].bytes = cpu_to_le64(4ULL << 32);
	s.regions[DSFS_REGION_NUMBERS].bytes = cpu_to_le64(4ULL << (34 - DSFS_BLOCK_BITS));
	s.regions[DSFS_REGION_OWNERS].bytes = cpu_to_le64(8 * 0xffffffffULL);
	s.regions[DSFS_REGION_EXTRAS].bytes = cpu_to_le64(32 * 0xffffffffULL);
	s.regions[DSFS_REGION_EXTENTS].bytes = cpu_to_le64(16 * 0xffffffffULL);
	s.regions[DSFS_REGION_CHUNKSUMS].bytes = cpu_to_le64(4ULL << 32);
	s.regions[DSFS_REGION_UNITS].bytes = cpu_to_le64(4ULL << 32);
	for (i = 0; i < DSFS_REGIONS_USED; i++) {
		bytes = le64_to_cpu(s.regions[i].bytes);
		s.regions[i].start = cpu_to_le64(at);
		at += (bytes + DSFS_BLOCK_SIZE - 1) & ~(u64)(DSFS_BLOCK_SIZE - 1);
	}
	s.inodes = cpu_to_le64(0xffffffff);
	s.checksum = cpu_to_le32(dsfs_super_sum(&s));
	ANSWER(dsfs_super_decode(&s, 0, &geo, &err), 0, NULL,
	       "super: longest regions");
	OK(geo.inodes == 0xffffffff && geo.dirs == 0xfffffffe &&
	   geo.extras == 0xffffffff && geo.extents == 0xffffffff &&
	   geo.owners == 0xffffffff && geo.chunksums == 1ULL << 32 &&
	   geo.units == 1ULL << 32,
	   "super: highest counts");
	s.inodes = cpu_to_le64(1ULL << 32);
	s.checksum = cpu_to_le32(dsfs_super_sum(&s));
	ANSWER(dsfs_super_decode(&s, 0, &geo, &err), -EUCLEAN, "number of inodes",
	       "super: inode numbers past 2^32-2");
}

TESTS(super)
{
	test_super_values();
	test_super_sum();
	test_super_choose();
	test_super_extreme();
}
