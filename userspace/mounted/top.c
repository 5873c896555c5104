// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs top: rates of mounts, updated continuously.  A rate is the difference of
 * two readings divided by the measured time between them, so a delay makes no
 * rate wrong.
 */
#include <unistd.h>

#include "args.h"
#include "clock.h"
#include "mounted.h"
#include "status.h"
#include "figures.h"
#include "msg.h"
#include "screen.h"

#define DELAY_MAX	86400
#define DEVICE		12	/* columns */
#define BAR		15

struct top_options {
	struct figures_source src;
	char *const *names;
	double delay;
	u64 count;		/* 0: no limit */
	bool batch;
};

/* A reading of all mounts; @peak: the most bytes a second that a mount has read up to then */
struct snapshot {
	struct mount_set set;
	double at;
	double peak;
};

static int look(const struct top_options *o, struct snapshot *l)
{
	l->at = clock_ns() / 1e9;
	return figures_read(&o->src, o->names, &l->set);
}

/* Find the same mount in the last reading, unless the device was mounted anew. */
static const struct mount_info *before(const struct snapshot *old, const struct mount_info *m)
{
	const struct mount_info *was;

	for (size_t i = 0; i < old->set.nr; i++) {
		was = &old->set.v[i];
		if (!strcmp(was->device, m->device))
			return was->value[FIG_OPENS] <= m->value[FIG_OPENS] &&
			       !strcmp(was->uuid, m->uuid) ? was : NULL;
	}
	return NULL;
}

/* --- the table ---------------------------------------------------------------------- */

static u64 grown(const struct mount_info *m, const struct mount_info *was, enum figure_id id)
{
	return m->value[id] - was->value[id];
}

static u64 sum_grown(const struct mount_info *m, const struct mount_info *was, enum figure_id first)
{
	return figures_sum(m, first) - figures_sum(was, first);
}

/* Format a number in up to five columns, such as "1.2M". */
static const char *short_number(char *buf, size_t size, double v)
{
	static const char units[] = " kMGTPEZ";
	const char *u = units;

	for (; v >= 9999.5 && u[1]; u++)
		v /= 1000;
	if (*u == ' ')
		snprintf(buf, size, v > 0 && v < 9.95 ? "%.1f" : "%.0f", v);
	else
		snprintf(buf, size, "%.0f%c", v, *u);
	return buf;
}

static void number(int columns, double v)
{
	char buf[16];

	printf(" %*s", columns, short_number(buf, sizeof(buf), v));
}

static void head(void)
{
	printf("%-*s %6s %7s %6s %7s %6s %6s %6s\n", DEVICE, "DEVICE", "open/s", "whole/s",
	       "req/s", "MB/s", "req/op", "pref/s", "errors");
}

/* What the epoch cache did, if it did anything */
static void cache_row(const struct mount_info *m, const struct mount_info *was, double seconds)
{
	const double admitted = grown(m, was, FIG_CACHE_ADMITTED) / seconds;
	const double transient = grown(m, was, FIG_CACHE_TRANSIENT) / seconds;
	const double lost = grown(m, was, FIG_CACHE_LOST) / seconds;

	if (admitted <= 0 && transient <= 0 && lost <= 0)
		return;
	fputs("  epoch cache:", stdout);
	number(0, admitted);
	fputs(" admit/s,", stdout);
	number(0, transient);
	fputs(" trans/s,", stdout);
	number(0, lost);
	fputs(" lost/s\n", stdout);
}

static double bytes_rate(const struct mount_info *m, const struct mount_info *was, double seconds)
{
	return sum_grown(m, was, FIG_BYTES) / seconds;
}

static void row(const struct mount_info *m, const struct mount_info *was, double seconds,
		double peak)
{
	const double bytes = bytes_rate(m, was, seconds);
	const u64 opens = grown(m, was, FIG_OPENS), errors = figures_errors(m);
	const u64 requests = sum_grown(m, was, FIG_REQUESTS);
	char buf[4096];

	snprintf(buf, sizeof(buf), "%s", m->device);
	printf("%-*s", DEVICE, screen_tail(buf, DEVICE));
	number(6, opens / seconds);
	number(7, grown(m, was, FIG_WHOLE_READS) / seconds);
	number(6, requests / seconds);
	if (bytes < 99999.95e6)
		printf(" %7.1f", bytes / 1e6);
	else
		number(7, bytes / 1e6);
	if (opens && requests / opens < 100)
		printf(" %6.3f", (double)requests / opens);
	else if (opens)
		number(6, (double)requests / opens);
	else
		printf(" %6s", "-");
	number(6, grown(m, was, FIG_PREFETCH_ISSUED) / seconds);
	number(6, errors);
	fputs("  ", stdout);
	screen_bar(stdout, bytes, peak, BAR);
	msg_escape(buf, sizeof(buf), m->points ?: "-");
	printf("\n  %s\n", screen_tail(buf, SCREEN_COLUMNS - 2));
	cache_row(m, was, seconds);
}

