// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs order: the order of an epoch.
 *
 * A true shuffle has no two neighbours of the device near each other, so that each
 * file is read alone.  Here pieces of the device are shuffled, and the files within
 * windows of many pieces again.  --stats says what that costs in randomness, beside what
 * a shuffle buffer over shards costs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "args.h"
#include "dsfs.h"
#include "fileset.h"
#include "json.h"
#include "msg.h"
#include "parse.h"
#include "shuffle.h"
#include "stop.h"
#include "strset.h"

#define JOBS	32

/**
 * struct options - the command line
 * @window: bytes; 0 for all, a true shuffle
 */
struct options {
	char **paths;
	const char *list;
	u64 window;
	u64 piece;
	u64 shard;
	u64 seed;
	bool null;
	bool sorted;
	bool ahead;
	bool stats;
	bool json;
};

struct state {
	const struct options *o;
	struct fileset set;
	struct item *items;
	u32 classes;
	s64 placed;
};

/*
 * Make the items of the files.  The class of a file is its directory, as in
 * ImageFolder.
 */
static int make_items(struct state *s)
{
	struct strset dirs = { };
	u64 pos = 0;
	s64 class = 0;

	s->items = calloc(s->set.nr + 1, sizeof(*s->items));
	if (!s->items)
		return -ENOMEM;
	for (size_t i = 0; i < s->set.nr && class >= 0; i++) {
		const struct fileset_file *f = &s->set.v[i];
		const char *slash = strrchr(f->path, '/');

		class = strset_add(&dirs, f->path, slash ? slash - f->path : 0,
				   NULL);
		/* a file without a known place counts as lying in the order given */
		if (f->start != NOWHERE)
			pos = f->start;
		s->items[i] = (struct item){ pos, f->size, class };
		pos += f->size;
	}
	s->classes = dirs.nr;
	strset_free(&dirs);
	return class < 0 ? class : 0;
}

static int make_order(const struct state *s, struct order *order)
{
	const struct options *o = s->o;

	if (o->sorted)
		return order_sorted(order, s->set.nr);
	if (!o->window)
		return order_true(order, s->set.nr, o->seed);
	return order_windowed(order, s->items, s->set.nr, o->piece, o->window,
			      o->seed, o->ahead);
}

static int print_order(const struct state *s)
{
	const char end = s->o->null ? '\0' : '\n';
	struct order order;

	if (make_order(s, &order))
		return -ENOMEM;
	for (size_t i = 0; i < order.nr && !ferror(stdout); i++) {
		fputs(s->set.v[order.v[i]].path, stdout);
		putchar(end);
	}
	free(order.v);
	return 0;
}

/* Orders to compare */
enum {
	EXPECTED,
	TRUE_SHUFFLE,
	THIS,
	BUFFER,
	SUBJECTS
};

static const char * const subject_names[SUBJECTS] = {
	"expected", "true_shuffle", "this_order", "shuffle_buffer",
};

static int measure(const struct state *s, struct order_stats *stats)
{
	const struct options *o = s->o;
	const u64 window = o->window ? o->window : s->set.bytes;
	struct order orders[SUBJECTS] = { };
	int ret = order_expected(&stats[EXPECTED], s->items, s->set.nr);

	if (!ret)
		ret = order_true(&orders[TRUE_SHUFFLE], s->set.nr, o->seed);
	if (!ret)
		ret = make_order(s, &orders[THIS]);
	if (!ret)
		ret = order_buffer(&orders[BUFFER], s->items, s->set.nr,
				   o->shard, window, o->seed);
	for (int i = TRUE_SHUFFLE; !ret && i < SUBJECTS; i++)
		ret = order_measure(&stats[i], &orders[i], s->items, window);
	for (int i = 0; i < SUBJECTS; i++)
		free(orders[i].v);
	/* an expectation is not read; shards are read from end to end */
	stats[EXPECTED].pieces = NAN;
	stats[BUFFER].pieces = NAN;
	return ret;
}

static void line(const char *what, const struct order_stats *stats,
		 size_t member)
{
	static const int width[SUBJECTS] = { 10, 14, 12, 16 };
	double v;

	printf("%-28s", what);
	for (int i = 0; i < SUBJECTS; i++) {
		memcpy(&v, (const char *)&stats[i] + member, sizeof(v));
		if (isnan(v))
			printf("%*s", width[i], "-");
		else
			printf("%*.4f", width[i], v);
	}
	putchar('\n');
}

static void stats_text(const struct state *s, const struct order_stats *st)
{
	char all[32], window[32], piece[32], shard[32];
	const struct options *o = s->o;

	parse_format_size(all, sizeof(all), s->set.bytes);
	parse_format_size(window, sizeof(window), o->window);
	parse_format_size(piece, sizeof(piece), o->piece);
	parse_format_size(shard, sizeof(shard), o->shard);
	printf("%zu file%s, %s, %u class%s; window %s, pieces %s, shards %s, seed %llu\n",
	       s->set.nr, msg_s(s->set.nr), all, s->classes,
	       s->classes == 1 ? "" : "es", o->window ? window : "of all", piece,
	       shard, o->seed);
	if (s->placed < (s64)s->set.nr)
		printf("%llu file%s of unknown place, taken as given\n",
		       s->set.nr - s->placed, msg_s(s->set.nr - s->placed));
	printf("%38s%14s%12s%16s\n", "expected", "true shuffle", "this order",
	       "shuffle buffer");
	line("rank correlation", st, offsetof(struct order_stats, rank));
	line("classes in 256 files", st, offsetof(struct order_stats, classes));
	line("distance of neighbours", st, offsetof(struct order_stats, distance));
	line("pieces of the device a file", st, offsetof(struct order_stats, pieces));
}

