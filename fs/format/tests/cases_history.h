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
	s->image_bytes = cpu_to_le64(start + CASE_META_BYTES);
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
static inline int dsfs_case_run_history(const struct dsfs_case *c, void *buf, struct dsfs_geo *geo,
					struct dsfs_err *err)
{
	struct dsfs_super *s = buf;
	struct dsfs_slot *older = buf + 2 * DSFS_SB_SIZE;
	int ret;

	dsfs_case_generation(s, 3, CASE_IMAGE);
	ret = dsfs_super_decode(s, 0, geo, err);
	if (ret)
		return ret;
	dsfs_case_generation(s, 2, CASE_META);
	dsfs_case_patch(s, c);
	if (c->base == CASE_SUMMED)
		s->checksum = cpu_to_le32(dsfs_super_sum(s));
	ret = dsfs_history_next(geo, c->arg, dsfs_case_history_read, s, older);
	*err = older->err;
	return ret == 1 ? older->ret : ret;
}

#define SB(f, v)		DSFS_P(v, struct dsfs_super, f)

static const struct dsfs_case dsfs_history_cases[] = {
	{ "good" },
	{ "two generations back", 0, NULL, { SB(generation, 1) } },
	{ "checksum", CASE_UNSUMMED, "superblock checksum", { SB(label[0], 1) }, .ret = -EBADMSG },
	{ "unknown feature", 0, "unknown incompat feature bits",
	  { SB(incompat, DSFS_INCOMPAT_KNOWN + 1) }, .ret = -EOPNOTSUPP },
	{ "longer than the device", 0, "image longer than the device",
	  .arg = CASE_IMAGE - 4096, .ret = -EFBIG },
	{ "another UUID", 0, NULL, { SB(uuid[15], 1) } },
	{ "the same generation", 0, "generation of the history", { SB(generation, 3) } },
	{ "a higher generation", 0, "generation of the history", { SB(generation, 4) } },
	{ "with metadata that the later one has, too", 0, NULL,
	  { SB(image_bytes, CASE_IMAGE + CASE_META_BYTES), SB(data_end, CASE_IMAGE),
	    SB(meta_start, CASE_IMAGE) } },
	{ "ends behind what came later", 0, "end of an older generation",
	  { SB(image_bytes, CASE_IMAGE + 4096) } },
};

#undef SB

#endif /* FORMAT_CASES_HISTORY_H */
