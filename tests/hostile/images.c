// SPDX-License-Identifier: GPL-2.0
/*
 * images mutate|corpus|flip FROM TO OUT WHAT... - hostile images, one a number from
 * FROM to TO, mounted and walked in a guest that has loop devices.
 *
 * mutate: number N is a seed.  It changes a base, each WHAT in turn, and makes checksums
 * right.  OUT has a line for each image: "SEED BASE MOUNT ERRORS FIRST", the errno of the
 * mount, the number of calls that failed and the first of them.
 *
 * corpus: number N is the N-th of the fuzzers' inputs in the directory WHAT, made into an
 * image as the fuzzers do.  The same lines, with the name of the input as BASE.
 *
 * flip: one bit of the first WHAT is flipped, outside the older generation at its front,
 * and checksums are left as they are.  Every result without an error must be that of the
 * base: "BIT MOUNT ERRORS WRONG FIRST".  The second WHAT is the older generation alone:
 * its results must count as wrong.
 *
 * Prints "ok - case" and "not ok - case" lines.  An image that takes longer than a
 * minute, a kernel that complains, and memory that does not come back end the run.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../harness/cases.h"
#include "files.h"
#include "input.h"
#include "layout.h"
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
static u64 current;	/* the bit */
static unsigned long wrong;	/* answers of this image */
static FILE *out;

static const char *name_of(int err)
{
	return err ? strerrorname_np(err) : "OK";
}

/* --- mutations ---------------------------------------------------------------------- */

static void walk_all(struct walk *w)
{
	walk_tree(w, ".");
}

/* Walk all of an image, and write its line of OUT. */
static void try_whole(u64 nr, const char *from, const u8 *p, size_t size)
{
	static const char *const options[] = { "", "meta=lazy", "meta=16K",
						"meta=lazy,verify=off" };
	struct walk w = { .turn = nr };
	char first[4 * sizeof(w.first)];
	int err;

	trial_number(nr);
	err = trial_image(p, size, options[nr % 4], walk_all, &w);
	wrong = w.broken;
	/* Names are any bytes: as fsck.dsfs shows them. */
	msg_escape(first, sizeof(first), w.first);
	if (wrong)
		printf("# %llu: %s\n", nr, first);
	fprintf(out, "%llu %s %s %lu %s\n", nr, from, name_of(err), w.errors, first);
}

