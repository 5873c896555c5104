// SPDX-License-Identifier: GPL-2.0
/*
 * mutate [--describe] BASE SEED [OUT] - make the image of a seed, which reports
 * give as a number.
 *
 * mutate --flip BASE BIT OUT - make the image with one bit flipped.
 *
 * mutate --chain=N BASE SEED - N mutations, each on top of the last, and the
 * base again after 50: a test of the mutator itself, under sanitizers.
 */
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "mutate.h"

static int chain(const char *base, u64 seed, u64 n)
{
	struct dsfs_mutation what;
	struct bytes b, good;
	u64 i, none = 0;
	size_t size = 0;

	bytes_read(&b, base, MUTATE_ROOM);
	bytes_read(&good, base, 0);
	for (i = 0; i < n; i++) {
		if (i % 50 == 0) {
			size = good.size;
			memcpy(b.p, good.p, size);
		}
		size = dsfs_mutate(b.p, size, good.size + MUTATE_ROOM, seed + i, &what);
		none += !what.changes;
	}
	printf("%llu mutations, %llu of them empty\n", n, none);
	free(b.p);
	free(good.p);
	return 0;
}

static int flip(const char *base, u64 bit, const char *out)
{
	struct bytes b;

	bytes_read(&b, base, 0);
	if (bit / 8 >= b.size)
		return 2;
	b.p[bit / 8] ^= 1 << bit % 8;
	bytes_write(b.p, b.size, out);
	free(b.p);
	return 0;
}

int main(int argc, char **argv)
{
	const bool describe = argc > 1 && !strcmp(argv[1], "--describe");
	struct dsfs_mutation what;
	struct bytes b;
	size_t size;

	if (argc == 4 && !strncmp(argv[1], "--chain=", 8))
		return chain(argv[2], strtoull(argv[3], NULL, 0),
			     strtoull(argv[1] + 8, NULL, 0));
	if (argc == 5 && !strcmp(argv[1], "--flip"))
		return flip(argv[2], strtoull(argv[3], NULL, 0), argv[4]);
	argv += describe;
	argc -= describe;
	if (argc != 4 && !(describe && argc == 3)) {
		fputs("usage: mutate [--describe] BASE SEED [OUT]\n", stderr);
		return 2;
	}
	bytes_read(&b, argv[1], MUTATE_ROOM);
	size = dsfs_mutate(b.p, b.size, b.size + MUTATE_ROOM,
			   strtoull(argv[2], NULL, 0), &what);
	if (describe)
		fputs(what.text, stdout);
	if (argc == 4)
		bytes_write(b.p, size, argv[3]);
	free(b.p);
	return 0;
}
