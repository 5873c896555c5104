// SPDX-License-Identifier: GPL-2.0
/*
 * Older generations.  The metadata of a generation holds the superblock of the
 * one before, so an image that was updated is a chain.  Who mounts, shows or
 * checks an older generation goes down that chain and nowhere else: a slot that
 * was left behind is damage, not history.
 *
 * A superblock carries its own checksum, so nothing else has to be read on the
 * way.  Each step leads to a lower generation that ends in front of the metadata
 * of the later one, so a chain has an end whatever is in it.
 */
#include "libdsfs.h"

static int dsfs_history_check(const struct dsfs_past *later,
			      const struct dsfs_geo *geo, struct dsfs_err *err)
{
	if (memcmp(geo->uuid, later->uuid, sizeof(geo->uuid)))
		return dsfs_bad(err, "UUID of the history", geo->generation,
				later->generation, -EUCLEAN);
	if (geo->generation >= later->generation)
		return dsfs_bad(err, "generation of the history",
				geo->generation, later->generation - 1,
				-EUCLEAN);
	if (geo->image_bytes > later->data_end)
		return dsfs_bad(err, "end of an older generation",
				geo->image_bytes, later->data_end, -EUCLEAN);
	return 0;
}

/**
 * dsfs_history_next - one generation back
 * @geo: a generation; may be @older's own
 * @device_bytes: length of the device or file
 * @read: reads a superblock
 * @arg: for @read
 * @older: filled in, @older->ret too
 *
 * Return: 1 if there is an older generation and it is sound, 0 if there is none,
 * what @read returned, or what dsfs_super_decode() returns.
 */
int dsfs_history_next(const struct dsfs_geo *geo, u64 device_bytes,
		      dsfs_super_read read, void *arg, struct dsfs_slot *older)
{
	const struct dsfs_region_info *r = &geo->regions[DSFS_REGION_HISTORY];
	const u64 pos = r->pos;
	struct dsfs_past later;

	if (!r->bytes)
		return 0;
	later.generation = geo->generation;
	later.data_end = geo->data_end;
	memcpy(later.uuid, geo->uuid, sizeof(later.uuid));

	memset(&older->err, 0, sizeof(older->err));
	older->ret = read(arg, pos, &older->raw);
	if (!older->ret)
		older->ret = dsfs_super_decode(&older->raw, device_bytes,
					       &older->geo, &older->err);
	if (!older->ret)
		older->ret = dsfs_history_check(&later, &older->geo,
						&older->err);
	return older->ret ? older->ret : 1;
}

/**
 * dsfs_history_find - go back to a generation
 * @newest: where to begin: the superblock slot that counts
 * @generation: the one that is wanted
 * @device_bytes: length of the device or file
 * @read: reads a superblock
 * @arg: for @read
 * @found: filled in; @found->geo is the generation's
 *
 * Return: 0, -ENOENT if the image does not keep that generation, or an error of
 * dsfs_history_next(); @found->err says what is wrong.
 */
int dsfs_history_find(const struct dsfs_slot *newest, u64 generation,
		      u64 device_bytes, dsfs_super_read read, void *arg,
		      struct dsfs_slot *found)
{
	struct dsfs_err *err = &found->err;
	int ret = 1;

	*found = *newest;
	while (ret == 1 && found->geo.generation > generation)
		ret = dsfs_history_next(&found->geo, device_bytes, read, arg,
					found);
	if (ret < 0)
		return ret;
	if (found->geo.generation != generation)
		return dsfs_bad(err, "generation that is not kept", generation,
				found->geo.generation, -ENOENT);
	return 0;
}
