// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs stat: counters of mounts, as text, as JSON, and as metrics for the
 * textfile collector of the Prometheus node exporter.
 */
#include <argz.h>
#include <fcntl.h>
#include <unistd.h>

#include "args.h"
#include "mounted.h"
#include "status.h"
#include "figures.h"
#include "json.h"
#include "msg.h"
#include "parse.h"
#include "screen.h"

#define BAR	28	/* columns, beside numbers of 20 digits */

struct stat_options {
	struct figures_source src;
	const char *output;
	bool json;
	bool prometheus;
};

/* --- for people ---------------------------------------------------------------- */

static void print_points(const struct mount_info *m, FILE *out)
{
	struct screen_line line;
	const char *p = NULL;
	char buf[4096];

	fputs(m->device, out);
	screen_begin(&line, out, 4, " on ");
	line.column += strlen(m->device);
	while ((p = argz_next(m->points, m->points_len, p)))
		screen_item(&line, "%s", msg_escape(buf, sizeof(buf), p));
	fputs(m->points ? "\n" : "(not mounted here)\n", out);
}

static void print_requests(const struct mount_info *m, FILE *out)
{
	const u64 total = figures_sum(m, FIG_REQUESTS);
	u64 most = 0;
	char buf[32];

	for (int i = 0; i < FIG_KINDS; i++)
		most = m->value[FIG_REQUESTS + i] > most ? m->value[FIG_REQUESTS + i] : most;
	fprintf(out, "  %-12s %14s %14s\n", "requests", "number", "bytes");
	for (int i = 0; i < FIG_KINDS; i++) {
		fprintf(out, "    %-10s %14llu %14s  ", figures[FIG_REQUESTS + i].kind,
			m->value[FIG_REQUESTS + i],
			parse_format_size(buf, sizeof(buf), m->value[FIG_BYTES + i]));
		screen_bar(out, m->value[FIG_REQUESTS + i], most, BAR);
		fputc('\n', out);
	}
	fprintf(out, "    %-10s %14llu %14s\n", "all", total,
		parse_format_size(buf, sizeof(buf), figures_sum(m, FIG_BYTES)));
	if (m->value[FIG_OPENS])
		fprintf(out, "    a file opened: %.3f\n", (double)total / m->value[FIG_OPENS]);
}

static void title(struct screen_line *line, FILE *out, const char *text)
{
	fputs("  ", out);
	screen_begin(line, out, 13, text);
	line->indent += 2;
	line->column += 2;
}

/* "12 files admitted": @thing is one of them, @rest what became of it */
static void count(struct screen_line *line, u64 n, const char *thing, const char *rest)
{
	screen_item(line, "%llu %s%s%s", n, thing, *thing ? msg_s(n) : "", rest);
}

/* Print a line for the cache and for prefetch, unless they did nothing. */
static void print_cache(const struct mount_info *m, FILE *out)
{
	struct screen_line line;
	char held[32];

	if (m->value[FIG_CACHE_ADMITTED] || m->value[FIG_CACHE_TRANSIENT]) {
		title(&line, out, "cache");
		count(&line, m->value[FIG_CACHE_ADMITTED], "file", " admitted");
		count(&line, m->value[FIG_CACHE_TRANSIENT], "", "transient");
		count(&line, m->value[FIG_CACHE_LOST], "page", " lost");
		if (m->there[FIG_CACHE_HELD])
			screen_item(&line, "%s held",
				    parse_format_size(held, sizeof(held),
						      m->value[FIG_CACHE_HELD]));
		fputc('\n', out);
	}
	if (m->value[FIG_PREFETCH_ISSUED] || m->value[FIG_PREFETCH_DROPPED]) {
		title(&line, out, "prefetch");
		count(&line, m->value[FIG_PREFETCH_ISSUED], "file", " read ahead");
		count(&line, m->value[FIG_PREFETCH_DROPPED], "hint", " dropped");
		fputc('\n', out);
	}
}

