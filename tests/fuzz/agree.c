// SPDX-License-Identifier: GPL-2.0
/*
 * agree FROM TO INPUT... - whether fsck.dsfs and the readers of an image agree.
 *
 * Each seed from FROM to TO changes a good image, that of each INPUT in turn, and
 * makes checksums right.  An image that fsck.dsfs calls clean must be one that the
 * kernel would mount and read to the last byte, as walk_all() does, and that
 * dsfs writes as an archive without an error.  A fuzzer seldom finds such images: it
 * continues from images that are broken already.
 *
 * Prints figures; exits with 1 and names the seed if they do not agree.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory.h"
#include "mutate.h"

#define INPUTS_MAX	64

void __sanitizer_set_report_fd(void *fd);
void __sanitizer_set_death_callback(void (*call)(void));

static const char *const check[] = { "fsck.dsfs", "--threads=1", "image", NULL };
static const char *const list[] = { "dsfs", "tar", "image", NULL };
static u8 image[INPUT_IMAGE_MAX];
static struct { const char *path; u8 *p; size_t len; } bases[INPUTS_MAX];
static struct dsfs_mutation what;
static unsigned long long seed, clean, readable, images;
static const char *base;
static int out;

static void name_seed(void)
{
	dprintf(out, "# seed %llu of %s:\n# %s", seed, base, what.text);
}

static void on_abort(int sig)
{
	name_seed();
}

static void read_base(int i, const char *path)
{
	static u8 data[2 * INPUT_IMAGE_MAX];
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(data, 1, sizeof(data), f) : 0;
	u8 head = input_unpack(data, n, image, &bases[i].len);

	input_sums(head, image, bases[i].len);
	bases[i].path = path;
	bases[i].p = malloc(bases[i].len + 1);
	if (!n || !bases[i].p) {
		perror(path);
		exit(1);
	}
	memcpy(bases[i].p, image, bases[i].len);
	fclose(f);
}

/* What the tools print is of no use here, but what the sanitizers do is. */
static void quiet(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	out = dup(STDOUT_FILENO);
	if (out < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(null, STDERR_FILENO) < 0)
		exit(1);
	close(null);
	__sanitizer_set_report_fd((void *)(intptr_t)out);
	__sanitizer_set_death_callback(name_seed);
	signal(SIGABRT, on_abort);
}

/* Whether all agree on what is in memory. */
static bool agree(void)
{
	const int fsck = tool_main(fsck_main, check);
	const bool whole = walk_all();
	const bool listed = !tool_main(dsfs_main, list);

	images++;
	clean += !fsck;
	readable += whole;
	return fsck || (whole && listed);
}

static bool agree_on_seed(int nr)
{
	size_t len = bases[nr].len;

	base = bases[nr].path;
	memcpy(image, bases[nr].p, len);
	len = dsfs_mutate(image, len, sizeof(image), seed, &what);
	memory_set(image, len);
	if (agree())
		return true;
	dprintf(out, "# fsck.dsfs calls clean what cannot be read\n");
	name_seed();
	return false;
}

int main(int argc, char **argv)
{
	unsigned long long to;
	int i, count = argc - 3;
	bool odd = false;

	if (count < 1 || count > INPUTS_MAX) {
		fputs("usage: agree FROM TO INPUT...\n", stderr);
		return 2;
	}
	for (i = 0; i < count; i++)
		read_base(i, argv[3 + i]);
	seed = strtoull(argv[1], NULL, 0);
	to = strtoull(argv[2], NULL, 0);
	quiet();
	for (; seed < to; seed++)
		odd |= !agree_on_seed(seed % count);
	dprintf(out, "# %llu images, %llu of them clean for fsck.dsfs, %llu read whole\n",
		images, clean, readable);
	for (i = 0; i < count; i++)
		free(bases[i].p);
	/* without both kinds nothing was compared */
	return odd || !clean || readable == images;
}
