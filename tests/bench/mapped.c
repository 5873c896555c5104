// SPDX-License-Identifier: GPL-2.0
/*
 * mapped PATTERN PROCESSES ADVICE FILE [COUNT] - read a large file through mappings.
 *
 * Each process opens and maps the file for itself, as the ranks of a job do, and reads a
 * byte of each page that it needs:
 *
 *   read	no mapping: one process, read(2) of 1 MiB
 *   order	process P of N the Pth Nth of the file, in order
 *   stride	process P the MiB P, P + 4, P + 8, ..., each in order
 *   random	COUNT pages anywhere, each process others
 *   tensors	process P of N copies the Pth Nth of the rows of each tensor of a safetensors
 *		file, in the order of the file, as get_slice() of a tensor-parallel load does;
 *		of the header, which weights.py made, only the pairs of data_offsets are read
 *
 * ADVICE: none, sequential, random (MADV_*, of all of the file), willneed
 * (MADV_WILLNEED, of the process' part at once, or of the next 64 random pages), pread (tensors by
 * pread(2), for comparison).
 *
 * Prints the seconds until the last process is done, the bytes of all pages that were
 * needed, a sum of what was copied, and the major faults.
 */
#include <err.h>
#include <sys/resource.h>

#include "../guest/bench.h"

#define MIB	(1UL << 20)
#define PAGE	4096UL
#define STRIDE	4
#define AHEAD	64
#define TENSORS	4096

struct job {
	const char *pattern, *advice, *path;
	unsigned int processes, rank;
	unsigned long count;
	int fd;
	size_t size;
	const volatile unsigned char *map;
};

struct tally {
	uint64_t touched, sum, faults;
};

/* Where a tensor lies in the file */
struct tensor {
	size_t from, to;
};

static int advised(const struct job *job, const char *advice)
{
	return !strcmp(job->advice, advice);
}

static void hint(const struct job *job, size_t from, size_t len)
{
	if (advised(job, "willneed") && madvise((char *)job->map + from, len, MADV_WILLNEED))
		err(1, "MADV_WILLNEED");
}

static uint64_t touch(const struct job *job, size_t from, size_t len)
{
	size_t at;

	for (at = from; at < from + len; at += PAGE)
		(void)job->map[at];
	return len;
}

static uint64_t in_order(const struct job *job)
{
	const size_t part = job->size / job->processes / PAGE * PAGE;

	hint(job, job->rank * part, part);
	return touch(job, job->rank * part, part);
}

static uint64_t strided(const struct job *job)
{
	uint64_t touched = 0;
	size_t at;

	for (at = job->rank * MIB; at + MIB <= job->size; at += STRIDE * MIB)
		hint(job, at, MIB);
	for (at = job->rank * MIB; at + MIB <= job->size; at += STRIDE * MIB)
		touched += touch(job, at, MIB);
	return touched;
}

static uint64_t at_random(const struct job *job)
{
	uint64_t x = 0x9e3779b97f4a7c15 * (job->rank + 1), touched = 0;
	size_t place[AHEAD];
	unsigned long i, j;

	for (i = 0; i < job->count; i += AHEAD) {
		for (j = 0; j < AHEAD; j++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			place[j] = x % (job->size / PAGE) * PAGE;
			hint(job, place[j], PAGE);
		}
		for (j = 0; j < AHEAD; j++)
			touched += touch(job, place[j], PAGE);
	}
	return touched;
}

static uint64_t by_read(const struct job *job)
{
	char *buf = aligned_alloc(PAGE, MIB);
	uint64_t touched = 0;
	ssize_t n;

	while ((n = read(job->fd, buf, MIB)) > 0)
		touched += n;
	if (n < 0)
		err(1, "%s", job->path);
	return touched;
}

/* Returns the number of tensors. */
static unsigned int read_header(const struct job *job, struct tensor *tensors)
{
	static const char key[] = "\"data_offsets\":[";
	const char *file = (const char *)job->map;
	unsigned int n = 0;
	uint64_t len;
	char *text;

	memcpy(&len, file, sizeof(len));
	if (len > job->size - sizeof(len))
		errx(1, "header of %llu bytes", (unsigned long long)len);
	text = strndup(file + sizeof(len), len);
	if (!text)
		err(1, "header");
	for (char *at = text; (at = strstr(at, key)); n++) {
		struct tensor *t = &tensors[n];

		at += strlen(key);
		if (n == TENSORS || sscanf(at, "%zu,%zu", &t->from, &t->to) != 2)
			errx(1, "tensor %u", n);
		t->from += sizeof(len) + len;
		t->to += sizeof(len) + len;
		if (t->from > t->to || t->to > job->size)
			errx(1, "tensor %u: %zu to %zu", n, t->from, t->to);
	}
	free(text);
	return n;
}

