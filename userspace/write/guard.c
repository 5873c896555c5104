// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of others, which a write must not reach.  Nobody lists them, as many machines make them at
 * the same time, but each begins at a multiple of PART_UNIT: so one place of each is looked at
 * before it is written to.  Files say where they have holes, in which no part is.
 */
#include <unistd.h>

#include "imagemsg.h"
#include "io.h"
#include "msg.h"
#include "output.h"

#define UNIT_MASK	((u64)PART_UNIT - 1)
/* What is looked at before anything is written, of a device, which has no holes; and backwards */
#define AHEAD		(64ULL << 20)
#define BACK		(64ULL << 30)

bool guard_signature(int fd, u64 at)
{
	__le32 magic;

	for (unsigned int slot = 0; slot < DSFS_SB_SLOTS; slot++) {
		if (io_pread(fd, &magic, sizeof(magic), at + DSFS_SB_POS(slot)) == sizeof(magic) &&
		    le32_to_cpu(magic) == DSFS_SUPER_MAGIC)
			return true;
	}
	return false;
}

/* Where data begins in a file, at @at or behind it; a device says nothing, so it is there. */
static u64 data_at(int fd, u64 at)
{
	const off_t data = lseek(fd, at, SEEK_DATA);

	return data >= 0 ? data : errno == ENXIO ? UINT64_MAX : at;
}

int guard_range(int fd, const char *path, const char *advice, u64 from, u64 to)
{
	for (u64 at = (from + UNIT_MASK) & ~UNIT_MASK; at < to; at += PART_UNIT) {
		at = data_at(fd, at) & ~UNIT_MASK;
		if (at >= to)
			break;
		if (guard_signature(fd, at))
			return msg_fail(-EEXIST, path, "a part is in the way, at byte %llu: %s",
					at, advice);
	}
	return 0;
}

int output_guard(const struct output *out, u64 from, u64 to)
{
	return out->guard ? guard_range(out->fd, out->path, out->guard, out->at + from,
					out->at + to) : 0;
}

int output_guard_open(const struct output *out, u64 start)
{
	if (!out->limit)
		return output_guard(out, start, INT64_MAX);
	return output_guard(out, start, out->limit < start + AHEAD ? out->limit : start + AHEAD);
}

/* Where the part that begins at @at ends */
static u64 part_end(const char *path, u64 at)
{
	struct image img;
	u64 end = at;
	char *name;

	if (asprintf(&name, "%s@%llu", path, at) < 0)
		return at;
	if (!image_open(&img, name)) {
		end += img.geo ? img.geo->image_bytes : 0;
		image_close(&img);
	}
	free(name);
	return end;
}

int guard_inside(int fd, const char *path, u64 pos)
{
	for (u64 at = pos; at > PART_UNIT && pos - at < BACK;) {
		at -= PART_UNIT;
		/* a part has no holes */
		if (data_at(fd, at) >= at + PART_UNIT)
			return 0;
		if (!guard_signature(fd, at))
			continue;
		if (part_end(path, at) <= pos)
			return 0;
		return msg_fail(-EEXIST, path,
				"byte %llu lies in a part at byte %llu: use -f to overwrite", pos,
				at);
	}
	return 0;
}
