// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs warmup: files into the page cache, in the order in which they lie on the device.
 *
 * Several threads read, as a device that is far away gives more to those who ask for
 * more at once.
 */
#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "args.h"
#include "cached.h"
#include "clock.h"
#include "mounted.h"
#include "status.h"
#include "dsfs_fs.h"
#include "fileset.h"
#include "json.h"
#include "msg.h"
#include "origin.h"
#include "progress.h"
#include "stop.h"
#include "warmup.h"
#include "work.h"

#define JOBS_DEFAULT	32
/* Bytes of a large file that a thread reads at a time */
#define RANGE		(8 << 20)
/* DSFS brings in a file of this size by its first read alone. */
#define WHOLE		(1024 << 10)

struct warm_range {
	size_t file;
	u64 pos;
};

/* Threads count with atomic operations. */
struct warm {
	const struct warmup_options *o;
	struct fileset set;
	struct warm_range *ranges;
	size_t nr;
	struct progress bar;
	int null;
	u64 placed;
	u64 files_done;
	u64 done;		/* bytes of the ranges that were read without error */
	u64 cached;		/* of these, bytes that were in the page cache before */
	u64 left;		/* of these, bytes that are not there any more at the end */
	u64 left_files;
	u64 errors;
	bool cached_unknown;
	s64 ns;
};

