// SPDX-License-Identifier: GPL-2.0
/*
 * images mutate|corpus FROM TO OUT WHAT... - hostile images, one a number from
 * FROM to TO, mounted and walked in a guest that has loop devices.
 *
 * mutate: number N is a seed.  It changes a base, each WHAT in turn, and makes checksums
 * right.  OUT has a line for each image: "SEED BASE MOUNT ERRORS FIRST", the errno of the
 * mount, the number of calls that failed and the first of them.
 *
 * corpus: number N is the N-th of the fuzzers' inputs in the directory WHAT, made into an
 * image as the fuzzers do.  The same lines, with the name of the input as BASE.
 *
 * Prints "ok - case" and "not ok - case" lines.  An image that takes longer than a
 * minute, a kernel that complains, and memory that does not come back end the run.
 */
#include "../harness/cases.h"
#include "files.h"
#include "input.h"
#include "msg.h"
#include "mutate.h"
#include "trial.h"

#define SLAB_GROWTH	(24 << 10)	/* KiB: KASAN keeps what is freed for a while */
#define WARM_UP		200		/* images until memory is compared */
#define TURN		50		/* seeds of a base until the next one's */
#define BASES_MAX	8

static struct bytes bases[BASES_MAX];
static int base_count;
static const char *inputs_dir;
static struct dirent **inputs;
static u64 last = UINT64_MAX;	/* there are no more numbers */
static unsigned long wrong;	/* what this image may not lead to */
static FILE *out;

static const char *name_of(int err)
{
	return err ? strerrorname_np(err) : "OK";
}

/* --- mutations ---------------------------------------------------------------------- */

/* Walk all of an image, and write its line of OUT. */
static void try_whole(u64 nr, const char *from, const u8 *p, size_t size)
{
	static const char *const options[] = { "", "meta=lazy", "meta=16K",
						"meta=lazy,verify=off" };
	struct walk w = { .turn = nr };
	char first[4 * sizeof(w.first)];
	int err;

	trial_number(nr);
	err = trial_image(p, size, options[nr % 4], &w);
	wrong = w.broken;
	/* Names are any bytes: as fsck.dsfs shows them. */
	msg_escape(first, sizeof(first), w.first);
	if (wrong)
		printf("# %llu: %s\n", nr, first);
	fprintf(out, "%llu %s %s %lu %s\n", nr, from, name_of(err), w.errors, first);
}

static void begin_seeds(char **what)
{
	for (; what[base_count]; base_count++)
		bytes_read(&bases[base_count], what[base_count], 0);
}

static void try_seed(u64 seed)
{
	const int nr = seed / TURN % base_count;
	const struct bytes *base = &bases[nr];
	u8 *p = calloc(1, base->size + MUTATE_ROOM);
	char from[16];
	size_t size;

	if (!p)
		trial_fail("memory");
	memcpy(p, base->p, base->size);
	size = dsfs_mutate(p, base->size, base->size + MUTATE_ROOM, seed, NULL);
	snprintf(from, sizeof(from), "%d", nr);
	try_whole(seed, from, p, size);
	free(p);
}

/* --- inputs of the fuzzers ------------------------------------------------------------ */

static int is_input(const struct dirent *e)
{
	return *e->d_name != '.';
}

static void begin_inputs(char **what)
{
	int n = scandir(what[0], &inputs, is_input, alphasort);

	if (n <= 0)
		trial_fail(what[0]);
	inputs_dir = what[0];
	last = n;
}

static void try_input(u64 nr)
{
	static u8 image[INPUT_IMAGE_MAX];
	const char *name = inputs[nr]->d_name;
	char path[PATH_MAX];
	struct bytes b;
	size_t size;
	u8 head;

	snprintf(path, sizeof(path), "%s/%s", inputs_dir, name);
	bytes_read(&b, path, 0);
	head = input_unpack(b.p, b.size, image, &size);
	input_sums(head, image, size);
	free(b.p);
	try_whole(nr, name, image, size);
}

/* --- all of them ----------------------------------------------------------------------- */

static const struct kind {
	const char *name;
	const char *unit;
	void (*begin)(char **what);
	void (*try)(u64 nr);
} kinds[] = {
	{ "mutate", "seed", begin_seeds, try_seed },
	{ "corpus", "input", begin_inputs, try_input },
};

static const struct kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

/* Memory of the kernel after WARM_UP images and at the end. */
static bool memory_is_back(u64 used)
{
	const u64 now = trial_memory();

	printf("# memory in use: %llu KiB after %d images, %llu at the end\n", used, WARM_UP,
	       now);
	return tc_result(now <= used + SLAB_GROWTH, "memory comes back");
}

static bool try_all(const struct kind *kind, u64 from, u64 to)
{
	unsigned long bad = 0;
	bool good = true;
	u64 used = 0, n;

	for (n = from; n < to; n++) {
		if (n == from + WARM_UP)
			used = trial_memory();
		kind->try(n);
		bad += wrong;
	}
	if (used)
		good = memory_is_back(used);
	return tc_result(!bad, "no bytes behind the end of a file, no impossible name") && good;
}

int main(int argc, char **argv)
{
	const struct kind *kind = argc > 5 ? find_kind(argv[1]) : NULL;
	u64 from, to;
	bool good;

	if (!kind || argc > 5 + BASES_MAX)
		return 2;
	from = strtoull(argv[2], NULL, 0);
	to = strtoull(argv[3], NULL, 0);
	out = fopen(argv[4], "w");
	trial_begin(kind->unit);
	if (!out)
		trial_fail(argv[4]);
	kind->begin(argv + 5);
	good = try_all(kind, from, to < last ? to : last);
	trial_end();
	return fclose(out) || !good;
}
