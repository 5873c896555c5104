// SPDX-License-Identifier: GPL-2.0
/*
 * Shards of a WebDataset.  A reader takes adjacent members with one key for a sample,
 * so all files of a sample are in one shard.  A sample with a bad file is left out.  A shard
 * gets its name when it is complete.  The tree and the options alone decide what is in which
 * shard, so the same image gives the same bytes.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "export.h"
#include "msg.h"
#include "parse.h"
#include "progress.h"
#include "samples.h"
#include "shard.h"

#define NUMBER_DIGITS	6	/* at least */
#define TAIL_MAX	25	/* characters behind the prefix: a dash, a number, ".tar" */

/**
 * struct totals - what was written
 * @large: shards above the limit of bytes
 */
struct totals {
	u64 shards;
	u64 samples;
	u64 files;
	u64 bytes;
	u64 large;
};

/**
 * struct wds_out - a run
 * @dir: the directory of the shards, open
 * @base: what their names begin with
 * @name: of the current shard
 * @count: samples and files of it
 * @bad: samples that were left out
 * @first_large: number of the first shard above the limit
 */
struct wds_out {
	struct view *v;
	struct json *j;
	const struct shards_request *r;
	struct samples samples;
	struct shard shard;
	int dir;
	const char *base;
	char name[DSFS_NAME_MAX + 1];
	struct totals all;
	struct totals count;
	u64 size;
	u64 bad;
	u64 first_large;
};

static void set_name(struct wds_out *w, u64 number)
{
	snprintf(w->name, sizeof(w->name), "%s-%0*llu.tar", w->base, NUMBER_DIGITS, number);
}

/* Whether a name is that of a shard of this prefix. */
static bool is_shard(const struct wds_out *w, const char *name)
{
	const size_t len = strlen(w->base);
	size_t digits;

	if (strncmp(name, w->base, len) || name[len] != '-')
		return false;
	digits = strspn(name + len + 1, "0123456789");
	return digits >= NUMBER_DIGITS && !strcmp(name + len + 1 + digits, ".tar");
}

