// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of compressed files.  Frames of neighbouring units are neighbours in the image, so those
 * that a read needs are brought in together and compared with their checksums, a step at a
 * time.  Then each is unpacked: into the caller's memory, or aside where the read begins
 * or ends within a unit.
 */
#include "stored.h"
#include "unpack.h"

int units_range(const struct stored *of, u64 pos, u64 end, u64 *from, u64 *to,
		struct dsfs_err *err)
{
	u32 first, last, any;
	int ret = dsfs_units_get(of->src, of->attr, pos >> DSFS_UNIT_BITS, &first, &any, err) ?:
		  dsfs_units_get(of->src, of->attr, (end - 1) >> DSFS_UNIT_BITS, &any, &last, err);

	if (ret)
		return ret;
	if (last <= first)
		return dsfs_broken(err, "end of a frame", last, first);
	*from = first;
	*to = last;
	return 0;
}

/* Unpack a unit, or the part [@at, @at + @len) of it. */
static int unpack_part(const struct units *u, const u8 *frame, u32 frame_len, u32 bytes, u8 *buf,
		       u32 at, u32 len, struct dsfs_err *err)
{
	const u8 codec = dsfs_attr_codec(u->of.attr);
	u8 *aside;
	int ret;

	if (len == bytes)
		return unpack_unit(codec, frame, frame_len, buf, bytes, err);
	aside = malloc(bytes);
	if (!aside)
		return dsfs_bad(err, "memory for a unit", bytes, 0, -ENOMEM);
	ret = unpack_unit(codec, frame, frame_len, aside, bytes, err);
	if (!ret)
		memcpy(buf, aside + at, len);
	free(aside);
	return ret;
}

/* Unpack what @frames holds, the stored bytes from @base to @top, to the content at @pos. */
static int unpack_units(const struct units *u, const u8 *frames, u64 base, u64 top, u8 *buf,
			u64 len, u64 pos, struct dsfs_err *err)
{
	u32 from, to, at, n, bytes;
	u64 unit;
	int ret;

	for (; len; len -= n, pos += n, buf += n) {
		unit = pos >> DSFS_UNIT_BITS;
		ret = dsfs_units_get(u->of.src, u->of.attr, unit, &from, &to, err);
		if (ret)
			return ret;
		if (from < base || to > top)
			return dsfs_broken(err, "end of a frame", to, top);
		bytes = dsfs_unit_bytes(u->of.attr, unit);
		at = pos & (DSFS_UNIT_SIZE - 1);
		n = bytes - at < len ? bytes - at : len;
		ret = unpack_part(u, frames + (from - base), to - from, bytes, buf, at, n, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* Bring in stored bytes, at most a step and a unit of them. */
static int read_frames(const struct units *u, u8 *frames, u64 from, u64 to, struct dsfs_err *err)
{
	struct batch b;
	ssize_t n;

	batch_init(&b, &u->of, u->check, u->flags);
	for (; from < to; from += n, frames += n) {
		n = batch_add(&b, from, frames, to - from, err);
		if (n < 0)
			return n;
	}
	return batch_flush(&b, err);
}

static int read_step(const struct units *u, u8 *buf, u64 len, u64 pos, struct dsfs_err *err)
{
	u64 from, to;
	u8 *frames;
	int ret = units_range(&u->of, pos, pos + len, &from, &to, err);

	if (ret)
		return ret;
	/* no frame is longer than its unit; between broken ones there may be more */
	if (to - from > STORED_STEP + 2 * DSFS_UNIT_SIZE)
		return dsfs_broken(err, "length of frames", to - from, len);
	frames = malloc(to - from);
	if (!frames)
		return dsfs_bad(err, "memory for frames", to - from, 0, -ENOMEM);
	ret = read_frames(u, frames, from, to, err) ?:
	      unpack_units(u, frames, from, to, buf, len, pos, err);
	free(frames);
	return ret;
}

int units_read(const struct units *u, u8 *buf, u64 len, u64 pos, struct dsfs_err *err)
{
	u64 n;
	int ret;

	for (; len; len -= n, pos += n, buf += n) {
		/* up to where a unit ends, which would be unpacked twice */
		n = STORED_STEP - (pos & (DSFS_UNIT_SIZE - 1));
		if (n > len)
			n = len;
		ret = read_step(u, buf, n, pos, err);
		if (ret)
			return ret;
	}
	return 0;
}