/* Of a tensor, what this process takes */
static struct tensor part_of(const struct job *job, const struct tensor *t)
{
	const size_t part = (t->to - t->from) / job->processes;

	return (struct tensor){ t->from + job->rank * part, t->from + (job->rank + 1) * part };
}

static void copy(const struct job *job, struct tensor t, struct tally *tally)
{
	const size_t len = t.to - t.from;
	char *to = malloc(len + 1);

	if (!to)
		err(1, "%zu bytes", len);
	if (!advised(job, "pread"))
		memcpy(to, (const char *)job->map + t.from, len);
	else if (pread(job->fd, to, len, t.from) != (ssize_t)len)
		err(1, "pread");
	for (size_t i = 0; i < len; i += 512)
		tally->sum += (unsigned char)to[i];
	tally->touched += len;
	free(to);
}

static void by_tensor(const struct job *job, struct tally *tally)
{
	static struct tensor tensors[TENSORS];
	const unsigned int n = read_header(job, tensors);
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct tensor t = part_of(job, &tensors[i]);

		hint(job, t.from / PAGE * PAGE, t.to - t.from / PAGE * PAGE);
	}
	for (i = 0; i < n; i++)
		copy(job, part_of(job, &tensors[i]), tally);
}

static void map(struct job *job)
{
	void *p = mmap(NULL, job->size, PROT_READ, MAP_SHARED, job->fd, 0);

	if (p == MAP_FAILED)
		err(1, "%s: mmap", job->path);
	if (advised(job, "sequential") && madvise(p, job->size, MADV_SEQUENTIAL))
		err(1, "MADV_SEQUENTIAL");
	if (advised(job, "random") && madvise(p, job->size, MADV_RANDOM))
		err(1, "MADV_RANDOM");
	job->map = p;
}

static void run(struct job *job, struct tally *tally)
{
	struct stat st;
	struct rusage before, after;

	job->fd = open(job->path, O_RDONLY | O_CLOEXEC);
	if (job->fd < 0 || fstat(job->fd, &st))
		err(1, "%s", job->path);
	job->size = st.st_size;
	getrusage(RUSAGE_SELF, &before);
	if (strcmp(job->pattern, "read"))
		map(job);
	if (!strcmp(job->pattern, "read"))
		tally->touched = by_read(job);
	else if (!strcmp(job->pattern, "order"))
		tally->touched = in_order(job);
	else if (!strcmp(job->pattern, "stride"))
		tally->touched = strided(job);
	else if (!strcmp(job->pattern, "random"))
		tally->touched = at_random(job);
	else if (!strcmp(job->pattern, "tensors"))
		by_tensor(job, tally);
	else
		errx(2, "%s: no such pattern", job->pattern);
	getrusage(RUSAGE_SELF, &after);
	tally->faults = after.ru_majflt - before.ru_majflt;
}

int main(int argc, char **argv)
{
	struct tally *tally, all = {};
	uint64_t start;
	struct job job;
	int status, bad = 0;

	if (argc < 5)
		errx(2, "usage: mapped PATTERN PROCESSES ADVICE FILE [COUNT]");
	job = (struct job){ .pattern = argv[1], .processes = atoi(argv[2]), .advice = argv[3],
			    .path = argv[4], .count = argc > 5 ? strtoul(argv[5], NULL, 0) : 0 };
	tally = mmap(NULL, job.processes * sizeof(*tally), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		err(1, "mmap");
	start = bench_now();
	for (job.rank = 0; job.rank < job.processes; job.rank++)
		if (!fork()) {
			run(&job, &tally[job.rank]);
			_exit(0);
		}
	while (wait(&status) > 0)
		bad |= status;
	start = bench_now() - start;
	for (job.rank = 0; job.rank < job.processes; job.rank++) {
		all.touched += tally[job.rank].touched;
		all.sum += tally[job.rank].sum;
		all.faults += tally[job.rank].faults;
	}
	printf("seconds=%.6f touched=%llu sum=%llu faults=%llu\n", start / 1e9,
	       (unsigned long long)all.touched, (unsigned long long)all.sum,
	       (unsigned long long)all.faults);
	return bad != 0;
}
