// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs top: rates of mounts, updated continuously.  A rate is the difference of
 * two readings divided by the measured time between them, so a delay makes no
 * rate wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "args.h"
#include "clock.h"
#include "mounted.h"
#include "status.h"
#include "figures.h"
#include "msg.h"

#define DELAY_MAX	86400
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))

struct top_options {
	struct figures_source src;
	char *const *names;
	double delay;
	u64 count;		/* 0: no limit */
	bool batch;
};

/* A reading of all mounts */
struct snapshot {
	struct mount_set set;
	double at;
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
	static const char units[] = " kMGTP";
	const char *u = units;

	for (; v >= 9999.5 && u[1]; u++)
		v /= 1000;
	if (*u == ' ')
		snprintf(buf, size, v > 0 && v < 9.95 ? "%.1f" : "%.0f", v);
	else
		snprintf(buf, size, "%.0f%c", v, *u);
	return buf;
}

static void head(void)
{
	printf("%-12s %7s %7s %7s %9s %7s %7s %7s %7s %7s %6s  %s\n", "DEVICE", "open/s",
	       "whole/s", "req/s", "MB/s", "req/op", "admit/s", "trans/s", "lost/s",
	       "pref/s", "errors", "MOUNTED ON");
}

static void row(const struct mount_info *m, const struct mount_info *was, double seconds)
{
	const u64 opens = grown(m, was, FIG_OPENS);
	const u64 requests = sum_grown(m, was, FIG_REQUESTS);
	const u64 rates[] = { opens, grown(m, was, FIG_WHOLE_READS), requests };
	const enum figure_id more[] = {
		FIG_CACHE_ADMITTED, FIG_CACHE_TRANSIENT, FIG_CACHE_LOST, FIG_PREFETCH_ISSUED,
	};
	char buf[4096];

	printf("%-12s", m->device);
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		printf(" %7s", short_number(buf, sizeof(buf), rates[i] / seconds));
	printf(" %9.1f", sum_grown(m, was, FIG_BYTES) / seconds / 1e6);
	if (opens)
		printf(" %7.3f", (double)requests / opens);
	else
		printf(" %7s", "-");
	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		printf(" %7s", short_number(buf, sizeof(buf), grown(m, was, more[i]) / seconds));
	printf(" %6llu  %s\n", figures_errors(m), m->points ?
	       msg_escape(buf, sizeof(buf), m->points) : "-");
}

static void table(const struct snapshot *old, const struct snapshot *new)
{
	double seconds = new->at - old->at;
	const struct mount_info *was;

	/* a coarse clock may show no difference */
	if (seconds < 0.001)
		seconds = 0.001;
	head();
	for (size_t i = 0; i < new->set.nr; i++) {
		was = before(old, &new->set.v[i]);
		if (was)
			row(&new->set.v[i], was, seconds);
	}
}

/* --- again and again -------------------------------------------------------------------- */

static void show(const struct top_options *o, const struct snapshot *old,
		 const struct snapshot *new, u64 n)
{
	if (o->batch) {
		if (n)
			putchar('\n');
	} else {
		fputs("\033[H\033[J", stdout);
	}
	table(old, new);
	if (!o->batch)
		printf("\n%zu mounted; every %g s; ^C ends\n", new->set.nr, o->delay);
}

static int watch(const struct top_options *o)
{
	const struct timespec delay = {
		.tv_sec = o->delay, .tv_nsec = (o->delay - (time_t)o->delay) * 1e9,
	};
	struct snapshot old, new;
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
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs top [options] [MOUNTPOINT|DEVICE]...\n"
	"Show again and again what mounted data sets do: all of them, or those that are named.\n",
	.more =
	"^C ends it.  Exit: 0 done, 1 something could not be read, or is not mounted (any more),\n"
	"2 wrong usage.\n",
	.wrong = EXIT_USAGE,
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
