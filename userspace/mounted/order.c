// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs order: the order of an epoch.
 *
 * A true shuffle has no two neighbours of the device near each other, so that each
 * file is read alone.  Here ranges of the device are shuffled, and the files within
 * buffers of many ranges again.
 */
#include <unistd.h>

#include "args.h"
#include "mounted.h"
#include "status.h"
#include "fileset.h"
#include "mixing.h"
#include "msg.h"
#include "shuffle.h"
#include "stop.h"

#define JOBS	32

/**
 * struct order_options - the command line
 * @plot: file for a picture of the order, which is not printed then; or NULL
 * @buffer: bytes; 0 for all, a true shuffle
 */
struct order_options {
	char **paths;
	const char *list;
	const char *plot;
	u64 buffer;
	u64 range;
	u64 seed;
	bool null;
	bool sorted;
	bool ahead;
};

static int buffers(const struct order_options *o, const struct fileset *set, u32 *order)
{
	u64 *sizes = calloc(set->nr + 1, sizeof(*sizes));
	int ret;

	if (!sizes)
		return -ENOMEM;
	for (size_t i = 0; i < set->nr; i++)
		sizes[i] = set->v[i].size;
	ret = order_buffered(order, sizes, set->nr, o->range, o->buffer, o->seed, o->ahead);
	free(sizes);
	return ret;
}

static int plot(const struct order_options *o, const struct fileset *set, const u32 *order)
{
	struct mixing mixing = { };
	int ret = mixing_of(&mixing, set, order, o->seed);

	if (ret)
		return ret;
	mixing_print(&mixing);
	return mixing_draw(&mixing, o->plot);
}

static void print(const struct order_options *o, const struct fileset *set, const u32 *order)
{
	for (size_t i = 0; i < set->nr && !ferror(stdout); i++) {
		fputs(set->v[order[i]].path, stdout);
		putchar(o->null ? '\0' : '\n');
	}
}

static int show_order(const struct order_options *o, const struct fileset *set)
{
	u32 *order = calloc(set->nr + 1, sizeof(*order));
	int ret = order ? 0 : -ENOMEM;

	if (order && o->sorted)
		order_sorted(order, set->nr);
	else if (order && !o->buffer)
		order_true(order, set->nr, o->seed);
	else if (order)
		ret = buffers(o, set, order);
	if (ret)
		no_memory();
	else if (o->plot)
		ret = plot(o, set, order);
	else
		print(o, set, order);
	free(order);
	return ret;
}

/* The order of readdir(3) differs from machine to machine, so files are sorted by path first. */
static int by_path(const void *p, const void *q)
{
	const struct fileset_file *a = p, *b = q;

	return strcmp(a->path, b->path);
}

static void name_order(struct fileset *set)
{
	qsort(set->v, set->nr, sizeof(*set->v), by_path);
	for (size_t i = 0; i < set->nr; i++)
		set->v[i].given = i;
}

static int run(const struct order_options *o, struct fileset *set)
{
	int ret = fileset_add(set, o->list, o->null, o->paths);

	if (ret)
		return ret;
	if (set->nr > U32_MAX - 1)
		return msg_fail(-EFBIG, NULL, "%zu files: the limit is %u", set->nr, U32_MAX - 1);
	if (set->nr && !o->list)
		name_order(set);
	fileset_place(set, JOBS);
	/* Half an order would be taken for a whole one. */
	if (stop_asked())
		return -EINTR;
	return show_order(o, set) ?: set->errors ? -EIO : 0;
}

static const struct arg option_table[] = {
	{ 0, "buffer", "SIZE",
	  "bytes within which files are mixed, or all (default: 256M)",
	  ARG_SIZE(struct order_options, buffer), .word = "all" },
	{ 0, "range", "SIZE", "bytes that lie together on the device (default: 1M)",
	  ARG_SIZE(struct order_options, range) },
	{ 0, "seed", "N", "another N, another order (default: 0)",
	  ARG_NUMBER(struct order_options, seed, 0, 0) },
	{ 0, "ahead", NULL,
	  "buffers in the order of the device: for dsfs readahead",
	  ARG_FLAG(struct order_options, ahead), .not = "sorted" },
	{ 0, "sorted", NULL, "no shuffle: the order of the device",
	  ARG_FLAG(struct order_options, sorted) },
	{ 0, "filelist", "FILE", "paths, one a line; - is standard input",
	  ARG_TEXT(struct order_options, list, 0) },
	{ '0', "null", NULL, "entries of FILE and of the order end with NUL, not newline",
	  ARG_FLAG(struct order_options, null) },
	{ 0, "plot", "FILE",
	  "draw to FILE (SVG) and print how well the order mixes, not the order",
	  ARG_TEXT(struct order_options, plot, 0), .not = "null" },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs order [options] PATH...\n"
	"       dsfs order [options] --filelist=FILE\n"
	"Print the files below PATH in an order that is random over all of them and yet reads\n"
	"the device in large ranges: ranges are shuffled, and files within buffers of many.\n",
	.examples =
	"  dsfs order /data >epoch.list\n"
	"  dsfs order --plot=order.svg --buffer=1G /data\n",
	.table = option_table,
};

int verb_order(int argc, char **argv)
{
	struct order_options o = { .buffer = 256 << 20, .range = 1 << 20 };
	struct fileset set = { };
	int ret = args_parse(&command_line, &o, &argc, argv);

	if (ret >= 0)
		return ret;
	o.paths = argv;
	if (!o.list == !*o.paths)
		return args_wrong(EXIT_USAGE, o.list ? "--filelist does not go with paths" :
				  "no path given");
	if (o.ahead && !o.buffer)
		return args_wrong(EXIT_USAGE, "--ahead is for buffers of less than all");
	stop_init(0);
	ret = run(&o, &set);
	fileset_free(&set);
	stop_end();
	return ret ? EXIT_ERROR : EXIT_OK;
}
