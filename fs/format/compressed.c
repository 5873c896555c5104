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

/* dsfs_units - number of units of a compressed file */
u64 dsfs_units(const struct dsfs_attr *attr, const struct dsfs_compressed_info *info)
{
	return (attr->size >> info->unit_bits) +
	       !!(attr->size & ((1ULL << info->unit_bits) - 1));
}

/* The ends of frames lie in UNITS, unless the file has a single one. */
static int dsfs_compressed_units(const struct dsfs_geo *geo, const struct dsfs_attr *attr,
				 const struct dsfs_compressed_info *info, struct dsfs_err *err)
{
	const u64 count = dsfs_units(attr, info);

	if (count == 1 ? info->units :
	    count > geo->units || info->units > geo->units - count)
		return dsfs_broken(err, "place of units", info->units, geo->units);
	return 0;
}

/* dsfs_compressed_decode - check the record that @attr->extra refers to */
int dsfs_compressed_decode(const struct dsfs_geo *geo, const struct dsfs_attr *attr,
			   const struct dsfs_compressed *raw, struct dsfs_compressed_info *info,
			   struct dsfs_err *err)
{
	int ret;

	info->stored = le32_to_cpu(raw->stored);
	info->extra = le32_to_cpu(raw->extra);
	info->units = le32_to_cpu(raw->units);
	info->codec = raw->codec;
	info->unit_bits = raw->unit_bits;

	if (raw->reserved)
		return dsfs_broken(err, "compressed record reserved bytes",
				   le16_to_cpu(raw->reserved), 0);
	if (info->codec != DSFS_CODEC_ZSTD && info->codec != DSFS_CODEC_LZ4)
		return dsfs_broken(err, "codec", info->codec, DSFS_CODEC_LZ4);
	if (info->unit_bits < DSFS_UNIT_BITS_MIN || info->unit_bits > DSFS_UNIT_BITS_MAX)
		return dsfs_broken(err, "unit_bits", info->unit_bits, DSFS_UNIT_BITS_MAX);
	if (!info->stored || info->stored >= attr->size)
		return dsfs_broken(err, "stored bytes of a compressed file", info->stored,
				   attr->size);
	ret = dsfs_extra_number(geo, attr->flags, info->extra, err);
	if (!ret)
		ret = dsfs_compressed_units(geo, attr, info, err);
	return ret ? ret : dsfs_extent_check(geo, attr->start, info->stored, err);
}

/* dsfs_compressed_get - read and check the record of a compressed file */
int dsfs_compressed_get(struct dsfs_source *src, const struct dsfs_attr *attr,
			struct dsfs_compressed_info *info, struct dsfs_err *err)
{
	struct dsfs_mref ref;
	int ret;

	ret = dsfs_meta_get(src, DSFS_REGION_COMPRESSED,
			    (u64)(attr->extra - 1) * sizeof(struct dsfs_compressed),
			    sizeof(struct dsfs_compressed), &ref);
	if (ret)
		return dsfs_bad(err, "compressed record", attr->extra, 0, ret);
	ret = dsfs_compressed_decode(dsfs_source_geo(src), attr, ref.p, info, err);
	dsfs_meta_put(&ref);
	return ret;
}

/* End of the frame of a unit, of a file of several */
static int dsfs_unit_end(struct dsfs_source *src, const struct dsfs_compressed_info *info,
			 u64 unit, u32 *end, struct dsfs_err *err)
{
	const u64 index = info->units + unit;
	__le32 raw;
	int ret;

	ret = dsfs_meta_copy(src, DSFS_REGION_UNITS, index * sizeof(raw), sizeof(raw), &raw);
	if (ret)
		return dsfs_bad(err, "unit record", index, 0, ret);
	*end = le32_to_cpu(raw);
	return 0;
}

/* dsfs_frame_check - check that [@from, @to) of the stored data can be the frame of a unit */
int dsfs_frame_check(const struct dsfs_attr *attr, const struct dsfs_compressed_info *info,
		     u64 unit, u32 from, u32 to, struct dsfs_err *err)
{
	const u32 bytes = dsfs_unit_bytes(attr, info, unit);
	const bool last = unit == dsfs_units(attr, info) - 1;

	if (to <= from || to > info->stored || (last && to != info->stored))
		return dsfs_broken(err, "end of a frame", to, info->stored);
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
int dsfs_units_get(struct dsfs_source *src, const struct dsfs_attr *attr,
		   const struct dsfs_compressed_info *info, u64 unit, u32 *from, u32 *to,
		   struct dsfs_err *err)
{
	int ret = 0;

	*from = 0;
	*to = info->stored;
	if (unit)
		ret = dsfs_unit_end(src, info, unit - 1, from, err);
	if (!ret && dsfs_units(attr, info) > 1)
		ret = dsfs_unit_end(src, info, unit, to, err);
	return ret ? ret : dsfs_frame_check(attr, info, unit, *from, *to, err);
}
