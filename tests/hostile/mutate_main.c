// SPDX-License-Identifier: GPL-2.0
/*
 * mutate [--describe] BASE SEED [OUT] - make the image of a seed, which reports
 * give as a number.
 *
 * mutate --flip BASE BIT OUT - make the image with one bit flipped.
 */
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "mutate.h"

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
