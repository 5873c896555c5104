// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping of file offsets to stored data, and data checksums.
 *
 * The stored data of a file is contiguous in the image. Most files store all
 * their bytes; a file with holes has records (struct dsfs_extent_record), sorted
 * by file offset and by stored offset.
 */
#include "format.h"

/* Extent record @i; its length follows from the next record */
static int dsfs_extent_get(struct dsfs_source *src, const struct dsfs_attr *attr,
			   const struct dsfs_extra_info *extra, u32 i, struct dsfs_mapping *map,
			   struct dsfs_err *err)
{
	const u64 off = ((u64)extra->first_extent + i) *
			sizeof(struct dsfs_extent_record);
	const struct dsfs_extent_record *raw;
	struct dsfs_mref ref;
	u64 end = extra->stored, next = attr->size;
	int ret;

	ret = dsfs_meta_get(src, DSFS_REGION_EXTENTS, off, sizeof(*raw), &ref);
	if (ret)
		return dsfs_bad(err, "extent record", i, extra->extents, ret);
	raw = ref.p;
	map->logical = le64_to_cpu(raw->logical);
	map->stored = le64_to_cpu(raw->stored);
	map->hole = false;
	dsfs_meta_put(&ref);
	if (i + 1 < extra->extents) {
		ret = dsfs_meta_get(src, DSFS_REGION_EXTENTS,
				    off + sizeof(*raw), sizeof(*raw), &ref);
		if (ret)
			return dsfs_bad(err, "extent record", i + 1, extra->extents, ret);
		raw = ref.p;
		end = le64_to_cpu(raw->stored);
		next = le64_to_cpu(raw->logical);
		dsfs_meta_put(&ref);
	}
	if ((map->logical | map->stored) & (DSFS_BLOCK_SIZE - 1) || (!i && map->stored))
		return dsfs_broken(err, "alignment of an extent", map->logical, DSFS_BLOCK_SIZE);
	if (end <= map->stored || end > extra->stored)
		return dsfs_broken(err, "stored bytes of an extent", end, extra->stored);
	map->len = end - map->stored;
	if (map->logical >= attr->size || map->len > attr->size - map->logical)
		return dsfs_broken(err, "end of an extent", map->logical + map->len, attr->size);
	if (map->len & (DSFS_BLOCK_SIZE - 1) && map->logical + map->len != attr->size)
		return dsfs_broken(err, "length of an extent", map->len, DSFS_BLOCK_SIZE);
	if (next < map->logical + map->len)
		return dsfs_broken(err, "order of extents", map->logical + map->len, next);
	return 0;
}

/*
 * Mapping at @pos, given the number of extents that begin at or before it, @lo
 */
static int dsfs_map_between(struct dsfs_source *src, const struct dsfs_attr *attr,
			    const struct dsfs_extra_info *extra, u32 lo, u64 pos,
			    struct dsfs_mapping *map, struct dsfs_err *err)
{
	u64 end = attr->size, stored = extra->stored;
	struct dsfs_mapping extent;
	int ret;

	map->extent = lo;
	if (lo < extra->extents) {
		ret = dsfs_extent_get(src, attr, extra, lo, &extent, err);
		if (ret)
			return ret;
		end = extent.logical;
		stored = extent.stored;
	}
	if (lo) {
		ret = dsfs_extent_get(src, attr, extra, lo - 1, &extent, err);
		if (ret)
			return ret;
		if (extent.logical > pos || extent.logical + extent.len > end)
			return dsfs_broken(err, "order of extents", extent.logical + extent.len,
					   end);
		if (pos < extent.logical + extent.len) {
			map->stored = extent.stored + (pos - extent.logical);
			map->len = extent.logical + extent.len - pos;
			return 0;
		}
	}
	if (end <= pos)
		return dsfs_broken(err, "order of extents", end, pos);
	map->stored = stored;
	map->len = end - pos;
	map->hole = true;
	return 0;
}

static int dsfs_map_holes(struct dsfs_source *src, const struct dsfs_attr *attr,
			  const struct dsfs_extra_info *extra, u64 pos,
			  struct dsfs_mapping *map, struct dsfs_err *err)
{
	u32 lo = 0, hi = extra->extents, mid;
	struct dsfs_mapping extent;
	int ret;

	/* Binary search; lo: number of extents that begin at or before pos */
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		ret = dsfs_extent_get(src, attr, extra, mid, &extent, err);
		if (ret)
			return ret;
		if (extent.logical <= pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return dsfs_map_between(src, attr, extra, lo, pos, map, err);
}

/* dsfs_map - get the extent or hole of a regular file from @pos, below its size, to its end */
int dsfs_map(struct dsfs_source *src, const struct dsfs_attr *attr,
	     const struct dsfs_extra_info *extra, u64 pos, struct dsfs_mapping *map,
	     struct dsfs_err *err)
{
	map->logical = pos;
	map->extent = 0;
	map->hole = false;
	if (attr->flags & DSFS_INODE_HOLES)
		return dsfs_map_holes(src, attr, extra, pos, map, err);
	map->stored = pos;
	map->len = attr->size - pos;
	return 0;
}

/*
 * dsfs_map_next - get the mapping after one that does not end at the end of the file
 *
 * Equal to dsfs_map() at the end of @map, without the binary search: iterating
 * over a file takes one step for each extent and each hole.
 */
int dsfs_map_next(struct dsfs_source *src, const struct dsfs_attr *attr,
		  const struct dsfs_extra_info *extra, struct dsfs_mapping *map,
		  struct dsfs_err *err)
{
	const u64 pos = map->logical + map->len;
	u32 lo = map->extent;
	struct dsfs_mapping extent;
	int ret;

	if (lo < extra->extents) {
		ret = dsfs_extent_get(src, attr, extra, lo, &extent, err);
		if (ret)
			return ret;
		if (extent.logical <= pos)
			lo++;
	}
	map->logical = pos;
	map->hole = false;
	return dsfs_map_between(src, attr, extra, lo, pos, map, err);
}

/*
 * dsfs_chunk_sum - get the checksum of chunk number @chunk of a regular file
 *
 * The image has data checksums. The file has @stored bytes of data, and the chunk begins
 * before their end.
 */
int dsfs_chunk_sum(struct dsfs_source *src, const struct dsfs_attr *attr,
		   u64 stored, u64 chunk, u32 *sum, struct dsfs_err *err)
{
	const struct dsfs_geo *geo = dsfs_source_geo(src);
	struct dsfs_mref ref;
	u64 index;
	int ret;

	*sum = attr->sum;
	if (stored <= 1ULL << dsfs_chunk_bits(geo, stored))
		return 0;

	index = *sum + chunk;
	if (index >= geo->chunksums)
		return dsfs_broken(err, "chunk checksum", index, geo->chunksums);
	ret = dsfs_meta_get(src, DSFS_REGION_CHUNKSUMS, index * sizeof(__le32),
			    sizeof(__le32), &ref);
	if (ret)
		return dsfs_bad(err, "chunk checksum", index, 0, ret);
	*sum = le32_to_cpu(*(const __le32 *)ref.p);
	dsfs_meta_put(&ref);
	return 0;
}