static bool begin_seeds(char **what)
{
	for (; what[base_count]; base_count++)
		bytes_read(&bases[base_count], what[base_count], 0);
	return true;
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

static bool begin_inputs(char **what)
{
	int n = scandir(what[0], &inputs, is_input, alphasort);

	if (n <= 0)
		trial_fail(what[0]);
	inputs_dir = what[0];
	last = n;
	return true;
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

/* --- bits ---------------------------------------------------------------------------- */

/* Answers of the good image: hashes of question and answer, sorted. */
static struct { u64 *v; size_t n, room; } known;
static struct { char **v; size_t n; } paths;

static void known_add(u64 hash)
{
	if (known.n == known.room) {
		known.room = 2 * known.room + 1024;
		known.v = realloc(known.v, known.room * sizeof(*known.v));
		if (!known.v)
			trial_fail("memory");
	}
	known.v[known.n++] = hash;
}

static u64 hash_answer(const char *what, const void *p, size_t len)
{
	return xxh64(p, len, xxh64(what, strlen(what), 0));
}

static void learn(const char *what, const void *p, size_t len)
{
	known_add(hash_answer(what, p, len));
	if (strncmp(what, "stat 0 ", 7))
		return;
	paths.v = realloc(paths.v, (paths.n + 1) * sizeof(*paths.v));
	paths.v[paths.n] = strdup(what + 7);
	if (!paths.v[paths.n++])
		trial_fail("memory");
}

static int hash_cmp(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void compare(const char *what, const void *p, size_t len)
{
	u64 hash = hash_answer(what, p, len);

	if (bsearch(&hash, known.v, known.n, sizeof(hash), hash_cmp))
		return;
	if (!wrong++ && current)
		printf("# bit %llu: another answer: %.200s\n", current, what);
}

static void walk_known(struct walk *w)
{
	walk_paths(w, ".", paths.v, paths.n);
}

static void learn_base(const struct bytes *base)
{
	struct walk w = { .seen = learn };

	if (trial_image(base->p, base->size, "", walk_all, &w) || w.errors)
		trial_fail(w.first);
	qsort(known.v, known.n, sizeof(*known.v), hash_cmp);
}

/* An older tree must not pass for the one that was learned. */
static bool notices(const struct bytes *older)
{
	struct walk w = { .seen = compare };

	wrong = 0;
	if (trial_image(older->p, older->size, "", walk_known, &w))
		trial_fail("the older generation");
	return wrong && w.missing;
}

static bool begin_bits(char **what)
{
	bool good;

	begin_seeds(what);
	learn_base(&bases[0]);
	good = notices(&bases[1]);
	return tc_result(good, "an older tree is noticed");
}

/* Where the newest generation begins: what is in front belongs to an older one. */
static u64 live_start(const struct bytes *base)
{
	struct layout l;
	const u8 *older;

	layout_find(&l, base->p, base->size);
	older = layout_record(&l, DSFS_REGION_HISTORY, 0, sizeof(struct dsfs_super));
	return older ? GET(older, dsfs_super, image_bytes) : DSFS_DATA_START_MIN;
}

/* Anywhere in slots, data and metadata; and a little of what nobody reads. */
static u64 bit_of(const struct bytes *base, u64 n)
{
	const u64 start = live_start(base), behind = base->size - start;
	u64 bit = XXH64(&n, sizeof(n), 1) % (8 * (behind + 3 * DSFS_SB_SIZE));

	if (bit < 8 * behind)
		return bit + 8 * start;
	bit -= 8 * behind;
	if (bit < 8 * DSFS_SB_SIZE)
		return bit + 8 * DSFS_SB_POS(0);
	bit -= 8 * DSFS_SB_SIZE;
	return bit < 8 * DSFS_SB_SIZE ? bit + 8 * DSFS_SB_POS(1) : bit - 8 * DSFS_SB_SIZE;
}

static void try_bit(u64 n)
{
	struct bytes *base = &bases[0];
	struct walk w = { .seen = compare, .turn = n };
	u64 bit = bit_of(base, n);
	int err;

	current = bit;
	wrong = 0;
	trial_number(bit);
	base->p[bit / 8] ^= 1 << bit % 8;
	err = trial_image(base->p, base->size, n & 1 ? "meta=lazy" : "", walk_known, &w);
	base->p[bit / 8] ^= 1 << bit % 8;
	/* What was there must not be missing. */
	wrong += w.missing + w.broken;
	fprintf(out, "%llu %s %lu %lu %s\n", bit, name_of(err), w.errors, wrong, w.first);
}

/* --- all of them ----------------------------------------------------------------------- */

static const struct kind {
	const char *name;
	const char *unit;
	int what;		/* how many WHATs it needs */
	bool (*begin)(char **what);
	void (*try)(u64 nr);
	const char *means;	/* what it means that no answer was wrong */
} kinds[] = {
	{ "mutate", "seed", 1, begin_seeds, try_seed,
	  "no bytes behind the end of a file, no impossible name" },
	{ "corpus", "input", 1, begin_inputs, try_input,
	  "no bytes behind the end of a file, no impossible name" },
	{ "flip", "bit", 2, begin_bits, try_bit,
	  "answers are those of the good image, or errors" },
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
	return tc_result(!bad, "%s", kind->means) && good;
}

int main(int argc, char **argv)
{
	const struct kind *kind = argc > 5 ? find_kind(argv[1]) : NULL;
	u64 from, to;
	bool good;

	if (!kind || argc < 5 + kind->what || argc > 5 + BASES_MAX)
		return 2;
	from = strtoull(argv[2], NULL, 0);
	to = strtoull(argv[3], NULL, 0);
	out = fopen(argv[4], "w");
	trial_begin(kind->unit);
	if (!out)
		trial_fail(argv[4]);
	good = kind->begin(argv + 5);
	good &= try_all(kind, from, to < last ? to : last);
	trial_end();
	return fclose(out) || !good;
}