static void table(const struct snapshot *old, struct snapshot *new)
{
	double seconds = new->at - old->at;
	const struct mount_info *was;

	/* a coarse clock may show no difference */
	if (seconds < 0.001)
		seconds = 0.001;
	head();
	new->peak = old->peak;
	for (size_t i = 0; i < new->set.nr; i++) {
		was = before(old, &new->set.v[i]);
		if (was && bytes_rate(&new->set.v[i], was, seconds) > new->peak)
			new->peak = bytes_rate(&new->set.v[i], was, seconds);
	}
	for (size_t i = 0; i < new->set.nr; i++) {
		was = before(old, &new->set.v[i]);
		if (was)
			row(&new->set.v[i], was, seconds, new->peak);
	}
}

/* --- again and again -------------------------------------------------------------------- */

static void show(const struct top_options *o, const struct snapshot *old,
		 struct snapshot *new, u64 n)
{
	if (o->batch) {
		if (n)
			putchar('\n');
	} else {
		fputs("\033[H\033[J", stdout);
	}
	table(old, new);
	if (!o->batch)
		printf("\n%zu mounted; every %g s; the longest bar: %.1f MB/s; ^C ends\n",
		       new->set.nr, o->delay, new->peak / 1e6);
}

static int watch(const struct top_options *o)
{
	const struct timespec delay = {
		.tv_sec = o->delay, .tv_nsec = (o->delay - (time_t)o->delay) * 1e9,
	};
	struct snapshot old = { }, new;
	bool failed = false;

	if (look(o, &old))
		return EXIT_ERROR;
	for (u64 n = 0; !failed && (!o->count || n < o->count); n++) {
		nanosleep(&delay, NULL);
		failed = look(o, &new);
		if (failed)
			break;
		show(o, &old, &new, n);
		figures_free(&old.set);
		old = new;
		/* each table is flushed at once */
		failed = msg_flush_stdout();
	}
	figures_free(&old.set);
	return failed ? EXIT_ERROR : EXIT_OK;
}

static int take_delay(const struct arg *a, void *ctx, const char *arg)
{
	struct top_options *o = ctx;
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || *end || !(v > 0) || v > DELAY_MAX)
		return arg_wrong(a, arg, "not more than 0 and at most %d seconds", DELAY_MAX);
	o->delay = v;
	return 0;
}

static const struct arg option_table[] = {
	{ 'd', "delay", "SECONDS", "between two looks (default: 1)", .set = take_delay },
	{ 'n', "iterations", "N", "end after N tables",
	  ARG_NUMBER(struct top_options, count, 1, 0) },
	{ 'b', "batch", NULL, "one table behind the other, for a file or a program",
	  ARG_FLAG(struct top_options, batch) },
	{ FIGURES_SYSFS(struct top_options, src) },
	{ FIGURES_MOUNTINFO(struct top_options, src) },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs top [options] [MOUNTPOINT|DEVICE]...\n"
	"Show again and again what mounted data sets do: all of them, or those that are named.\n",
	.more =
	"^C ends it.  Exit: 0 done, 1 something could not be read, or is not mounted (any more),\n"
	"2 wrong usage.\n",
	.examples =
	"  dsfs top\n"
	"  dsfs top --delay=10 /data\n",
	.table = option_table,
};

int verb_top(int argc, char **argv)
{
	struct top_options o = { .src = FIGURES_SOURCE, .delay = 1 };
	int ret = args_parse(&command_line, &o, &argc, argv);

	if (ret >= 0)
		return ret;
	o.names = argv;
	if (!o.batch && !isatty(STDOUT_FILENO))
		return args_wrong(EXIT_USAGE, "standard output is no terminal: use --batch");
	return watch(&o);
}
