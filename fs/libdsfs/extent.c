// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping of file offsets to stored data, and data checksums.
 *
 * The stored data of a file is contiguous in the image. Most files store all
 * their bytes; a file with holes has records (struct dsfs_extent_record), sorted
 * by file offset and by stored offset.
 */
#include "libdsfs.h"

/* Extent record @i; its length follows from the next record */
static int dsfs_extent_get(struct dsfs_source *src,
			   const struct dsfs_attr *attr,
			   const struct dsfs_extra_info *extra, u32 i,
			   struct dsfs_run *run, struct dsfs_err *err)
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
	run->logical = le64_to_cpu(raw->logical);
	run->stored = le64_to_cpu(raw->stored);
	run->hole = false;
	dsfs_meta_put(&ref);
	if (i + 1 < extra->extents) {
		ret = dsfs_meta_get(src, DSFS_REGION_EXTENTS,
				    off + sizeof(*raw), sizeof(*raw), &ref);
		if (ret)
			return dsfs_bad(err, "extent record", i + 1, extra->extents,
					ret);
		raw = ref.p;
		end = le64_to_cpu(raw->stored);
		next = le64_to_cpu(raw->logical);
		dsfs_meta_put(&ref);
	}
	if ((run->logical | run->stored) & (DSFS_BLOCK_SIZE - 1) ||
	    (!i && run->stored))
		return dsfs_bad(err, "alignment of an extent", run->logical,
				DSFS_BLOCK_SIZE, -EUCLEAN);
	if (end <= run->stored || end > extra->stored)
		return dsfs_bad(err, "stored bytes of an extent", end,
				extra->stored, -EUCLEAN);
	run->len = end - run->stored;
	if (run->logical >= attr->size ||
	    run->len > attr->size - run->logical)
		return dsfs_bad(err, "end of an extent", run->logical + run->len,
				attr->size, -EUCLEAN);
	if (run->len & (DSFS_BLOCK_SIZE - 1) &&
	    run->logical + run->len != attr->size)
		return dsfs_bad(err, "length of an extent", run->len,
				DSFS_BLOCK_SIZE, -EUCLEAN);
	if (next < run->logical + run->len)
		return dsfs_bad(err, "order of extents",
				run->logical + run->len, next, -EUCLEAN);
	return 0;
}

/*
 * Mapping at @pos, given the number of extents that begin at or before it, @lo
 */
static int dsfs_map_between(struct dsfs_source *src,
			    const struct dsfs_attr *attr,
			    const struct dsfs_extra_info *extra, u32 lo, u64 pos,
			    struct dsfs_run *run, struct dsfs_err *err)
{
	u64 end = attr->size, stored = extra->stored;
	struct dsfs_run extent;
	int ret;

	run->extent = lo;
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
			return dsfs_bad(err, "order of extents",
					extent.logical + extent.len, end, -EUCLEAN);
		if (pos < extent.logical + extent.len) {
			run->stored = extent.stored + (pos - extent.logical);
			run->len = extent.logical + extent.len - pos;
			return 0;
		}
	}
	if (end <= pos)
		return dsfs_bad(err, "order of extents", end, pos, -EUCLEAN);
	run->stored = stored;
	run->len = end - pos;
	run->hole = true;
	return 0;
}

static int dsfs_map_holes(struct dsfs_source *src, const struct dsfs_attr *attr,
			  const struct dsfs_extra_info *extra, u64 pos,
			  struct dsfs_run *run, struct dsfs_err *err)
{
	u32 lo = 0, hi = extra->extents, mid;
	struct dsfs_run extent;
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
	return dsfs_map_between(src, attr, extra, lo, pos, run, err);
}

/**
 * dsfs_map - map a file offset
 * @src: metadata source
 * @attr: a regular file
 * @extra: its inode extra record
 * @pos: offset in the file, below its size
 * @run: filled in: the extent or hole from @pos to its end
 * @err: filled in on failure
 *
 * Return: 0, -EUCLEAN, or an error of dsfs_meta_get().
 */
int dsfs_map(struct dsfs_source *src, const struct dsfs_attr *attr,
	     const struct dsfs_extra_info *extra, u64 pos, struct dsfs_run *run,
	     struct dsfs_err *err)
{
	run->logical = pos;
	run->extent = 0;
	run->hole = false;
	if (attr->flags & DSFS_INODE_HOLES)
		return dsfs_map_holes(src, attr, extra, pos, run, err);
	run->stored = pos;
	run->len = attr->size - pos;
	return 0;
}

/**
 * dsfs_map_next - get the mapping after another one
 * @src: metadata source
 * @attr: a regular file
 * @extra: its inode extra record
 * @run: a mapping that does not end at the end of the file; filled in
 * @err: filled in on failure
 *
 * Equal to dsfs_map() at the end of @run, without the binary search: iterating
 * over a file takes one step for each extent and each hole.
 *
 * Return: 0, -EUCLEAN, or an error of dsfs_meta_get().
 */
int dsfs_map_next(struct dsfs_source *src, const struct dsfs_attr *attr,
		  const struct dsfs_extra_info *extra, struct dsfs_run *run,
		  struct dsfs_err *err)
{
	const u64 pos = run->logical + run->len;
	u32 lo = run->extent;
	struct dsfs_run extent;
	int ret;

	if (lo < extra->extents) {
		ret = dsfs_extent_get(src, attr, extra, lo, &extent, err);
		if (ret)
			return ret;
		if (extent.logical <= pos)
			lo++;
	}
	run->logical = pos;
	run->hole = false;
	return dsfs_map_between(src, attr, extra, lo, pos, run, err);
}

/**
 * dsfs_chunk_sum - get the checksum of a chunk
 * @src: metadata source of an image with data checksums
 * @attr: a regular file
 * @stored: length of its stored data
 * @chunk: index of the chunk; its first byte lies before @stored
 * @sum: filled in
 * @err: filled in on failure
 *
 * Return: 0, -EUCLEAN, or an error of dsfs_meta_get().
 */
int dsfs_chunk_sum(struct dsfs_source *src, const struct dsfs_attr *attr,
		   u64 stored, u64 chunk, u32 *sum, struct dsfs_err *err)
{
	const struct dsfs_geo *geo = dsfs_source_geo(src);
	struct dsfs_mref ref;
	u64 index;
	int ret;

	ret = dsfs_meta_get(src, DSFS_REGION_FILESUMS,
			    (u64)attr->ino * sizeof(__le32), sizeof(__le32),
			    &ref);
	if (ret)
		return dsfs_bad(err, "file checksum", attr->ino, 0, ret);
	*sum = le32_to_cpu(*(const __le32 *)ref.p);
	dsfs_meta_put(&ref);
	if (stored <= 1ULL << geo->chunk_bits)
		return 0;

	index = *sum + chunk;
	if (index >= geo->chunksums)
		return dsfs_bad(err, "chunk checksum", index, geo->chunksums,
				-EUCLEAN);
	ret = dsfs_meta_get(src, DSFS_REGION_CHUNKSUMS, index * sizeof(__le32),
			    sizeof(__le32), &ref);
	if (ret)
		return dsfs_bad(err, "chunk checksum", index, 0, ret);
	*sum = le32_to_cpu(*(const __le32 *)ref.p);
	dsfs_meta_put(&ref);
	return 0;
}
