// SPDX-License-Identifier: GPL-2.0
/*
 * Previous generations.
 *
 * The HISTORY region of a generation holds the superblock of the previous one,
 * so the generations of an updated image form a chain. Previous generations are
 * found through this chain only, never through a superblock slot: a slot with a
 * lower generation is damage.
 *
 * A superblock has its own checksum, so following the chain reads nothing else.
 * Each step leads to a lower generation, so every chain ends, whatever the image
 * contains. A generation with another label has the metadata of the one before it, and
 * more.
 */
#include "format.h"

static int dsfs_history_check(const struct dsfs_later *later,
			      const struct dsfs_geo *geo, struct dsfs_err *err)
{
	if (geo->generation >= later->generation)
		return dsfs_broken(err, "generation of the history", geo->generation,
				   later->generation - 1);
	if (geo->image_bytes > later->data_end && geo->meta_start != later->meta_start)
		return dsfs_broken(err, "end of an older generation", geo->image_bytes,
				   later->data_end);
	return 0;
}

/*
 * dsfs_history_next - read the superblock of the previous generation
 *
 * @geo may be that in @older, which is filled in with @older->ret.
 *
 * Return: 1 if there is a valid one, 0 if there is none, an error of @read or of
 * dsfs_super_decode(), or -EUCLEAN.
 */
int dsfs_history_next(const struct dsfs_geo *geo, u64 device_bytes,
		      dsfs_super_read read, void *arg, struct dsfs_slot *older)
{
	const struct dsfs_region_info *r = &geo->regions[DSFS_REGION_HISTORY];
	const u64 pos = r->pos;
	struct dsfs_later later;

	if (!r->bytes)
		return 0;
	later.generation = geo->generation;
	later.data_end = geo->data_end;
	later.meta_start = geo->meta_start;

	memset(&older->err, 0, sizeof(older->err));
	older->ret = read(arg, pos, &older->raw);
	if (!older->ret)
		older->ret = dsfs_super_decode(&older->raw, device_bytes, &older->geo, &older->err);
	if (!older->ret)
		older->ret = dsfs_history_check(&later, &older->geo, &older->err);
	return older->ret ? older->ret : 1;
}

/*
 * dsfs_history_find - find a generation in the chain that begins at the chosen slot
 *
 * Return: 0 and @found->geo, -ENOENT if the image does not have that generation, or an
 * error of dsfs_history_next(); @found->err has the broken rule.
 */
int dsfs_history_find(const struct dsfs_slot *newest, u64 generation, u64 device_bytes,
		      dsfs_super_read read, void *arg, struct dsfs_slot *found)
{
	struct dsfs_err *err = &found->err;
	int ret = 1;

	*found = *newest;
	while (ret == 1 && found->geo.generation > generation)
		ret = dsfs_history_next(&found->geo, device_bytes, read, arg, found);
	if (ret < 0)
		return ret;
	if (found->geo.generation != generation)
		return dsfs_bad(err, "generation that is not kept", generation,
				found->geo.generation, -ENOENT);
	return 0;
}
