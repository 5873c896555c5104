// SPDX-License-Identifier: GPL-2.0
/*
 * Images whose fields were changed and whose checksums are right again: every call
 * returns, and the sanitizers find nothing.
 */
#include "mutate.h"
#include "test.h"

#define MUTATIONS	150

void test_hostile(const char *path)
{
	struct bytes good = read_bytes(path);
	const size_t room = good.size + MUTATE_ROOM;
	struct dsfs_mutation what;
	struct dsfs_image *image;
	u8 *bad = malloc(room);
	u64 seed, opened = 0, wrong = 0, errors;
	size_t len;

	for (seed = 1; seed <= MUTATIONS; seed++) {
		memcpy(bad, good.p, good.size);
		len = dsfs_mutate(bad, good.size, room, seed, &what);
		if (bytes_open(bad, len, NULL, &image, NULL))
			continue;
		opened++;
		visit(image, &errors);
		wrong += errors > 2;
		dsfs_verify(image, DSFS_VERIFY_DATA, NULL);
		dsfs_close(image);
	}
	OK(opened > MUTATIONS / 4 && wrong > opened / 4,
	   "hostile: %u images, %llu open, %llu of them with errors", MUTATIONS, opened, wrong);
	free(bad);
	free(good.p);
}
