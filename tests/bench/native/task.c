// SPDX-License-Identifier: GPL-2.0
/*
 * native_task - ask /dev/bench of the native benchmark's kernel to read files.
 *
 *   native_task run PATTERN LIST [readers=N] [piece=BYTES] [ahead=N] [files=N] [check]
 *   native_task settle
 *
 * "run" shuffles the paths in LIST, one a line, the same way each time.  It prints, as
 * NAME=VALUE, nanoseconds of wall clock, of processor time, and of the device's copying
 * in it; requests, files, bytes, errors, sum.  It fails if a file could not be read as a
 * whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "drivers/bench.h"

static const char * const patterns[] = {
	[BENCH_WHOLE] = "whole", [BENCH_PIL] = "pil", [BENCH_IMREAD] = "imread",
	[BENCH_MMAP] = "mmap", [BENCH_SEQ] = "seq", [BENCH_PACK] = "pack",
};

#define PATTERNS (sizeof(patterns) / sizeof(patterns[0]))

static void die(const char *what)
{
	fprintf(stderr, "native_task: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void usage(void)
{
	errno = EINVAL;
	die("usage");
}

static void *allocate(size_t len)
{
	void *p = calloc(1, len);

	if (!p)
		die("memory");
	return p;
}

/* Lines of @path; the caller never frees them. */
static char **read_lines(const char *path, size_t *count)
{
	size_t len = 0, room = 0, n = 0, lines_room = 0;
	char **lines = NULL, *text = NULL, *line;
	FILE *f = fopen(path, "r");
	ssize_t got;

	if (!f)
		die(path);
	got = getdelim(&text, &room, 0, f);
	len = got > 0 ? got : 0;
	fclose(f);
	for (line = len ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		if (n == lines_room) {
			lines_room = 2 * lines_room + 1024;
			lines = realloc(lines, lines_room * sizeof(*lines));
			if (!lines)
				die("memory");
		}
		lines[n++] = line;
	}
	*count = n;
	return lines;
}

/* Fisher and Yates, with numbers of Marsaglia's xorshift */
static void shuffle(char **lines, size_t count)
{
	uint64_t x = 0x2545f4914f6cdd1dULL;
	size_t i, j;
	char *line;

	for (i = count; i > 1; i--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		j = x % i;
		line = lines[i - 1];
		lines[i - 1] = lines[j];
		lines[j] = line;
	}
}

static void set_names(struct bench_req *req, char **lines, size_t count)
{
	size_t i, len = 0;
	char *names;

	for (i = 0; i < count; i++)
		len += strlen(lines[i]) + 1;
	names = allocate(len + 1);
	req->names = (uintptr_t)names;
	req->names_len = len;
	for (i = 0; i < count; i++)
		names = stpcpy(names, lines[i]) + 1;
}

static int print(const struct bench_req *req)
{
	printf("wall=%llu cpu=%llu copy=%llu requests=%llu ",
	       req->wall, req->cpu, req->copy, req->requests);
	printf("files=%llu bytes=%llu errors=%llu sum=%llx\n",
	       req->files, req->bytes, req->errors, req->sum);
	return req->errors ? 1 : 0;
}

static int run(int dev, int argc, char **argv)
{
	struct bench_req req = { .readers = 1, .piece = 1 << 16 };
	size_t count = 0, limit = SIZE_MAX;
	char **lines;
	int i;

	while (req.pattern < PATTERNS && strcmp(patterns[req.pattern], argv[0]))
		req.pattern++;
	if (req.pattern == PATTERNS)
		usage();
	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "check"))
			req.flags |= BENCH_CHECK;
		else if (sscanf(argv[i], "readers=%u", &req.readers) != 1 &&
			 sscanf(argv[i], "piece=%u", &req.piece) != 1 &&
			 sscanf(argv[i], "ahead=%u", &req.ahead) != 1 &&
			 sscanf(argv[i], "files=%zu", &limit) != 1)
			usage();
	}
	lines = read_lines(argv[1], &count);
	shuffle(lines, count);
	set_names(&req, lines, count < limit ? count : limit);
	if (ioctl(dev, BENCH_RUN, &req))
		die("/dev/bench: run");
	return print(&req);
}

int main(int argc, char **argv)
{
	int dev = open("/dev/bench", O_RDWR | O_CLOEXEC);

	if (dev < 0)
		die("/dev/bench");
	if (argc == 2 && !strcmp(argv[1], "settle"))
		return ioctl(dev, BENCH_SETTLE) ? 2 : 0;
	if (argc >= 4 && !strcmp(argv[1], "run"))
		return run(dev, argc - 2, argv + 2);
	usage();
}
