// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that share the cache and are killed at any time, while others continue, the cache
 * is full, its hand moves, and now and then all its files are removed.  Every byte that a
 * process reads is compared with the origin's.
 *
 * A reader writes a byte to its pipe for each sample; the parent kills it after a number of
 * bytes that the seed gives, so nothing depends on time.
 */
#include "unit_cache.h"

#define IMAGE		(6 * MIB + 77)
#define PROCESSES	4
#define KILLS		60
#define KILLS_LONG	5000

struct child {
	pid_t pid;
	int out;
};

static bool lru;
static struct origin origin;

/* Return: not. */
static void read_for_ever(int out, u64 seed)
{
	struct dsfs_reader *r = must_cache(&origin, 3 * MIB, lru);

	for (;;) {
		const size_t len = 1 + next_random(&seed) % (128 * KIB);
		const u64 pos = next_random(&seed) % (IMAGE - len);
		int ret = next_random(&seed) % 2 ? get_as_library(r, &origin, pos, len) :
			  get(r, &origin, pos, len, 0);

		if (write(out, ret ? "X" : ".", 1) != 1 || ret)
			_exit(1);
	}
}

static void start(struct child *c, u64 seed)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		exit(1);
	c->pid = fork();
	if (!c->pid) {
		close(ends[0]);
		read_for_ever(ends[1], seed);
	}
	if (c->pid < 0)
		exit(1);
	close(ends[1]);
	c->out = ends[0];
}

/* Return: whether it read something wrong until then. */
static bool kill_after(struct child *c, u64 samples)
{
	bool wrong = false;
	char said = 0;

	for (; samples && !wrong; samples--)
		wrong = read(c->out, &said, 1) != 1 || said != '.';
	kill(c->pid, SIGKILL);
	while (!wrong && read(c->out, &said, 1) == 1)
		wrong = said != '.';
	waitpid(c->pid, NULL, 0);
	close(c->out);
	return wrong;
}

static unsigned int run_kills(unsigned int kills, u64 seed)
{
	struct child c[PROCESSES];
	unsigned int wrong = 0;

	for (int i = 0; i < PROCESSES; i++)
		start(&c[i], next_random(&seed));
	for (unsigned int k = 0; k < kills; k++) {
		struct child *victim = &c[next_random(&seed) % PROCESSES];

		wrong += kill_after(victim, next_random(&seed) % 60);
		if (next_random(&seed) % 20 == 0)
			tap_remove(cache_path);
		start(victim, next_random(&seed));
	}
	for (int i = 0; i < PROCESSES; i++)
		wrong += kill_after(&c[i], 1);
	return wrong;
}

static void test_policy(unsigned int kills)
{
	struct dsfs_reader *r;
	unsigned int wrong;

	work_begin();
	origin_init(&origin, IMAGE, "kills");
	wrong = run_kills(kills, lru ? 7 : 8);
	OK(!wrong, "%s: %d processes, killed %u times: %u read wrong bytes", lru ? "lru" : "keep",
	   PROCESSES, kills, wrong);
	r = must_cache(&origin, 3 * MIB, lru);
	OK(!get(r, &origin, 0, IMAGE, 0) && !get_as_library(r, &origin, 0, IMAGE),
	   "what they left is right");
	close_reader(r);
	work_end();
}

TESTS(kills)
{
	const unsigned int kills = is_long() ? KILLS_LONG : KILLS;

	lru = false;
	test_policy(kills);
	lru = true;
	test_policy(kills);
}