static void add(u64 *to, u64 n)
{
	__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static u64 range_len(const struct warm *w, const struct warm_range *p)
{
	const u64 left = w->set.v[p->file].size - p->pos;

	return left < RANGE ? left : RANGE;
}

/* Whether the first read of a file asks for all of it anyway. */
static bool comes_whole(int fd, u64 size)
{
	struct statfs sfs;

	return size <= WHOLE && !fstatfs(fd, &sfs) &&
	       sfs.f_type == DSFS_SUPER_MAGIC;
}

static void failed(struct warm *w, const char *path, int error)
{
	add(&w->errors, 1);
	msg_error(path, "%s", strerror(error));
}

static void warm_one(void *ctx, size_t i)
{
	struct warm *w = ctx;
	const struct warm_range *p = &w->ranges[i];
	const struct fileset_file *f = &w->set.v[p->file];
	const u64 len = range_len(w, p);
	int fd = cached_open(f->path);
	s64 there;
	int ret = 0;

	if (fd < 0) {
		failed(w, f->path, errno);
		return;
	}
	there = cached_bytes(fd, f->size, p->pos, len);
	if (there < 0)
		w->cached_unknown = true;
	if (there < (s64)len) {
		if (!comes_whole(fd, f->size))
			posix_fadvise(fd, p->pos, len, POSIX_FADV_WILLNEED);
		ret = cached_bring(w->null, fd, p->pos, len);
	}
	close(fd);
	if (ret) {
		failed(w, f->path, -ret);
		return;
	}
	add(&w->done, len);
	add(&w->cached, there > 0 ? there : 0);
	if (p->pos + len == f->size)
		add(&w->files_done, 1);
	progress_add(&w->bar, len);
}

/* Count the bytes of a file that have left the cache while the others were read. */
static void look_again(void *ctx, size_t i)
{
	struct warm *w = ctx;
	const struct fileset_file *f = &w->set.v[i];
	int fd = cached_open(f->path);
	s64 there;

	if (fd < 0)
		return;
	there = cached_bytes(fd, f->size, 0, f->size);
	close(fd);
	if (there < 0) {
		w->cached_unknown = true;
	} else if (there < (s64)f->size) {
		add(&w->left, f->size - there);
		add(&w->left_files, 1);
	}
}

static int make_ranges(struct warm *w)
{
	size_t nr = 0;

	for (size_t i = 0; i < w->set.nr; i++)
		nr += (w->set.v[i].size + RANGE - 1) / RANGE;
	w->ranges = calloc(nr ? nr : 1, sizeof(*w->ranges));
	if (!w->ranges)
		return no_memory();
	for (size_t i = 0; i < w->set.nr; i++) {
		for (u64 pos = 0; pos < w->set.v[i].size; pos += RANGE)
			w->ranges[w->nr++] = (struct warm_range){ i, pos };
		if (!w->set.v[i].size)
			w->files_done++;
	}
	return 0;
}

static int warm_up(struct warm *w)
{
	const s64 begun = clock_ns();
	int ret;

	w->placed = fileset_place(&w->set, w->o->jobs);
	ret = make_ranges(w);
	if (ret)
		return ret;
	progress_start(&w->bar, "reading", w->set.bytes);
	work_run(w->o->jobs, w->nr, warm_one, w);
	progress_end(&w->bar);
	w->ns = clock_ns() - begun;
	/* a run that is stopped ends at once */
	if (!stop_asked() && !w->cached_unknown)
		work_run(w->o->jobs, w->set.nr, look_again, w);
	return 0;
}

static void report(const struct warm *w)
{
	struct json json, *j = json_report(&json, w->o->json);
	const u64 read = w->done - w->cached;

	if (!j && w->o->quiet)
		return;
	json_show_u64(j, "files_done", "%llu of ", w->files_done);
	json_show_u64(j, "files", "%llu file", w->set.nr);
	json_say(j, "%s", msg_s(w->set.nr));
	json_show_size(j, "bytes", ", %s", w->set.bytes);
	json_say(j, "%s\n", stop_asked() ? ": stopped" : "");
	json_show_size(j, "read_bytes", "  read: %s", read);
	json_say(j, " in %.3f s, ", w->ns / 1e9);
	json_show_size(j, NULL, "%s/s\n", w->ns ? (u64)(read * 1e9 / w->ns) : 0);
	if (w->cached_unknown) {
		json_put_null(j, "cached_bytes");
		json_say(j, "  in memory before, or gone again: this kernel does not tell\n");
	} else {
		json_show_size(j, "cached_bytes", "  in memory before: %s\n", w->cached);
	}
	if (w->cached_unknown || stop_asked()) {
		json_put_null(j, "left_bytes");
		json_put_null(j, "left_files");
	} else {
		json_show_size(j, "left_bytes", "  gone again: %s, ", w->left);
		json_show_u64(j, "left_files", "of %llu file", w->left_files);
		json_say(j, "%s\n", msg_s(w->left_files));
	}
	json_u64(j, "placed_files", w->placed);
	json_u64(j, "errors", w->errors + w->set.errors);
	json_u64(j, "nanoseconds", w->ns);
	json_bool(j, "interrupted", stop_asked());
	json_end(j);
}

static int run(const struct warmup_options *o)
{
	struct warm w = { .o = o };
	int ret;

	w.null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ret = fileset_add(&w.set, o->list, o->null, o->paths) ?: warm_up(&w);
	if (!ret)
		report(&w);
	if (w.errors || w.set.errors)
		ret = -EIO;
	free(w.ranges);
	fileset_free(&w.set);
	if (w.null >= 0)
		close(w.null);
	return ret ? EXIT_ERROR : EXIT_OK;
}

static const struct arg option_table[] = {
	{ 0, "filelist", "FILE", "paths, one a line; - is standard input",
	  ARG_TEXT(struct warmup_options, list, 0) },
	{ '0', "null", NULL, "entries of FILE end with NUL, not newline",
	  ARG_FLAG(struct warmup_options, null) },
	{ 0, "source", "OPTIONS", "how to reach an image on a server: see dsfs-source(7)",
	  ARG_TEXT(struct warmup_options, source, 0), .once = true },
	{ 'j', "jobs", "N", "threads that read, 1 to 1024 (default: 32)",
	  ARG_NUMBER(struct warmup_options, jobs, 1, WORK_JOBS_MAX) },
	{ 'q', "quiet", NULL, "no report and no progress bar",
	  ARG_FLAG(struct warmup_options, quiet) },
	{ 0, "json", NULL, "report in JSON on standard output",
	  ARG_FLAG(struct warmup_options, json) },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs warmup [options] PATH...\n"
	"       dsfs warmup [options] --filelist=FILE [PATH...]\n"
	"       dsfs warmup [options] --source=OPTIONS ADDRESS\n"
	"Read files, and all files in and below directories, into the page cache, in the\n"
	"order in which they lie on the device; or an image on a server into the cache of\n"
	"this node, or of its files those of FILE.\n",
	.more =
	"Exit: 0 done, 1 something could not be read, 2 wrong usage; stopped by a signal,\n"
	"it ends by that signal when it has said what was done.\n",
	.examples =
	"  dsfs warmup /data\n"
	"  dsfs warmup --jobs=64 --filelist=epoch.list\n",
	.table = option_table,
};

int verb_warmup(int argc, char **argv)
{
	struct warmup_options o = { .jobs = JOBS_DEFAULT };
	int ret = args_parse(&command_line, &o, &argc, argv);

	if (ret >= 0)
		return ret;
	o.paths = argv;
	if (!o.list && !*o.paths)
		return args_wrong(EXIT_USAGE, "no path given");
	if (*o.paths && origin_is_far(*o.paths) && o.paths[1])
		return args_wrong(EXIT_USAGE, "an address stands alone");
	progress_enable(!o.quiet && !o.json);
	stop_init(0);
	ret = *o.paths && origin_is_far(*o.paths) ? warmup_far(&o) : run(&o);
	stop_end();
	return ret;
}
