// SPDX-License-Identifier: GPL-2.0
/*
 * mutate [--describe] BASE SEED [OUT] - make the image of a seed, which reports
 * give as a number.
 *
 * mutate --each - for each line "mutate BASE SEED OUT" of standard input make that image, and for
 * "flip BASE BIT OUT" the image with one bit flipped; words are separated by tabs.  A line of
 * output says that it is there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "mutate.h"

/* @describe: print what was changed; @out: NULL: nothing else */
static void mutate(const char *base, u64 seed, bool describe, const char *out)
{
	struct dsfs_mutation what;
	struct bytes b;
	size_t size;

	bytes_read(&b, base, MUTATE_ROOM);
	size = dsfs_mutate(b.p, b.size, b.size + MUTATE_ROOM, seed, &what);
	if (describe)
		fputs(what.text, stdout);
	if (out)
		bytes_write(b.p, size, out);
	free(b.p);
}

static void flip(const char *base, u64 bit, const char *out)
{
	struct bytes b;

	bytes_read(&b, base, 0);
	if (bit / 8 < b.size)
		b.p[bit / 8] ^= 1 << bit % 8;
	bytes_write(b.p, b.size, out);
	free(b.p);
}

static int each(void)
{
	char how[16], base[1024], out[1024];
	u64 nr;

	while (scanf(" %15[^\t]\t%1023[^\t]\t%llu\t%1023[^\n]", how, base, &nr, out) == 4) {
		if (!strcmp(how, "flip"))
			flip(base, nr, out);
		else
			mutate(base, nr, false, out);
		puts("made");
		fflush(stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const bool describe = argc > 1 && !strcmp(argv[1], "--describe");

	if (argc == 2 && !strcmp(argv[1], "--each"))
		return each();
	argv += describe;
	argc -= describe;
	if (argc != 4 && !(describe && argc == 3)) {
		fputs("usage: mutate [--describe] BASE SEED [OUT]\n", stderr);
		return 2;
	}
	mutate(argv[1], strtoull(argv[2], NULL, 0), describe, argv[3]);
	return 0;
}