static void stats_json(const struct state *s, const struct order_stats *st)
{
	const struct options *o = s->o;
	struct json j;

	json_init(&j, stdout);
	json_begin_object(&j, NULL);
	json_u64(&j, "files", s->set.nr);
	json_u64(&j, "bytes", s->set.bytes);
	json_u64(&j, "classes", s->classes);
	json_u64(&j, "placed_files", s->placed);
	json_u64(&j, "window", o->window);
	json_u64(&j, "piece", o->piece);
	json_u64(&j, "shard", o->shard);
	json_u64(&j, "seed", o->seed);
	for (int i = 0; i < SUBJECTS; i++) {
		json_begin_object(&j, subject_names[i]);
		json_put_real(&j, "rank_correlation", st[i].rank);
		json_put_real(&j, "classes_a_batch", st[i].classes);
		json_put_real(&j, "neighbour_distance", st[i].distance);
		json_put_real(&j, "pieces_a_file", st[i].pieces);
		json_end(&j);
	}
	json_end(&j);
}

static int print_stats(const struct state *s)
{
	struct order_stats stats[SUBJECTS];
	int ret = measure(s, stats);

	if (ret)
		return ret;
	if (s->o->json)
		stats_json(s, stats);
	else
		stats_text(s, stats);
	return 0;
}

/* Not files in the order of their coming: a list or readdir(3) may come otherwise. */
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

static int run(struct state *s)
{
	const struct options *o = s->o;
	int ret = fileset_add(&s->set, o->list, o->null, o->paths);

	if (ret)
		return ret;
	if (s->set.nr > U32_MAX - 1) {
		msg_error(NULL, "%zu files: the limit is %u", s->set.nr,
			  U32_MAX - 1);
		return -EFBIG;
	}
	if (s->set.nr && !o->list)
		name_order(&s->set);
	s->placed = fileset_place(&s->set, JOBS);
	/* Half an order would be taken for a whole one. */
	if (s->placed < 0 || stop_asked())
		return -EINTR;
	ret = make_items(s);
	if (!ret)
		ret = o->stats ? print_stats(s) : print_order(s);
	if (ret == -ENOMEM)
		msg_error(NULL, "out of memory");
	return ret ? ret : s->set.errors ? -EIO : 0;
}

static const char usage_text[] =
"Usage: dsfs order [options] PATH...\n"
"       dsfs order [options] --filelist=FILE\n"
"Print the files below PATH in an order that is random over all of them and yet reads\n"
"the device in large pieces: pieces are shuffled, and files within windows of many.\n"
"\n"
"      --window=SIZE    bytes within which files are mixed, or all for a true shuffle\n"
"                       (default: 256M)\n"
"      --piece=SIZE     bytes that lie together on the device (default: 1M)\n"
"      --seed=N         another N, another order (default: 0)\n"
"      --ahead          the files of a window in the order of the device, for who asks\n"
"                       for all of it before it is read: dsfs readahead\n"
"      --sorted         no shuffle: the order of the device\n"
"      --filelist=FILE  paths, one a line; - is standard input\n"
"  -0, --null           entries of FILE and of the order end with NUL, not newline\n"
"      --stats          print how far the order is from a true shuffle, and not it\n"
"      --shard=SIZE     with --stats: shards of the shuffle buffer (default: 256M)\n"
"      --json           with --stats: as JSON\n"
"  -h, --help           this text\n"
"  -V, --version        the version\n";

int cmd_order(int argc, char **argv)
{
	struct options o = {
		.window = 256 << 20, .piece = 1 << 20, .shard = 256 << 20,
	};
	const struct arg args[] = {
		{ 0, "window", .size = &o.window, .word = "all" },
		{ 0, "piece", .size = &o.piece },
		{ 0, "shard", .size = &o.shard },
		{ 0, "seed", .number = &o.seed },
		{ 0, "filelist", .text = &o.list },
		{ '0', "null", .flag = &o.null },
		{ 0, "ahead", .flag = &o.ahead },
		{ 0, "sorted", .flag = &o.sorted },
		{ 0, "stats", .flag = &o.stats },
		{ 0, "json", .flag = &o.json },
		{ }
	};
	struct state s = { .o = &o };
	int ret = args_parse(args, usage_text, EXIT_USAGE, argc, argv);

	if (ret >= 0)
		return ret;
	o.paths = argv + optind;
	if (!o.list == !*o.paths)
		return args_wrong(EXIT_USAGE, o.list ? "--filelist does not go with paths" :
				  "no path given");
	if (o.ahead && (o.sorted || !o.window))
		return args_wrong(EXIT_USAGE, "--ahead is for windows of less than all");
	if (o.json && !o.stats)
		return args_wrong(EXIT_USAGE, "--json is for --stats");
	stop_init();
	ret = run(&s);
	free(s.items);
	fileset_free(&s.set);
	stop_end();
	return ret ? EXIT_ERROR : EXIT_OK;
}