static void print_image(const struct mount_info *m, FILE *out)
{
	char label[256], all[32], resident[32];
	struct screen_line line;

	title(&line, out, "image");
	screen_item(&line, "%s", m->uuid);
	screen_item(&line, "generation %llu", m->generation);
	if (m->label[0])
		screen_item(&line, "label %s", msg_escape(label, sizeof(label), m->label));
	fprintf(out, "\n  %-12s %s, %s of it in memory\n", "metadata",
		parse_format_size(all, sizeof(all), m->value[FIG_METADATA]),
		parse_format_size(resident, sizeof(resident), m->value[FIG_RESIDENT]));
}

static void print_mount(const struct mount_info *m, FILE *out)
{
	struct screen_line line;

	print_points(m, out);
	print_image(m, out);
	title(&line, out, "errors");
	count(&line, m->value[FIG_CHECKSUM_ERRORS], "checksum", "");
	count(&line, m->value[FIG_IO_ERRORS], "read", "");
	count(&line, m->value[FIG_STRUCTURE_ERRORS], "structure", "");
	count(&line, m->value[FIG_BAD_BLOCKS], "bad block", " at mount");
	fputc('\n', out);
	if (!m->there[FIG_OPENS]) {
		fputs("  nothing else is counted: the module is older than this program\n", out);
		return;
	}
	title(&line, out, "opened");
	count(&line, m->value[FIG_OPENS], "file", "");
	count(&line, m->value[FIG_WHOLE_READS], "", "brought in whole by the first read");
	fputc('\n', out);
	print_requests(m, out);
	print_cache(m, out);
}

static void write_text(const struct mount_set *set, FILE *out)
{
	for (size_t i = 0; i < set->nr; i++)
		print_mount(&set->v[i], out);
}

/* --- for programs -------------------------------------------------------------- */

/* The names of members are those of the files in sysfs. */
static void json_figures(struct json *j, const struct mount_info *m, bool stats)
{
	const char *name, *slash;

	for (int i = 0; i < FIGURES; i++) {
		name = figures[i].file;
		slash = strchr(name, '/');
		if (m->there[i] && !!slash == stats)
			json_u64(j, slash ? slash + 1 : name, m->value[i]);
	}
}

static void json_mount(struct json *j, const struct mount_info *m)
{
	const char *p = NULL;

	json_begin_object(j, NULL);
	json_str(j, "device", m->device);
	json_begin_array(j, "mountpoints");
	while ((p = argz_next(m->points, m->points_len, p)))
		json_str(j, NULL, p);
	json_end(j);
	json_str(j, "uuid", m->uuid);
	json_str(j, "label", m->label);
	json_u64(j, "generation", m->generation);
	json_figures(j, m, false);
	json_begin_object(j, "stats");
	json_figures(j, m, true);
	json_end(j);
	json_end(j);
}

static void write_json(const struct mount_set *set, FILE *out)
{
	struct json j;

	json_init(&j, out);
	json_begin_object(&j, NULL);
	json_begin_array(&j, "mounts");
	for (size_t i = 0; i < set->nr; i++)
		json_mount(&j, &set->v[i]);
	json_end(&j);
	json_end(&j);
}

/* --- for Prometheus -------------------------------------------------------------- */

/* Write the value of a label, which is UTF-8; names need not be. */
static void prometheus_label(FILE *out, const char *name, const char *value)
{
	char buf[4096];

	fprintf(out, "%s=\"", name);
	msg_escape(buf, sizeof(buf), value);
	for (const char *p = buf; *p; p++)
		fprintf(out, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
	fputc('"', out);
}

static void prometheus_labels(FILE *out, const struct mount_info *m)
{
	prometheus_label(out, "device", m->device);
	prometheus_label(out, ",uuid", m->uuid);
	prometheus_label(out, ",mountpoint", m->points ?: "");
}

static void prometheus_head(FILE *out, const char *metric, const char *help, bool counter)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", metric, help, metric,
		counter ? "counter" : "gauge");
}

static void prometheus_info(const struct mount_set *set, FILE *out)
{
	prometheus_head(out, "dsfs_mount_info", "A mounted image.", false);
	for (size_t i = 0; i < set->nr; i++) {
		fputs("dsfs_mount_info{", out);
		prometheus_labels(out, &set->v[i]);
		prometheus_label(out, ",label", set->v[i].label);
		fprintf(out, ",generation=\"%llu\"} 1\n", set->v[i].generation);
	}
}

