/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test cases of previous generations: the rules of history.c, one defect each
 */
#ifndef FORMAT_CASES_HISTORY_H
#define FORMAT_CASES_HISTORY_H

#include "cases_super.h"

/* Superblock of another generation, at another place */
static inline void dsfs_case_generation(struct dsfs_super *s, u64 generation,
					u64 start)
{
	dsfs_case_super(s);
	s->generation = cpu_to_le64(generation);
	s->data_end = cpu_to_le64(start);
	s->meta_start = cpu_to_le64(start);
	s->image_bytes = cpu_to_le64(start + DSFS_CASE_META_BYTES);
	s->checksum = cpu_to_le32(dsfs_super_sum(s));
}

static inline int dsfs_case_history_read(void *arg, u64 pos,
					 struct dsfs_super *raw)
{
	memcpy(raw, arg, sizeof(*raw));
	return 0;
}

/*
 * Generation 3 begins where generation 2 ends. The case patches the superblock
 * of generation 2. @buf has room for that superblock and for the slot that is
 * read.
 */
static inline int dsfs_case_run_history(const struct dsfs_case *c, void *buf,
					struct dsfs_geo *geo,
					struct dsfs_err *err)
{
	struct dsfs_super *s = buf;
	struct dsfs_slot *older = buf + 2 * DSFS_SB_SIZE;
	int ret;

	dsfs_case_generation(s, 3, DSFS_CASE_IMAGE);
	ret = dsfs_super_decode(s, 0, geo, err);
	if (ret)
		return ret;
	dsfs_case_generation(s, 2, DSFS_CASE_META);
	dsfs_case_patch(s, c);
	if (c->base == DSFS_CASE_SUMMED)
		s->checksum = cpu_to_le32(dsfs_super_sum(s));
	ret = dsfs_history_next(geo, c->arg, dsfs_case_history_read, s, older);
	*err = older->err;
	return ret == 1 ? older->ret : ret;
}

#define SB(n, f, v)		DSFS_P(n, dsfs_super, f, v)

static const struct dsfs_case dsfs_history_cases[] = {
	{ "history: good" },
	{ "history: written to the other slot", .patch = { SB(1, slot, 1) } },
	{ "history: two generations back", .patch = { SB(8, generation, 1) } },
	{ "history: checksum", DSFS_CASE_UNSUMMED, .patch = { SB(1, label, 1) },
	  .ret = -EBADMSG, .what = "superblock checksum" },
	{ "history: unknown feature", .patch = { SB(8, incompat, 1) },
	  .ret = -EOPNOTSUPP, .what = "unknown incompat feature bits" },
	{ "history: longer than the device", .arg = DSFS_CASE_IMAGE - 4096,
	  .ret = -EFBIG, .what = "image longer than the device" },
	{ "history: of another image", .patch = { DSFS_P8(dsfs_super, uuid, 15, 1) },
	  .ret = DSFS_BAD, .what = "UUID of the history" },
	{ "history: the same generation", .patch = { SB(8, generation, 3) },
	  .ret = DSFS_BAD, .what = "generation of the history" },
	{ "history: a higher generation", .patch = { SB(8, generation, 4) },
	  .ret = DSFS_BAD, .what = "generation of the history" },
	{ "history: ends behind what came later",
	  .patch = { SB(8, image_bytes, DSFS_CASE_IMAGE + 4096) },
	  .ret = DSFS_BAD, .what = "end of an older generation" },
};

#undef SB

#endif /* FORMAT_CASES_HISTORY_H */
