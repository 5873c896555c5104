// SPDX-License-Identifier: GPL-2.0
/*
 * samples - rate at which libdsfs reads samples, of two images by turns.
 *
 *	samples ROUNDS IMAGE ADDRESS SOURCE
 *
 * Reads all regular files as a whole, in the same random order, of the local IMAGE and of the
 * one at ADDRESS with options SOURCE.  The first epoch of each is not counted.  Prints samples
 * per second of both, one line for each round.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dsfs.h"

struct set {
	struct dsfs_image *image;
	uint64_t *ino;
	size_t n;
	size_t largest;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "samples: %s: %s\n", what, why);
	exit(1);
}

static void open_set(struct set *s, const char *address, const char *source)
{
	const struct dsfs_open_options o = { .size = sizeof(o), .source = source };
	struct dsfs_error error;
	struct dsfs_info info;
	struct dsfs_stat st;

	if (dsfs_open(address, &o, &s->image, &error))
		die(address, error.message);
	dsfs_get_info(s->image, &info);
	s->ino = calloc(info.inodes + 1, sizeof(*s->ino));
	if (!s->ino)
		die(address, "no memory");
	for (uint64_t ino = 1; ino <= info.inodes; ino++) {
		if (dsfs_stat(s->image, ino, &st, &error) || (st.mode & 0170000) != 0100000)
			continue;
		s->ino[s->n++] = ino;
		if (st.size > s->largest)
			s->largest = st.size;
	}
}

/* The same order for both images, whose inodes are the same */
static void shuffle(struct set *s)
{
	srandom(1);
	for (size_t i = s->n; i > 1; i--) {
		size_t k = random() % i;
		uint64_t ino = s->ino[k];

		s->ino[k] = s->ino[i - 1];
		s->ino[i - 1] = ino;
	}
}

static double epoch(const struct set *s, void *buf)
{
	struct timespec from, to;
	struct dsfs_error error;
	struct dsfs_file *file;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (size_t i = 0; i < s->n; i++) {
		if (dsfs_file_open(s->image, s->ino[i], 0, &file, &error) ||
		    dsfs_pread(file, buf, s->largest, 0, &error) < 0)
			die("read", error.message);
		dsfs_file_close(file);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	return s->n / (to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9);
}

int main(int argc, char **argv)
{
	struct set here = { }, far = { };
	double rate;
	void *buf;

	if (argc != 5)
		die("usage", "samples ROUNDS IMAGE ADDRESS SOURCE");
	open_set(&here, argv[2], NULL);
	open_set(&far, argv[3], argv[4]);
	shuffle(&here);
	shuffle(&far);
	buf = calloc(1, here.largest + 1);
	if (!buf)
		die("buffer", "no memory");
	epoch(&here, buf);
	epoch(&far, buf);
	for (int i = atoi(argv[1]); i > 0; i--) {
		rate = epoch(&here, buf);
		printf("%.0f %.0f\n", rate, epoch(&far, buf));
		fflush(stdout);
	}
	free(buf);
	dsfs_close(here.image);
	dsfs_close(far.image);
	return 0;
}
