// SPDX-License-Identifier: GPL-2.0
/*
 * weights HOW RANKS FILE - load the tensors of a safetensors file as the ranks of a job do.
 *
 * The file is mapped, its header read, and rank R of N copies the Rth Nth of the rows of each
 * tensor, in the order of the file, as get_slice() of a tensor-parallel load does.
 *
 * HOW: mmap; willneed: each rank first says by MADV_WILLNEED which parts it will copy; read:
 * the same parts by pread(2), for comparison.
 *
 * Prints the seconds until the last rank is done, the bytes that were copied, a sum of them,
 * and the major faults.
 *
 * The header is one that weights.py made: only the pairs of data_offsets are looked for.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096UL
#define TENSORS	4096

struct tensor {
	size_t from, to;	/* in the file */
};

struct file {
	int fd;
	size_t size;
	char *map;
	struct tensor tensors[TENSORS];
	unsigned int n;
};

struct tally {
	uint64_t bytes, sum, faults;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void read_header(struct file *f)
{
	static const char key[] = "\"data_offsets\":[";
	uint64_t len;
	char *text;

	memcpy(&len, f->map, sizeof(len));
	if (len > f->size - sizeof(len))
		errx(1, "header of %llu bytes", (unsigned long long)len);
	text = strndup(f->map + sizeof(len), len);
	if (!text)
		err(1, "header");
	for (char *at = text; (at = strstr(at, key)); f->n++) {
		struct tensor *t = &f->tensors[f->n];

		at += strlen(key);
		if (f->n == TENSORS || sscanf(at, "%zu,%zu", &t->from, &t->to) != 2)
			errx(1, "tensor %u", f->n);
		t->from += sizeof(len) + len;
		t->to += sizeof(len) + len;
		if (t->from > t->to || t->to > f->size)
			errx(1, "tensor %u: %zu to %zu", f->n, t->from, t->to);
	}
	free(text);
}

static void open_file(struct file *f, const char *path)
{
	struct stat st;

	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0 || fstat(f->fd, &st))
		err(1, "%s", path);
	f->size = st.st_size;
	f->map = mmap(NULL, f->size, PROT_READ, MAP_SHARED, f->fd, 0);
	if (f->map == MAP_FAILED)
		err(1, "%s: mmap", path);
}

static struct tensor part_of(const struct tensor *t, unsigned int rank, unsigned int ranks)
{
	const size_t part = (t->to - t->from) / ranks;

	return (struct tensor){ t->from + rank * part, t->from + (rank + 1) * part };
}

static void hint(const struct file *f, struct tensor t)
{
	const size_t from = t.from / PAGE * PAGE;

	if (madvise(f->map + from, t.to - from, MADV_WILLNEED))
		err(1, "MADV_WILLNEED");
}

static void copy(const struct file *f, struct tensor t, int by_read, struct tally *tally)
{
	const size_t len = t.to - t.from;
	char *to = malloc(len + 1);

	if (!to)
		err(1, "%zu bytes", len);
	if (!by_read)
		memcpy(to, f->map + t.from, len);
	else if (pread(f->fd, to, len, t.from) != (ssize_t)len)
		err(1, "pread");
	for (size_t i = 0; i < len; i += 512)
		tally->sum += (unsigned char)to[i];
	tally->bytes += len;
	free(to);
}

static void load(const char *how, unsigned int rank, unsigned int ranks, const char *path,
		 struct tally *tally)
{
	struct rusage before, after;
	static struct file f;
	unsigned int i;

	getrusage(RUSAGE_SELF, &before);
	open_file(&f, path);
	read_header(&f);
	for (i = 0; i < f.n && !strcmp(how, "willneed"); i++)
		hint(&f, part_of(&f.tensors[i], rank, ranks));
	for (i = 0; i < f.n; i++)
		copy(&f, part_of(&f.tensors[i], rank, ranks), !strcmp(how, "read"), tally);
	getrusage(RUSAGE_SELF, &after);
	tally->faults = after.ru_majflt - before.ru_majflt;
}

int main(int argc, char **argv)
{
	const unsigned int ranks = argc == 4 ? atoi(argv[2]) : 0;
	struct tally *tally, all = {};
	int status, bad = 0;
	double start;

	if (!ranks)
		errx(2, "usage: weights HOW RANKS FILE");
	tally = mmap(NULL, ranks * sizeof(*tally), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		err(1, "mmap");
	start = now();
	for (unsigned int rank = 0; rank < ranks; rank++)
		if (!fork()) {
			load(argv[1], rank, ranks, argv[3], &tally[rank]);
			_exit(0);
		}
	while (wait(&status) > 0)
		bad |= status;
	start = now() - start;
	for (unsigned int rank = 0; rank < ranks; rank++) {
		all.bytes += tally[rank].bytes;
		all.sum += tally[rank].sum;
		all.faults += tally[rank].faults;
	}
	printf("seconds=%.6f touched=%llu sum=%llu faults=%llu\n", start,
	       (unsigned long long)all.bytes, (unsigned long long)all.sum,
	       (unsigned long long)all.faults);
	return bad != 0;
}
