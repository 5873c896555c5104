// SPDX-License-Identifier: GPL-2.0
/*
 * Detection of holes.  They follow from the content alone, not from the holes
 * of the source file: every long run of zero blocks becomes one.  So a copy of
 * a tree whose holes were filled or added gives the same image.
 */
#include "content.h"

static bool all_zero(const char *p, u64 n)
{
	return !p[0] && !memcmp(p, p + 1, n - 1);
}

void holes_init(struct holes *h, int (*emit)(void *, const char *, u64), void *ctx)
{
	*h = (struct holes){ .emit = emit, .ctx = ctx,
			     .extents.size = sizeof(struct dsfs_extent_record) };
}

void holes_free(struct holes *h)
{
	array_free(&h->extents);
}

static int out(struct holes *h, const char *p, u64 bytes)
{
	const struct dsfs_extent_record raw = {
		.logical = cpu_to_le64(h->logical), .stored = cpu_to_le64(h->stored),
	};

	if (!h->open && array_append(&h->extents, &raw))
		return -ENOMEM;
	h->open = true;
	h->logical += bytes;
	h->stored += bytes;
	return h->emit(h->ctx, p, bytes);
}

/* At the end of a run of zeros, or of all: make it a hole, or store it if it is short. */
int holes_end(struct holes *h)
{
	u64 zeros = h->zeros;

	h->zeros = 0;
	if (zeros < HOLE_MIN)
		return zeros ? out(h, NULL, zeros) : 0;
	h->logical += zeros;
	h->sparse = true;
	h->open = false;
	return 0;
}

int holes_data(struct holes *h, const char *p, u64 bytes)
{
	u64 done = 0, from = 0;
	int ret = 0;

	while (!ret && done < bytes) {
		u64 n = bytes - done < DSFS_BLOCK_SIZE ? bytes - done :
							 DSFS_BLOCK_SIZE;

		if (all_zero(p + done, n)) {
			if (from < done)
				ret = out(h, p + from, done - from);
			h->zeros += n;
			from = done + n;
		} else if (h->zeros) {
			ret = holes_end(h);
		}
		done += n;
	}
	return ret || from == done ? ret : out(h, p + from, done - from);
}

int holes_zeros(struct holes *h, u64 bytes)
{
	h->zeros += bytes;
	return 0;
}