/* Write all samples of a metric, after its description. */
static void write_prometheus(const struct mount_set *set, FILE *out)
{
	const struct figure *f = figures;
	int i, kinds;

	prometheus_info(set, out);
	for (; f < figures + FIGURES; f += kinds) {
		kinds = f->kind ? FIG_KINDS : 1;
		prometheus_head(out, f->metric, f->help, f->counter);
		for (i = 0; i < set->nr * kinds; i++) {
			const struct mount_info *m = &set->v[i / kinds];
			const int id = f - figures + i % kinds;

			if (!m->there[id])
				continue;
			fprintf(out, "%s{", f->metric);
			prometheus_labels(out, m);
			if (f->kind)
				prometheus_label(out, ",kind", figures[id].kind);
			fprintf(out, "} %llu\n", m->value[id]);
		}
	}
}

/* --- where to --------------------------------------------------------------------- */

static void write_form(const struct mount_set *set, const struct stat_options *o, FILE *out)
{
	if (o->json)
		write_json(set, out);
	else if (o->prometheus)
		write_prometheus(set, out);
	else
		write_text(set, out);
}

static int fail(const char *path, int error)
{
	msg_error(path, "%s", strerror(error));
	return -error;
}

/* Write a new file and rename it, so that readers never see a part of it. */
static int write_output(const struct mount_set *set, const struct stat_options *o)
{
	char *tmp;
	FILE *out;
	int fd, ret = 0;

	if (asprintf(&tmp, "%s.XXXXXX", o->output) < 0)
		return fail(NULL, ENOMEM);
	fd = mkostemp(tmp, O_CLOEXEC);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		ret = fail(o->output, errno);
		if (fd >= 0) {
			close(fd);
			unlink(tmp);
		}
		free(tmp);
		return ret;
	}
	write_form(set, o, out);
	if (fflush(out) || ferror(out) || fchmod(fd, 0644) || fsync(fd))
		ret = fail(o->output, errno);
	if (fclose(out) && !ret)
		ret = fail(o->output, errno);
	if (!ret && rename(tmp, o->output))
		ret = fail(o->output, errno);
	if (ret)
		unlink(tmp);
	free(tmp);
	return ret;
}

static int show(const struct stat_options *o, char *const *names)
{
	struct mount_set set;
	int ret;

	ret = figures_read(&o->src, names, &set);
	if (ret)
		return EXIT_ERROR;
	if (o->output)
		ret = write_output(&set, o);
	else
		write_form(&set, o, stdout);
	figures_free(&set);
	return ret ? EXIT_ERROR : EXIT_OK;
}

static const struct arg option_table[] = {
	{ 0, "json", NULL, "JSON", ARG_FLAG(struct stat_options, json), .alone = true },
	{ 0, "prometheus", NULL, "the text format of Prometheus",
	  ARG_FLAG(struct stat_options, prometheus), .alone = true },
	{ 'o', "output", "FILE", "to FILE, which is replaced at once, not to standard output",
	  ARG_TEXT(struct stat_options, output, 0) },
	{ FIGURES_SYSFS(struct stat_options, src) },
	{ FIGURES_MOUNTINFO(struct stat_options, src) },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs stat [options] [MOUNTPOINT|DEVICE]...\n"
	"Show what mounted data sets did since they were mounted: all of them, or those\n"
	"that are named.\n",
	.more =
	"Exit: 0 done, 1 something could not be read or written, or is not mounted,\n"
	"2 wrong usage.\n",
	.examples =
	"  dsfs stat\n"
	"  dsfs stat --prometheus --output=dsfs.prom /data\n",
	.table = option_table,
};

int verb_stat(int argc, char **argv)
{
	struct stat_options o = { .src = FIGURES_SOURCE };
	int ret = args_parse(&command_line, &o, &argc, argv);

	if (ret >= 0)
		return ret;
	return show(&o, argv);
}
