// SPDX-License-Identifier: GPL-2.0
/*
 * pressure - many readers, each in another way, while the kernel's caches are
 * dropped, memory is short, images are mounted, unmounted and remounted.
 *
 *   pressure --data=FILES, --manifest=FILES	for mkfs.dsfs: the data set, whose files
 *						are ranges of "data" and "zeros"
 *   pressure --seconds=N ... DIR	run; see usage
 *
 * Every byte is compared: names, sizes and contents follow from a file's number,
 * so no reference copy competes for the memory.  Which races happen depends on the
 * machine, so the test runs for a given time, and the checks of each kind of
 * process are counted.  A kind that has checked nothing fails.
 */
#include "pressure.h"

#define DIRS	64
#define KINDS	64	/* of jobs, at most */
#define SIZE_MAX_HERE	(8 << 20)	/* bytes of a file */

struct pressure_opts pressure_opts;

static uint64_t state;

void pressure_seed(uint64_t seed)
{
	state = t_mix(seed);
}

uint64_t pressure_random(uint64_t below)
{
	state++;
	return below ? t_mix(state) % below : 0;
}

/*
 * Many small ones that share blocks, some about the size of a sample, few that
 * are too large to come in whole.
 */
uint64_t pressure_size(uint64_t file)
{
	static const uint64_t most[16] = {
		4096, 4096, 4096, 4096, 16384, 16384, 16384, 16384,
		131072, 131072, 131072, 131072, 131072, 524288, 524288, 1572864
	};
	uint64_t most_here = file % 256 == 255 ? SIZE_MAX_HERE : most[file % 16];

	return 1 + t_mix(file) % most_here;
}

/* One in 32 is nothing but a hole. */
static bool is_zero(uint64_t file)
{
	return file % 32 == 7;
}

const char *pressure_name(const char *dir, uint64_t file)
{
	static char names[4][4096];
	static unsigned int next;
	char *name = names[next++ % 4];

	snprintf(name, sizeof(names[0]), "%s/d%02u/f%06llu", dir, (unsigned int)(file % DIRS),
		 (unsigned long long)file);
	return name;
}

static int manifest(uint64_t files)
{
	uint64_t i;

	for (i = 0; i < files; i++) {
		printf("{\"path\":\"%s\",\"source\":\"%s\",\"offset\":%llu,\"size\":%llu}\n",
		       pressure_name("", i), is_zero(i) ? "zeros" : "data",
		       is_zero(i) ? 0ULL : 8ULL * i, (unsigned long long)pressure_size(i));
	}
	return fflush(stdout) ? 1 : 0;
}

/* No byte is zero, so that no run of zeros becomes a hole. */
static uint64_t word_at(uint64_t n)
{
	return t_mix(n) | 0x0101010101010101ULL;
}

static int put_data(uint64_t files)
{
	uint64_t i, word;

	for (i = 0; i < files + SIZE_MAX_HERE / 8; i++) {
		word = word_at(i);
		fwrite(&word, sizeof(word), 1, stdout);
	}
	return fflush(stdout) ? 1 : 0;
}

/* A file begins at the word of its number. */
static unsigned char byte_at(uint64_t file, uint64_t pos)
{
	return word_at(file + pos / 8) >> (pos % 8 * 8);
}

/* How far @p is what it should be. */
static size_t right_bytes(uint64_t file, const unsigned char *p, uint64_t pos, size_t len)
{
	uint64_t word;
	size_t i = 0;

	if (is_zero(file)) {
		while (i < len && !p[i])
			i++;
		return i;
	}
	for (; i < len && (pos + i) % 8; i++) {
		if (p[i] != byte_at(file, pos + i))
			return i;
	}
	for (; i + 8 <= len; i += 8) {
		memcpy(&word, p + i, 8);
		if (word != word_at(file + (pos + i) / 8))
			break;
	}
	for (; i < len; i++) {
		if (p[i] != byte_at(file, pos + i))
			break;
	}
	return i;
}

bool pressure_same(struct t_case *c, uint64_t file, const void *buf, uint64_t pos, size_t len)
{
	size_t right = right_bytes(file, buf, pos, len);

	return t_check(c, right == len, pressure_name("", file),
		       "byte %llu is 0x%02x", (unsigned long long)(pos + right),
		       right < len ? ((const unsigned char *)buf)[right] : 0);
}

int pressure_open(struct t_case *c, const char *dir, uint64_t file, int flags)
{
	int fd = open(pressure_name(dir, file), O_RDONLY | O_CLOEXEC | flags);

	t_check(c, fd >= 0, pressure_name(dir, file), "open: %s", strerror(errno));
	return fd;
}

void pressure_whole(struct t_case *c, const char *dir, uint64_t file)
{
	static unsigned char buf[65536];
	int fd = pressure_open(c, dir, file, 0);
	uint64_t pos = 0;
	ssize_t n;

	if (fd < 0)
		return;
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		pressure_same(c, file, buf, pos, n);
		pos += n;
	}
	t_check(c, !n && pos == pressure_size(file), pressure_name(dir, file),
		"read: %llu bytes: %s", (unsigned long long)pos, n ? strerror(errno) : "too few");
	close(fd);
}

