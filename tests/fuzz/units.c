// SPDX-License-Identifier: GPL-2.0
/*
 * Target: the front of the decoder: the inode of a compressed file, the ends of its frames,
 * and the frames, without the image around them, so that one execution takes microseconds.
 *
 *   0		its codec, DSFS_CODEC_*
 *   1-4	bytes of stored data
 *   5-8	size of the file
 *   9		N, the number of ends
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

#define HEAD		10
#define DATA		(1 << 20)		/* offset of the stored bytes in the image */
#define UNPACK_MOST	(1 << 20)		/* bytes that one input unpacks to */

static struct {
	struct dsfs_geo geo;
	const u8 *ends, *data;
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
	if (region != DSFS_REGION_UNITS)
		finding("another region is read");
	if (off > file.ends_bytes || len > file.ends_bytes - off)
		return -EUCLEAN;
	*ref = (struct dsfs_mref){ .p = file.ends + off };
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
	static u8 kept[DSFS_UNIT_SIZE], *frames_end, *unit_end;
	struct dsfs_err err = { 0 };
	int ret, again;

	if (!frames_end) {
		frames_end = guarded(DSFS_UNIT_SIZE);
		unit_end = guarded(DSFS_UNIT_SIZE);
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

static void walk_units(const struct dsfs_attr *attr)
{
	const u64 count = dsfs_units(attr);
	struct dsfs_err err = { 0 };
	u32 from, to, bytes, done = 0;
	u64 i;
	int ret;

	if (count > file.geo.units + 1)
		finding("more units than ends");
	for (i = 0; i < count; i++) {
		ret = dsfs_units_get(NULL, attr, i, &from, &to, &err);
		if (ret && ret != -EUCLEAN)
			finding("an errno that nobody promised");
		if (ret)
			continue;
		bytes = dsfs_unit_bytes(attr, i);
		if (from >= to || to > attr->stored || to > file.data_bytes)
			finding("a frame outside of the stored bytes");
		if (!bytes || bytes > DSFS_UNIT_SIZE || to - from > bytes ||
		    bytes > (u64)(to - from) * DSFS_RATIO_MAX)
			finding("a unit of another length");
		done += bytes;
		if (done <= UNPACK_MOST)
			unpack(dsfs_attr_codec(attr), file.data + from, to - from, bytes);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct dsfs_attr attr = { .mode = S_IFREG, .nlink = 1, .start = DATA };
	struct dsfs_err err = { 0 };

	if (size < HEAD)
		return 0;
	attr.flags = (data[0] & 3) << DSFS_CODEC_SHIFT;
	attr.stored = data[1] | data[2] << 8 | data[3] << 16 | (u32)data[4] << 24;
	attr.size = data[5] | data[6] << 8 | data[7] << 16 | (u32)data[8] << 24;
	file.ends = data + HEAD;
	file.ends_bytes = 4U * data[HEAD - 1];
	if (file.ends_bytes > size - HEAD)
		return 0;
	file.data = file.ends + file.ends_bytes;
	file.data_bytes = size - HEAD - file.ends_bytes;
	file.geo = (struct dsfs_geo){ .units = data[HEAD - 1], .owners = 1,
				      .incompat = DSFS_INCOMPAT_COMPRESSED,
				      .data_start = DATA, .data_end = DATA + file.data_bytes };
	if (attr.flags && !dsfs_inode_check(&file.geo, &attr, &err))
		walk_units(&attr);
	return 0;
}
