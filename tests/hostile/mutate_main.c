// SPDX-License-Identifier: GPL-2.0
/*
 * mutate [--describe] BASE SEED [OUT] - make the image of a seed, which reports
 * give as a number.
 *
 * mutate --each - make the image of each line "BASE SEED OUT" of standard input, separated by tabs;
 * a line of output says that it is there.
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

static int each(void)
{
	char base[1024], out[1024];
	u64 seed;

	while (scanf(" %1023[^\t]\t%llu\t%1023[^\n]", base, &seed, out) == 3) {
		mutate(base, seed, false, out);
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