const char *pressure_own_dir(const char *what)
{
	static char dir[4096];

	snprintf(dir, sizeof(dir), "%s/%s-%d", pressure_opts.scratch, what, getpid());
	if (mkdir(dir, 0755) && errno != EEXIST)
		t_die(dir, "mkdir");
	return dir;
}

#define LATE	600	/* seconds more, for what a slow machine has not come to */

/* Until the end, and until something of its kind was checked. */
static bool goes_on(const struct t_case *shared, time_t end)
{
	const time_t now = time(NULL);
	const bool checked = __atomic_load_n(&shared->checks, __ATOMIC_RELAXED) ||
			     __atomic_load_n(&shared->skip, __ATOMIC_RELAXED);

	return now < end || (!checked && now < end + LATE);
}

static pid_t start(struct pressure_job *job, struct t_case *shared, uint64_t number, time_t end)
{
	pid_t pid = fork();

	if (pid < 0)
		t_die(job->c.name, "fork");
	if (pid)
		return pid;
	pressure_seed(number);
	if (job->small)
		t_write("/sys/fs/cgroup/small/cgroup.procs", "0");
	do {
		struct t_case c = { .name = job->c.name };

		if (job->way)
			pressure_by_way(&c, job->way, job->flags);
		else
			job->once(&c);
		__atomic_fetch_add(&shared->checks, c.checks, __ATOMIC_RELAXED);
		__atomic_fetch_add(&shared->failures, c.failures, __ATOMIC_RELAXED);
		/* All of one kind; and written by anybody, read at the end. */
		if (c.skip)
			__atomic_store_n(&shared->skip, c.skip, __ATOMIC_RELAXED);
	} while (shared->failures < 20 && goes_on(shared, end));
	_exit(0);
}

/* Starts all of a list; returns how many processes. */
static size_t start_all(struct pressure_job *job, struct t_case *shared, time_t end, pid_t *pids)
{
	static uint64_t seed;
	size_t n = 0, i;

	for (; job->count; job++, shared++) {
		for (i = 0; i < job->count; i++, n++)
			pids[n] = start(job, shared, ++seed, end);
	}
	return n;
}

static size_t collect(struct pressure_job *job, struct t_case *shared, struct t_case **all)
{
	size_t n = 0;

	for (; job->count; job++, shared++) {
		job->c.checks = shared->checks;
		job->c.failures = shared->failures;
		job->c.skip = shared->skip;
		printf("# pressure: %s: %lu checks\n", job->c.name, shared->checks);
		all[n++] = &job->c;
	}
	return n;
}

static struct pressure_job * const usual[] = { pressure_readers, pressure_troubles, NULL };
static struct pressure_job * const unloads[] = { pressure_unloads, NULL };

static int run(time_t seconds, struct pressure_job * const *lists)
{
	static struct t_case ends = { .name = "every process ends by itself" };
	static struct t_case again = { .name = "every file is right at the end" };
	struct t_case *shared = mmap(NULL, 2 * KINDS * sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct t_case *all[2 * KINDS + 2];
	size_t n = 0, i, kinds = 0;
	pid_t pids[256];
	int status;

	if (shared == MAP_FAILED)
		t_die("memory", "mmap");
	pressure_opts.end = time(NULL) + seconds;
	for (i = 0; lists[i]; i++)
		n += start_all(lists[i], shared + i * KINDS, pressure_opts.end, pids + n);
	for (i = 0; i < n; i++) {
		waitpid(pids[i], &status, 0);
		t_check(&ends, !status, "/", "process %zu ended with status 0x%x", i, status);
	}
	for (i = 0; lists[i]; i++)
		kinds += collect(lists[i], shared + i * KINDS, all + kinds);
	all[kinds++] = &ends;
	if (lists == unloads) {
		pressure_reread(&again);
		all[kinds++] = &again;
	}
	return t_report(all, kinds);
}

static const char usage[] =
	"--data=FILES | --manifest=FILES\n"
	"       pressure --seconds=N --files=N --dev=DEV --side=DEV --side-files=N\n"
	"                --scratch=DIR DIR\n"
	"       pressure --module=FILE (and all of these) DIR\n"
	"  DIR: where DEV is mounted; --side: another image, mounted nowhere\n"
	"  --scratch: on a tmpfs; the cgroup /sys/fs/cgroup/small has to be there\n"
	"  --module: the module is loaded from there, over and over; nothing is mounted";

int main(int argc, char **argv)
{
	struct pressure_opts *o = &pressure_opts;
	uint64_t seconds = 0, data = 0, names = 0;
	const struct t_option options[] = {
		{ "manifest", .number = &names }, { "data", .number = &data },
		{ "seconds", .number = &seconds }, { "files", .number = &o->files },
		{ "dev", .text = &o->dev }, { "side", .text = &o->side_dev },
		{ "side-files", .number = &o->side_files }, { "scratch", .text = &o->scratch },
		{ "module", .text = &o->module }, { }
	};

	t_init("pressure");
	o->dir = *t_options(argc, argv, options, argc == 2 ? 0 : 1, usage);
	if (names || data) {
		setvbuf(stdout, NULL, _IOFBF, 0);
		return names ? manifest(names) : put_data(data);
	}
	if (!seconds || !o->files || !o->dev || !o->side_dev || !o->side_files || !o->scratch)
		t_usage(usage);
	t_strict = true;
	if (!o->module)
		return run(seconds, usual);
	pressure_unload_init();
	return run(seconds, unloads);
}
