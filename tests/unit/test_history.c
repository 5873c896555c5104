// SPDX-License-Identifier: GPL-2.0
/*
 * The chain of generations, and i_generation.  Defects of a single step are in
 * cases_history.h.
 */
#include "cases_history.h"
#include "unit.h"

#define LAST		6
#define START(g)	(CASE_META + ((g) - 1) * CASE_META_BYTES)

/* An image of LAST generations, by their superblocks alone. */
struct chain {
	struct dsfs_super raw[LAST + 1];
	unsigned int reads;
	unsigned int fail;
};

static int chain_read(void *arg, u64 pos, struct dsfs_super *raw)
{
	struct chain *c = arg;

	c->reads++;
	if (c->reads == c->fail)
		return -EIO;
	for (unsigned int g = 2; g <= LAST; g++) {
		if (pos != START(g) +
		    CASE_BLOCK(DSFS_REGION_HISTORY) * DSFS_BLOCK_SIZE)
			continue;
		*raw = c->raw[g - 1];
		return 0;
	}
	return -ENXIO;
}

static void seal(struct dsfs_super *s)
{
	s->checksum = cpu_to_le32(dsfs_super_sum(s));
}

static void make_chain(struct chain *c, struct dsfs_slot *newest)
{
	memset(c, 0, sizeof(*c));
	memset(newest, 0, sizeof(*newest));
	for (unsigned int g = 1; g <= LAST; g++)
		dsfs_case_generation(&c->raw[g], g, START(g));
	/* the first has nothing before it */
	memset(&c->raw[1].regions[DSFS_REGION_HISTORY], 0,
	       sizeof(struct dsfs_region));
	seal(&c->raw[1]);
	newest->raw = c->raw[LAST];
	if (dsfs_super_decode(&newest->raw, 0, &newest->geo, &newest->err))
		OK(false, "history: the newest decodes");
}

static void test_find(void)
{
	struct dsfs_slot newest, found;
	struct chain c;

	make_chain(&c, &newest);
	for (u64 g = 1; g <= LAST; g++) {
		c.reads = 0;
		OK(!dsfs_history_find(&newest, g, START(LAST + 1), chain_read,
				      &c, &found) &&
		   found.geo.generation == g &&
		   found.geo.meta_start == START(g) &&
		   !memcmp(&found.raw, &c.raw[g], sizeof(found.raw)) &&
		   c.reads == LAST - g, "history: generation %llu found", g);
	}
	OK(dsfs_history_find(&newest, 0, 0, chain_read, &c, &found) == -ENOENT &&
	   !strcmp(found.err.what, "generation that is not kept") &&
	   found.err.limit == 1, "history: before the oldest, which is named");
	OK(dsfs_history_find(&newest, LAST + 1, 0, chain_read, &c, &found) ==
	   -ENOENT && found.err.limit == LAST, "history: one not there yet");
	/* cut off behind 4: what is older is not kept */
	memset(&c.raw[4].regions[DSFS_REGION_HISTORY], 0,
	       sizeof(struct dsfs_region));
	seal(&c.raw[4]);
	OK(dsfs_history_find(&newest, 3, 0, chain_read, &c, &found) ==
	   -ENOENT && found.err.limit == 4, "history: one no more there");
}

static void test_broken(void)
{
	struct dsfs_slot newest, found;
	struct chain c;

	make_chain(&c, &newest);
	c.raw[3].label[0] = 1;
	OK(!dsfs_history_find(&newest, 4, 0, chain_read, &c, &found),
	   "history: what is in front of a bad one");
	OK(dsfs_history_find(&newest, 3, 0, chain_read, &c, &found) == -EBADMSG &&
	   found.ret == -EBADMSG, "history: a bad one");
	OK(dsfs_history_find(&newest, 1, 0, chain_read, &c, &found) == -EBADMSG,
	   "history: nothing behind a bad one");
	make_chain(&c, &newest);
	c.fail = 2;
	OK(dsfs_history_find(&newest, 1, 0, chain_read, &c, &found) == -EIO &&
	   c.reads == 2, "history: one that cannot be read");
	/* round in a circle: 3 leads to 5 */
	make_chain(&c, &newest);
	c.raw[2] = c.raw[5];
	OK(dsfs_history_find(&newest, 1, 0, chain_read, &c, &found) == -EUCLEAN &&
	   c.reads == 4, "history: no circle");
}

static u32 igeneration(const struct dsfs_super *raw)
{
	struct dsfs_geo geo;

	return dsfs_super_decode(raw, 0, &geo, &err) ? 0 : geo.igeneration;
}

static void test_igeneration(void)
{
	struct dsfs_super s;
	unsigned int i, same = 0, zero = 0;
	u32 first = 0, now, last = 0;

	dsfs_case_super(&s);
	for (i = 1; i <= 3U << DSFS_IGEN_BITS; i++, last = now) {
		s.generation = cpu_to_le64(i);
		seal(&s);
		now = igeneration(&s);
		first = i == 1 ? now : first;
		same += now == last || (i > 1 && i <= 1U << DSFS_IGEN_BITS &&
					now == first);
		zero += !now;
	}
	OK(!same, "igeneration: later ones differ");
	OK(!zero, "igeneration: never 0");
	dsfs_case_super(&s);
	now = igeneration(&s);
	s.sums_checksum = cpu_to_le32(99);
	seal(&s);
	last = igeneration(&s);
	OK(last != now, "igeneration: other contents with the same number");
	s.uuid[0] = 1;
	seal(&s);
	OK(igeneration(&s) != last, "igeneration: another image");
}

/* Superblocks are tried until one has no bit set that is kept: some build time. */
static void test_igeneration_zero(void)
{
	const u32 mask = (1U << DSFS_IGEN_BITS) - 1;
	struct dsfs_super s;
	u64 t = 0;

	dsfs_case_super(&s);
	s.generation = cpu_to_le64(1ULL << DSFS_IGEN_BITS);
	do {
		s.build_time = cpu_to_le64(++t);
	} while (dsfs_crc32c(0, (u8 *)&s + offsetof(struct dsfs_super, version),
			     sizeof(s) - offsetof(struct dsfs_super, version)) &
		 ~mask);
	seal(&s);
	OK(igeneration(&s) == ~mask, "igeneration: what would be 0 is not");
}

TESTS(history)
{
	test_find();
	test_broken();
	test_igeneration();
	test_igeneration_zero();
}
