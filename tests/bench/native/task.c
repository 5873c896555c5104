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
#include "../../guest/lib.h"
#include "drivers/bench.h"

static const char * const patterns[] = {
	[BENCH_WHOLE] = "whole", [BENCH_PIL] = "pil", [BENCH_IMREAD] = "imread",
	[BENCH_MMAP] = "mmap", [BENCH_SEQ] = "seq", [BENCH_PACK] = "pack",
};

static const char usage[] =
	"run PATTERN LIST [readers=N] [piece=BYTES] [ahead=N] [files=N] [check]\n"
	"       native_task settle";

static void set_names(struct bench_req *req, char **paths, size_t count)
{
	size_t i, len = 0;
	char *names;

	for (i = 0; i < count; i++)
		len += strlen(paths[i]) + 1;
	names = t_alloc(len + 1);
	req->names = (uintptr_t)names;
	req->names_len = len;
	for (i = 0; i < count; i++)
		names = stpcpy(names, paths[i]) + 1;
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
	struct t_files files = { };
	size_t limit = SIZE_MAX;
	int i;

	while (req.pattern < ARRAY_SIZE(patterns) && strcmp(patterns[req.pattern], argv[0]))
		req.pattern++;
	if (req.pattern == ARRAY_SIZE(patterns))
		t_usage(usage);
	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "check"))
			req.flags |= BENCH_CHECK;
		else if (sscanf(argv[i], "readers=%u", &req.readers) != 1 &&
			 sscanf(argv[i], "piece=%u", &req.piece) != 1 &&
			 sscanf(argv[i], "ahead=%u", &req.ahead) != 1 &&
			 sscanf(argv[i], "files=%zu", &limit) != 1)
			t_usage(usage);
	}
	t_read_list(&files, "", argv[1]);
	t_shuffle(&files, 1);
	set_names(&req, files.paths, files.count < limit ? files.count : limit);
	if (ioctl(dev, BENCH_RUN, &req))
		t_die("/dev/bench", "run");
	return print(&req);
}

int main(int argc, char **argv)
{
	int dev = open("/dev/bench", O_RDWR | O_CLOEXEC);

	t_init("native_task");
	if (dev < 0)
		t_die("/dev/bench", "open");
	if (argc == 2 && !strcmp(argv[1], "settle"))
		return ioctl(dev, BENCH_SETTLE) ? 2 : 0;
	if (argc >= 4 && !strcmp(argv[1], "run"))
		return run(dev, argc - 2, argv + 2);
	t_usage(usage);
}
