// SPDX-License-Identifier: GPL-2.0
/*
 * Target: the front of the decoder: the record of a compressed file, the ends of its frames,
 * and the frames, without the image around them, so that one execution takes microseconds.
 *
 *   0-15	struct dsfs_compressed, as in an image; but its units are counted from 0
 *   16-19	size of the file
 *   20		N, the number of ends
 *   then	N ends of 4 bytes, then the stored bytes
 *
 * The codecs' libraries are not instrumented, so a frame ends at a page that cannot be read,
 * and a unit at one that cannot be written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine.h"
#include "format.h"
#include "unpack.h"

#define HEAD		(sizeof(struct dsfs_compressed) + 5)
#define DATA		(1 << 20)		/* offset of the stored bytes in the image */
#define UNPACK_MOST	(1 << 20)		/* bytes that one input unpacks to */
#define UNIT_MOST	(1U << DSFS_UNIT_BITS_MAX)

static struct {
	struct dsfs_geo geo;
	const u8 *record, *ends, *data;
	size_t ends_bytes, data_bytes;
} file;

/* Metadata is the input. */
const struct dsfs_geo *dsfs_source_geo(const struct dsfs_source *src)
{
	return &file.geo;
}

int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region, u64 off, size_t len,
		  struct dsfs_mref *ref)
{
	const bool record = region == DSFS_REGION_COMPRESSED;
	const size_t bytes = record ? sizeof(struct dsfs_compressed) : file.ends_bytes;

	if (!record && region != DSFS_REGION_UNITS)
		finding("another region is read");
	if (off > bytes || len > bytes - off)
		return -EUCLEAN;
	*ref = (struct dsfs_mref){ .p = (record ? file.record : file.ends) + off };
	return 0;
}

void dsfs_meta_release(struct dsfs_mref *ref)
{
}

/* The end of @bytes of memory, or more, behind which there is a page of none */
static u8 *guarded(size_t bytes)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	u8 *p = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + bytes, page, PROT_NONE)) {
		perror("mmap");
		exit(1);
	}
	return p + bytes;
}

/* A byte that a good frame leaves as it was would be one of somebody else's file. */
static void unpack(u8 codec, const u8 *frame, u32 len, u32 bytes)
{
	static u8 kept[UNIT_MOST], *frames_end, *unit_end;
	struct dsfs_err err = { 0 };
	int ret, again;

	if (!frames_end) {
		frames_end = guarded(UNIT_MOST);
		unit_end = guarded(UNIT_MOST);
	}
	memcpy(frames_end - len, frame, len);
	memset(unit_end - bytes, 0, bytes);
	ret = unpack_unit(codec, frames_end - len, len, unit_end - bytes, bytes, &err);
	if (ret && (ret != -EUCLEAN || !err.what))
		finding("an errno that nobody promised");
	if (ret)
		return;
	memcpy(kept, unit_end - bytes, bytes);
	memset(unit_end - bytes, 0xff, bytes);
	again = unpack_unit(codec, frames_end - len, len, unit_end - bytes, bytes, &err);
	if (again || memcmp(kept, unit_end - bytes, bytes))
		finding("a unit with bytes of what was there");
}

static void walk_units(const struct dsfs_attr *attr, const struct dsfs_compressed_info *info)
{
	const u64 count = dsfs_units(attr, info);
	struct dsfs_err err = { 0 };
	u32 from, to, bytes, done = 0;
	u64 i;
	int ret;

	if (count > file.geo.units + 1)
		finding("more units than ends");
	for (i = 0; i < count; i++) {
		ret = dsfs_units_get(NULL, attr, info, i, &from, &to, &err);
		if (ret && ret != -EUCLEAN)
			finding("an errno that nobody promised");
		if (ret)
			continue;
		bytes = dsfs_unit_bytes(attr, info, i);
		if (from >= to || to > info->stored || to > file.data_bytes)
			finding("a frame outside of the stored bytes");
		if (!bytes || bytes > UNIT_MOST || to - from > bytes ||
		    bytes > (u64)(to - from) * DSFS_RATIO_MAX)
			finding("a unit of another length");
		done += bytes;
		if (done <= UNPACK_MOST)
			unpack(info->codec, file.data + from, to - from, bytes);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct dsfs_attr attr = { .mode = S_IFREG, .flags = DSFS_INODE_COMPRESSED, .extra = 1,
				  .start = DATA };
	struct dsfs_compressed_info info;
	struct dsfs_err err = { 0 };

	if (size < HEAD)
		return 0;
	attr.size = data[16] | data[17] << 8 | data[18] << 16 | (u32)data[19] << 24;
	file.record = data;
	file.ends = data + HEAD;
	file.ends_bytes = 4U * data[HEAD - 1];
	if (file.ends_bytes > size - HEAD)
		return 0;
	file.data = file.ends + file.ends_bytes;
	file.data_bytes = size - HEAD - file.ends_bytes;
	file.geo = (struct dsfs_geo){ .units = data[HEAD - 1], .compressed = 1, .extras = 1,
				      .data_start = DATA, .data_end = DATA + file.data_bytes };
	if (!dsfs_compressed_get(NULL, &attr, &info, &err))
		walk_units(&attr, &info);
	return 0;
}
