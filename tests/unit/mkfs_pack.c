// SPDX-License-Identifier: GPL-2.0
/*
 * Compression: which matches a frame of zstd may have.  What is expected is made by the library.
 */
#include "data/pack.h"
#include "mkfs.h"

#ifndef DSFS_NO_ZSTD
#include <zstd.h>

#define UNIT	DSFS_UNIT_SIZE

/* Numbers that do not repeat, as the same bytes on every machine */
static u32 next(u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Annotations: the same names, and other numbers */
static void fill_text(char *unit)
{
	u32 n = 0, state = 1;
	char line[80];

	while (n < UNIT) {
		const u32 len = snprintf(line, sizeof(line), "{\"id\": %u, \"box\": [%u, %u]}, ",
					 next(&state) % 1000000, next(&state) % 640,
					 next(&state) % 480);
		const u32 room = len < UNIT - n ? len : UNIT - n;

		memcpy(unit + n, line, room);
		n += room;
	}
}

/* An array: 200 values of four bytes in no order */
static void fill_values(char *unit)
{
	u32 values[200], state = 2, i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = next(&state) << 9 ^ next(&state);
	for (i = 0; i < UNIT; i += sizeof(*values))
		memcpy(unit + i, &values[next(&state) % ARRAY_SIZE(values)], sizeof(*values));
}

/* Whether mkfs makes the frame that the library makes with matches of @match bytes or more */
static bool has_matches(int level, const char *unit, int match)
{
	const struct pack_rules rules = { .codec = DSFS_CODEC_ZSTD, .level = level };
	struct packer *p = packer_new(&rules);
	char *want = unit_alloc(UNIT);
	ZSTD_CCtx *c = ZSTD_createCCtx();
	const char *frame;
	size_t len;
	bool same;

	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(c, ZSTD_c_minMatch, match);
	len = ZSTD_compress2(c, want, UNIT - 1, unit, UNIT);
	same = p && pack_unit(p, unit, UNIT, &frame) == len && !memcmp(frame, want, len);
	ZSTD_freeCCtx(c);
	packer_free(p);
	free(want);
	return same;
}

TESTS(pack)
{
	char *unit = unit_alloc(UNIT);
	const int as_level = 0;

	fill_text(unit);
	OK(has_matches(9, unit, 6), "text without short matches");
	OK(has_matches(3, unit, 6), "text by the level of the trial");
	OK(has_matches(1, unit, 6), "text by a lower level");
	OK(has_matches(13, unit, as_level), "text by a level for the smallest image");
	fill_values(unit);
	OK(has_matches(9, unit, as_level), "an array of values with short matches");
	free(unit);
}
#endif
