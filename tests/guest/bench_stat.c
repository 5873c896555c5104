// SPDX-License-Identifier: GPL-2.0
/*
 * bench_stat - what a stat costs when dentry and inode are gone and what they
 * are made from is still cached; or, with --make, the files to do that with.
 *
 * Each round uses other files of the directory.  A first pass reads all metadata
 * into memory.  Dentries and inodes are dropped; RCU gets the time to free them
 * (without it the results vary), and half-empty slabs are emptied (otherwise the
 * number of new slabs depends on the number of files).  Then one pass finds no
 * dentries, and one finds all of them.  For a machine whose clock counts
 * instructions; prints medians and the range of the rounds.
 *
 * The directories stay open: otherwise their inodes would be dropped as well,
 * and with them the pages of those file systems that keep names there.  Several
 * small ones make a pass long enough: a slab or a timer's tick more or less is
 * a percent of a few hundred files.
 */
#include "bench.h"

#define ROUNDS_MAX	99
#define DIRS_MAX	64
#define NAME_ROOM	32
#define STEP		7368787	/* a prime: visits all files in scattered order */

static uint64_t files, sample = 2000, rounds = 9;
static struct name {
	int dir;
	char name[NAME_ROOM];
} *names;
static int dirs[DIRS_MAX];
static unsigned int nr_dirs;

static void name_of(char *name, unsigned long i)
{
	snprintf(name, NAME_ROOM, "img_%08lu.jpg", i);
}

/* Each with ten bytes of its own; or @empty, which takes less long. */
static void make_files(bool empty)
{
	char name[NAME_ROOM], text[NAME_ROOM];
	unsigned long i;
	int fd;

	for (i = 0; i < files; i++) {
		name_of(name, i);
		fd = openat(dirs[0], name, O_WRONLY | O_CREAT | O_EXCL, 0644);
		if (fd < 0)
			t_die(name, "create");
		snprintf(text, sizeof(text), "%010lu", i);
		if (!empty && write(fd, text, 10) != 10)
			t_die(name, "write");
		close(fd);
	}
}

static void shrink_slabs(void)
{
	static const char * const slabs[] = {
		"dentry", "inode_cache", "erofs_inode", "ext4_inode_cache",
		"xfs_inode", "lsm_inode_cache",
	};
	char path[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(slabs); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", slabs[i]);
		if (!access(path, W_OK))
			t_write(path, "1");
	}
}

static void drop(void)
{
	/* What was used since the last look survives the first time. */
	t_drop_caches("2");
	t_drop_caches("2");
	sleep(2);
	shrink_slabs();
}

static uint64_t pass(void)
{
	uint64_t start = bench_now();
	struct stat st;
	unsigned long i;

	for (i = 0; i < sample; i++) {
		if (fstatat(names[i].dir, names[i].name, &st, AT_SYMLINK_NOFOLLOW))
			t_die(names[i].name, "stat");
	}
	return bench_now() - start;
}

/* Other files each round, in scattered order, none twice. */
static void choose(unsigned long round)
{
	unsigned long i, n;

	for (i = 0; i < sample; i++) {
		n = (round * sample + i) / nr_dirs;
		names[i].dir = dirs[i % nr_dirs];
		name_of(names[i].name, n * STEP % files);
	}
}

static void measure(void)
{
	double above[ROUNDS_MAX], cached[ROUNDS_MAX];
	unsigned long r;
	uint64_t cold;

	if (sample > files * nr_dirs)
		sample = files * nr_dirs;
	/* As many files of each directory, so that none comes twice */
	sample -= sample % nr_dirs;
	names = t_alloc(sample * sizeof(*names));
	for (r = 0; r < rounds; r++) {
		choose(r);
		pass();
		drop();
		cold = pass();
		cached[r] = (double)pass() / sample;
		above[r] = (double)cold / sample - cached[r];
	}
	bench_sort(above, rounds);
	bench_sort(cached, rounds);
	printf("above=%.0f min=%.0f max=%.0f cached=%.0f sample=%llu rounds=%llu\n",
	       above[rounds / 2], above[0], above[rounds - 1], cached[rounds / 2],
	       (unsigned long long)sample, (unsigned long long)rounds);
}

int main(int argc, char **argv)
{
	bool make = false, empty = false;
	const struct t_option options[] = {
		{ "files", .number = &files }, { "sample", .number = &sample },
		{ "rounds", .number = &rounds }, { "make", .flag = &make },
		{ "empty", .flag = &empty }, { }
	};
	char **dir;

	t_init("bench_stat");
	dir = t_options(argc, argv, options, -1, "--files=N [--sample=N] [--rounds=N] DIR...\n"
			"       bench_stat --make --files=N [--empty] DIR");
	for (; *dir && nr_dirs < DIRS_MAX; dir++) {
		dirs[nr_dirs] = open(*dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dirs[nr_dirs++] < 0)
			t_die(*dir, "open");
	}
	if (*dir || !files || !sample || !rounds || rounds > ROUNDS_MAX)
		return 2;
	if (make) {
		make_files(empty);
		return 0;
	}
	mlockall(MCL_CURRENT | MCL_FUTURE);
	measure();
	return 0;
}
