// SPDX-License-Identifier: GPL-2.0
/* The superblock, the choice between two, and older generations: super.c, history.c */
#include "proof.c"

int stub_super_decode(const struct dsfs_super *raw, u64 device_bytes, struct dsfs_geo *geo,
		      struct dsfs_err *err)
{
	const int ret = any(int);

	assert(__CPROVER_r_ok(raw, sizeof(*raw)));
	*geo = any(struct dsfs_geo);
	err->what = any(const char *);
	assume(ret <= 0 && (!ret || err->what));
	assume(ret || geo_good(geo));
	return ret;
}

/* What is accepted lies in the image, and holds what all other harnesses assume. */
void proof_super_decode(void)
{
	struct dsfs_super raw;
	const u64 device = any(u64);
	struct dsfs_err err = {};
	struct dsfs_geo geo;
	int ret;

	ret = dsfs_super_decode(&raw, device, &geo, &err);
	assert(ret <= 0);
	said(ret, &err);
	if (ret)
		return;
	assert(geo_good(&geo));
	assert(geo.generation);
	assert(geo.igeneration);
	assert(!device || geo.image_bytes <= device);
	assert(!geo.label[DSFS_LABEL_MAX]);
}

/* A region of any bytes in metadata of any place: what is accepted lies in it. */
void proof_region_decode(void)
{
	const unsigned int id = any(unsigned int);
	struct dsfs_super raw;
	struct dsfs_geo geo;
	struct dsfs_err err = {};
	int ret;

	assume(id < DSFS_REGIONS && areas_good(&geo));
	ret = dsfs_region_decode(&raw, id, &geo, &err);
	assert(ret <= 0);
	said(ret, &err);
	assert(ret || region_good(&geo, id));
}

int stub_region_decode(const struct dsfs_super *raw, unsigned int id, struct dsfs_geo *geo,
		       struct dsfs_err *err)
{
	const int ret = any(int);

	assert(id < DSFS_REGIONS && areas_good(geo));
	geo->regions[id] = any(struct dsfs_region_info);
	err->what = any(const char *);
	assume(ret <= 0 && (!ret || err->what));
	assume(ret || region_good(geo, id));
	return ret;
}

/*
 * No byte of metadata is part of two regions. All others are empty: they are compared in the same
 * way, and what is refused for one of them is not accepted.
 */
void proof_regions_disjoint(void)
{
	const unsigned int a = any(unsigned int), b = any(unsigned int);
	struct dsfs_geo geo;
	const struct dsfs_region_info *r = geo.regions;
	unsigned int i;
	struct dsfs_err err = {};
	const u64 byte = any(u64);
	int ret;

	assume(a < DSFS_REGIONS && b < DSFS_REGIONS && a != b);
	for (i = 0; i < DSFS_REGIONS; i++)
		assume(i == a || i == b ? region_good(&geo, i) : !r[i].bytes);
	assume(areas_good(&geo));
	ret = dsfs_regions_disjoint(&geo, &err);
	assert(ret <= 0);
	said(ret, &err);
	if (!ret && byte >= r[a].pos && byte - r[a].pos < r[a].bytes)
		assert(byte < r[b].pos || byte - r[b].pos >= r[b].bytes);
}

int stub_regions_disjoint(const struct dsfs_geo *geo, struct dsfs_err *err)
{
	const int ret = any(int);

	assert(areas_good(geo) && regions_good(geo));
	err->what = any(const char *);
	assume(ret <= 0 && (!ret || err->what));
	return ret;
}

/* The copy that is used is a good one, and no other good one is newer. */
void proof_super_choose(void)
{
	struct dsfs_slot *slots = bytes_any(2 * sizeof(*slots));
	struct dsfs_err err = {};
	int use, ret;

	assume(slots[0].ret <= 0 && slots[1].ret <= 0);
	assume(!slots[0].ret || slots[0].err.what);
	assume(!slots[1].ret || slots[1].err.what);
	ret = dsfs_super_choose(slots, &use, &err);
	assert(ret <= 0);
	said(ret, &err);
	assert(use >= -1 && use <= 1);
	if (ret)
		return;
	assert(use >= 0 && !slots[use].ret);
	assert(slots[!use].ret || le64_to_cpu(slots[!use].raw.generation) <=
	       le64_to_cpu(slots[use].raw.generation));
}

static int read_any(void *arg, u64 pos, struct dsfs_super *raw)
{
	const int error = any(int);

	if (error < 0)
		return error;
	*raw = any(struct dsfs_super);
	return 0;
}

/* A generation before has a lower number: each chain ends, whatever the image has. */
void proof_history_next(void)
{
	struct dsfs_geo geo = geo_any();
	struct dsfs_slot older = {};
	int ret;

	ret = dsfs_history_next(&geo, any(u64), read_any, NULL, &older);
	assert(ret <= 1 && (!older.ret || ret == older.ret));
	if (ret != 1)
		return;
	assert(older.geo.generation < geo.generation);
	assert(geo_good(&older.geo));
}
