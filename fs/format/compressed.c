// SPDX-License-Identifier: GPL-2.0
/*
 * Compressed files: the place of a unit's frame in the stored data.
 *
 * A unit is compressed by itself, so a read from the middle of a file unpacks the units it
 * needs and no others. All lengths are checked before a byte is unpacked: a frame yields at
 * most DSFS_RATIO_MAX times its own bytes, and never more than a unit. Unpacking itself differs
 * between the kernel and the tools, and is not here.
 */
#include "format.h"

/* End of the frame of a unit, of a file of several */
static int dsfs_unit_end(struct dsfs_source *src, const struct dsfs_attr *attr, u64 unit,
			 u32 *end, struct dsfs_err *err)
{
	const u64 index = attr->units + unit;
	__le32 raw;
	int ret;

	ret = dsfs_meta_copy(src, DSFS_REGION_UNITS, index * sizeof(raw), sizeof(raw), &raw);
	if (ret)
		return dsfs_bad(err, "unit record", index, 0, ret);
	*end = le32_to_cpu(raw);
	return 0;
}

/* dsfs_frame_check - check that [@from, @to) of the stored data can be the frame of a unit */
int dsfs_frame_check(const struct dsfs_attr *attr, u64 unit, u32 from, u32 to,
		     struct dsfs_err *err)
{
	const u32 bytes = dsfs_unit_bytes(attr, unit);
	const bool last = unit == dsfs_units(attr) - 1;

	if (to <= from || to > attr->stored || (last && to != attr->stored))
		return dsfs_broken(err, "end of a frame", to, attr->stored);
	if (to - from > bytes)
		return dsfs_broken(err, "length of a frame", to - from, bytes);
	if (bytes > (u64)(to - from) * DSFS_RATIO_MAX)
		return dsfs_broken(err, "content of a frame", bytes,
				   (u64)(to - from) * DSFS_RATIO_MAX);
	return 0;
}

/*
 * dsfs_units_get - get the range of the stored data that is the frame of a unit
 *
 * @unit is below dsfs_units(). A frame as long as its unit, dsfs_unit_bytes(), is the unit
 * itself, not compressed.
 */
int dsfs_units_get(struct dsfs_source *src, const struct dsfs_attr *attr, u64 unit, u32 *from,
		   u32 *to, struct dsfs_err *err)
{
	int ret = 0;

	*from = 0;
	*to = attr->stored;
	if (unit)
		ret = dsfs_unit_end(src, attr, unit - 1, from, err);
	if (!ret && dsfs_units(attr) > 1)
		ret = dsfs_unit_end(src, attr, unit, to, err);
	return ret ? ret : dsfs_frame_check(attr, unit, *from, *to, err);
}