/* Refuse a directory with shards of another run: readers would take them for this run's. */
static int check_empty(const struct wds_out *w)
{
	int fd = openat(w->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;

	if (!dir) {
		msg_error(w->r->prefix, "open: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (!ret && (de = readdir(dir))) {
		if (!is_shard(w, de->d_name))
			continue;
		ret = msg_error(w->r->prefix, "%s exists", de->d_name);
	}
	closedir(dir);
	return ret;
}

/* Open the directory of the shards. */
static int open_dir(struct wds_out *w)
{
	const char *prefix = w->r->prefix, *slash = strrchr(prefix, '/');
	char *dir;

	w->base = slash ? slash + 1 : prefix;
	if (!*w->base)
		return msg_error(prefix, "no name for shards");
	if (strlen(w->base) > DSFS_NAME_MAX - TAIL_MAX)
		return msg_error(prefix, "a name of %zu bytes: the limit is %d", strlen(w->base),
				 DSFS_NAME_MAX - TAIL_MAX);
	dir = slash ? strndup(prefix, slash - prefix + 1) : strdup(".");
	if (!dir)
		return no_memory();
	w->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->dir < 0)
		msg_error(dir, "open: %s", errno == ENOTDIR ? strerror(errno) : msg_why(errno));
	free(dir);
	return w->dir < 0 ? -1 : check_empty(w);
}

/* An error of the target, which ends the run. */
static int failed(struct wds_out *w, const char *what, int err)
{
	w->v->errors->count++;
	return msg_fail(-EIO, w->r->prefix, "%s: %s: %s", w->name, what, strerror(err));
}

static void report_shard(struct wds_out *w)
{
	struct json *j = w->j;

	json_begin_object(j, NULL);
	json_str(j, "name", w->name);
	json_u64(j, "samples", w->count.samples);
	json_u64(j, "files", w->count.files);
	json_u64(j, "bytes", w->shard.bytes);
	json_end(j);
}

static int finish_shard(struct wds_out *w)
{
	const char *what = shard_publish(&w->shard, w->name);

	if (what)
		return failed(w, what, errno);
	report_shard(w);
	if (w->shard.bytes > w->size && !w->all.large++)
		w->first_large = w->all.shards;
	w->all.shards++;
	w->all.samples += w->count.samples;
	w->all.files += w->count.files;
	w->all.bytes += w->shard.bytes;
	return 0;
}

static int begin_shard(struct wds_out *w)
{
	const char *what;

	set_name(w, w->all.shards);
	w->count = (struct totals){ 0 };
	what = shard_open(&w->shard, w->dir);
	return what ? failed(w, what, errno) : 0;
}

/* Report a bad file; its sample is left out. */
static void bad_file(struct wds_out *w, const char *path, const char *what, int ret,
		     const struct dsfs_err *err)
{
	w->bad++;
	view_error(w->v, path, what, ret, err);
}

/* Bytes of a sample in a shard.  Return: 1; 0: it is bad; or -ENOMEM. */
static int measure(struct wds_out *w, const struct sample *sample, u64 *bytes)
{
	struct dsfs_err err = { 0 };
	struct image_node node;

	*bytes = 0;
	for (u64 i = 0; i < sample->count; i++) {
		const struct sample_file *f = samples_file(&w->samples, sample, i);
		const char *path = samples_path(&w->samples, f);
		u64 n;
		int ret = image_node_get(w->v->src, f->ino, &node, &err);

		if (ret) {
			bad_file(w, path, "inode", ret, &err);
			return 0;
		}
		if (shard_measure(&w->shard, path + 1, &node, &n))
			return -ENOMEM;
		*bytes += n;
	}
	return 1;
}

/* Write a file.  Return: 1; 0: it is bad; or a negative errno. */
static int put_file(struct wds_out *w, const struct sample_file *f)
{
	const char *path = samples_path(&w->samples, f);
	struct dsfs_err err = { 0 };
	struct image_node node;
	int ret = image_node_get(w->v->src, f->ino, &node, &err) ?:
		  shard_put(&w->shard, w->v->src, path + 1, &node, &err);

	if (!ret)
		return 1;
	if (!err.what)
		return ret == -ENOMEM ? ret : failed(w, "write", -ret);
	bad_file(w, path, "content", ret, &err);
	return 0;
}

static int put_sample(struct wds_out *w, const struct sample *sample)
{
	const u64 before = w->shard.bytes;
	int ret = 1;

	for (u64 i = 0; ret > 0 && i < sample->count; i++)
		ret = put_file(w, samples_file(&w->samples, sample, i));
	if (!ret) {
		ret = shard_cut(&w->shard, before);
		return ret ? failed(w, "write", -ret) : 0;
	}
	if (ret < 0)
		return ret;
	w->count.samples++;
	w->count.files += sample->count;
	return 0;
}

/* Whether the shard has no room for one more sample, of @bytes. */
static bool is_full(const struct wds_out *w, u64 bytes)
{
	if (!w->count.samples)
		return false;
	return w->count.samples == w->r->samples ||
	       w->shard.bytes + bytes + SHARD_END_BYTES > w->size;
}

static int add_sample(struct wds_out *w, const struct sample *sample)
{
	u64 bytes;
	int ret = measure(w, sample, &bytes);

	if (ret <= 0)
		return ret;
	ret = 0;
	if (w->shard.out && is_full(w, bytes))
		ret = finish_shard(w);
	if (!ret && !w->shard.out)
		ret = begin_shard(w);
	return ret ? ret : put_sample(w, sample);
}

static int put_all(struct wds_out *w)
{
	struct progress bar;
	int ret = 0;

	progress_start_count(&bar, "samples", w->samples.list.n);
	for (u64 i = 0; !ret && i < w->samples.list.n; i++) {
		ret = add_sample(w, samples_at(&w->samples, i));
		progress_add(&bar, 1);
	}
	progress_end(&bar);
	if (!ret && w->shard.out && w->count.samples)
		ret = finish_shard(w);
	return ret;
}

static void report(struct wds_out *w)
{
	struct json *j = w->j;
	char limit[16];

	json_say(j, "%llu shard%s, %llu sample%s, ", w->all.shards, msg_s(w->all.shards),
		 w->all.samples, msg_s(w->all.samples));
	json_u64(j, "samples", w->all.samples);
	json_show_u64(j, "files", w->all.files == 1 ? "%llu file" : "%llu files", w->all.files);
	json_show_size(j, "bytes", ", %s\n", w->all.bytes);
	json_u64(j, "large", w->all.large);
	json_u64(j, "bad_samples", w->bad);
	json_u64(j, "others", w->samples.others);
	set_name(w, w->first_large);
	if (w->all.large)
		msg_warn(w->r->prefix, "%llu shard%s above %s, of one sample each: first %s",
			 w->all.large, msg_s(w->all.large),
			 parse_format_size(limit, sizeof(limit), w->size), w->name);
	if (w->bad)
		msg_error(w->r->prefix, "%llu sample%s left out: a file is bad", w->bad,
			  msg_s(w->bad));
	if (w->samples.others)
		msg_warn(w->v->img.path, "%llu object%s left out: neither file nor directory",
			 w->samples.others, msg_s(w->samples.others));
}

static int run(struct wds_out *w, struct filter *f)
{
	int ret = samples_collect(&w->samples, w->v, f);

	if (!ret && w->r->order)
		ret = samples_order(&w->samples, w->r->order, w->r->null);
	json_begin_array(w->j, "shards");
	if (!ret)
		ret = put_all(w);
	json_end(w->j);
	/* any other error was reported where it happened */
	if (ret == -ENOMEM)
		view_error(w->v, w->v->img.path, "shards", ret, NULL);
	report(w);
	/* What was left out was said where it was. */
	if (!ret && !w->all.shards && !w->v->errors->count) {
		msg_error(w->r->prefix, "no shard made: no regular file%s",
			  f->count ? " is selected" : " in the image");
		ret = -ENOENT;
	}
	return ret;
}

int export_shards(struct view *v, struct json *j, const struct shards_request *r, struct filter *f)
{
	struct wds_out w = {
		.v = v, .j = j, .r = r, .size = r->size ? r->size : WDS_SIZE, .dir = -1,
	};
	int ret = open_dir(&w);

	/* A shard beyond RLIMIT_FSIZE is an error of it. */
	signal(SIGXFSZ, SIG_IGN);
	progress_enable(!j);
	if (!ret)
		ret = run(&w, f);
	view_hidden(v, v->img.path);
	shard_free(&w.shard);
	samples_free(&w.samples);
	if (w.dir >= 0)
		close(w.dir);
	return ret || v->errors->count ? -1 : 0;
}
