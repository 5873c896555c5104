// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs warmup of an image on a server: into the cache of this node (cache-dir).
 *
 * All of an image is read by ranges that have nothing to do with its files, so that few requests
 * bring it in.  Files of a list are read one by one, as a job would, and compared with their
 * checksums.  What is in the cache already is not asked for.
 */
#include "../lib/dsfs.h"
#include "clock.h"
#include "mounted.h"
#include "status.h"
#include "imagemsg.h"
#include "json.h"
#include "list.h"
#include "msg.h"
#include "progress.h"
#include "stop.h"
#include "warmup.h"
#include "work.h"

#define RANGE	(4 << 20)	/* bytes of a request */
#define PROBE	(256 << 10)	/* the cache is asked about the first byte of each such range */

/**
 * struct far - a run
 * @img: the image, when ranges of it are read; @end: its length
 * @image: the image, when files of it are read; @v: the @nr paths of these
 *
 * Threads count with atomic operations.
 */
struct far {
	const struct warmup_options *o;
	struct image img;
	u64 end;
	struct dsfs_image *image;
	char **v;
	size_t nr;
	struct progress bar;
	u64 done;
	u64 errors;
	s64 ns;
};

static void add(u64 *to, u64 n)
{
	__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static int check_kept(const struct image *img, const char *path)
{
	if (img->reader->keeps)
		return 0;
	return msg_fail(-EINVAL, path, "there is no cache to read it into: --source=cache-dir=DIR");
}

static void fetch_range(void *ctx, size_t i)
{
	struct far *f = ctx;
	const u64 pos = (u64)i * RANGE;
	const size_t len = f->end - pos < RANGE ? f->end - pos : RANGE;
	void *buf = malloc(len);
	int ret = buf ? image_pread(&f->img, buf, len, pos) : -ENOMEM;

	free(buf);
	if (ret) {
		if (!stop_asked())
			msg_error(f->img.path, "bytes from %llu on: %s", pos, msg_why(-ret));
		add(&f->errors, 1);
		return;
	}
	add(&f->done, len);
	progress_add(&f->bar, len);
}

static void fetch_file(void *ctx, size_t i)
{
	struct far *f = ctx;
	struct dsfs_error error;
	struct dsfs_file *file;
	struct dsfs_stat st;
	int ret = dsfs_lookup_path(f->image, f->v[i], DSFS_FOLLOW, &st, &error) ?:
		  dsfs_file_open(f->image, st.ino, 0, &file, &error);

	if (!ret) {
		ret = dsfs_file_verify(file, &error);
		dsfs_file_close(file);
	}
	if (ret) {
		msg_error(f->v[i], "%s", error.message);
		add(&f->errors, 1);
		return;
	}
	add(&f->done, 1);
	progress_add(&f->bar, 1);
}

/* Count the bytes of the image that are in the cache, in units of PROBE. */
static u64 kept_bytes(const struct far *f)
{
	u64 kept = 0, len;

	for (u64 pos = 0; pos < f->end; pos += len) {
		len = f->end - pos < PROBE ? f->end - pos : PROBE;
		if (image_has(&f->img, pos))
			kept += len;
	}
	return kept;
}

static void report(const struct far *f)
{
	struct json json, *j = json_report(&json, f->o->json);

	if (!j && f->o->quiet)
		return;
	if (f->v) {
		json_show_u64(j, "files_done", "%llu of ", f->done);
		json_show_u64(j, "files", "%llu file", f->nr);
		json_say(j, "%s", msg_s(f->nr));
	} else {
		json_show_size(j, "bytes", "%s, ", f->end);
		json_u64(j, "done_bytes", f->done);
		json_show_size(j, "kept_bytes", "in the cache: %s", kept_bytes(f));
	}
	json_say(j, "%s\n", stop_asked() ? ": stopped" : "");
	json_u64(j, "errors", f->errors);
	json_u64(j, "nanoseconds", f->ns);
	json_bool(j, "interrupted", stop_asked());
	json_end(j);
}

static int choose_range(struct far *f)
{
	const struct dsfs_geo *geo = f->img.geo;

	if (!geo) {
		image_report_slots(&f->img);
		return -EINVAL;
	}
	f->end = geo->image_bytes;
	return 0;
}

static int ranges(struct far *f)
{
	int ret = image_open_at(&f->img, *f->o->paths, f->o->source);

	if (ret)
		return ret;
	ret = check_kept(&f->img, f->img.path) ?: choose_range(f) ?:
	      image_as_expected(&f->img, NULL);
	if (ret)
		return ret;
	progress_start(&f->bar, "reading", f->end);
	work_run(f->o->jobs, (f->end + RANGE - 1) / RANGE, fetch_range, f);
	progress_end(&f->bar);
	return 0;
}

static int add_line(void *ctx, char *line, size_t len, u64 number)
{
	struct far *f = ctx;
	char **v;

	if (strlen(line) != len) {
		f->errors++;
		msg_error(NULL, "entry %llu: not a path", number);
		return 0;
	}
	v = reallocarray(f->v, f->nr + 1, sizeof(*v));
	if (!v)
		return no_memory();
	f->v = v;
	v[f->nr] = strdup(line);
	return v[f->nr++] ? 0 : no_memory();
}

static int files(struct far *f)
{
	const struct dsfs_open_options opt = { .size = sizeof(opt), .source = f->o->source };
	struct dsfs_error error;
	int ret = list_read(f->o->list, f->o->null, add_line, f);

	if (ret)
		return ret;
	ret = dsfs_open(*f->o->paths, &opt, &f->image, &error);
	if (ret)
		return msg_fail(ret, NULL, "%s", error.message);
	ret = check_kept(image_of(f->image), image_of(f->image)->reader->name);
	if (ret)
		return ret;
	progress_start_count(&f->bar, "reading", f->nr);
	work_run(f->o->jobs, f->nr, fetch_file, f);
	progress_end(&f->bar);
	return 0;
}

int warmup_far(const struct warmup_options *o)
{
	struct far f = { .o = o };
	const s64 begun = clock_ns();
	int ret = o->list ? files(&f) : ranges(&f);

	f.ns = clock_ns() - begun;
	if (!ret)
		report(&f);
	while (f.nr)
		free(f.v[--f.nr]);
	free(f.v);
	dsfs_close(f.image);
	image_close(&f.img);
	return ret || f.errors ? EXIT_ERROR : EXIT_OK;
}
