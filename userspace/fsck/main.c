// SPDX-License-Identifier: GPL-2.0
/*
 * fsck.dsfs: checks that an image follows every rule of the format.  It never
 * changes an image: a read-only data set can be packed again from its source,
 * which is better than any repair.  So the options of fsck(8) that ask for
 * repairs are accepted and do nothing.
 */
#include <signal.h>
#include <unistd.h>

#include "args.h"
#include "fsck.h"
#include "memory.h"
#include "msg.h"
#include "parse.h"

/* fsck(8) */
#define EXIT_CLEAN	0
#define EXIT_ERRORS	4
#define EXIT_FAILED	8
#define EXIT_USAGE	16
#define EXIT_CANCELLED	32

#define THREADS_MAX	64

static int check_tree(struct fsck *f)
{
	static int (*const passes[])(struct fsck *) = {
		check_blocks, check_note, check_inodes, check_hardlinks, check_dirs,
		check_xattrs, check_gaps, check_layout,
	};
	int ret = 0;

	for (size_t i = 0; !ret && !stop_asked() && i < sizeof(passes) / sizeof(*passes); i++)
		ret = passes[i](f);
	if (!ret && !stop_asked() && !f->no_data)
		ret = check_data(f);
	if (!ret && !stop_asked() && f->digest)
		ret = check_digest(f);
	return ret;
}

/* Whether the image is of another kind or of a newer version, and not damaged. */
static bool not_ours(const struct fsck *f)
{
	const struct dsfs_slot *s = f->img.slots;

	for (int i = 0; i < DSFS_SB_SLOTS; i++)
		if (s[i].ret != -EINVAL && s[i].ret != -EOPNOTSUPP && s[i].err.what)
			return false;
	return true;
}

static int init_lists(struct fsck *f)
{
	const u64 inodes = f->geo->inodes;

	refs_init(&f->data, get_data);
	f->data.sums = f->geo->chunk_bits;
	refs_init(&f->sets, get_set);
	refs_init(&f->targets, get_target);
	refs_init(&f->hardlinks, get_hardlink);
	if (bits_init(&f->again, inodes) || bits_init(&f->inside, inodes) ||
	    bits_init(&f->known, inodes))
		return -ENOMEM;
	return 0;
}

static void free_lists(struct fsck *f)
{
	refs_free(&f->data);
	refs_free(&f->sets);
	refs_free(&f->targets);
	refs_free(&f->hardlinks);
	array_free(&f->links);
	array_free(&f->dirs);
	array_free(&f->names_gaps);
	bits_free(&f->again);
	bits_free(&f->inside);
	bits_free(&f->known);
}

/* Free the results of the passes over a generation. */
static void end_generation(struct fsck *f)
{
	if (!f->generations++) {
		f->newest = *f->geo;
		f->all_files = f->files;
		f->all_content = f->content;
	}
	keep_later(f);
	free_lists(f);
	f->files = 0;
	f->content = 0;
	f->dir_inodes = 0;
	f->unread = 0;
	f->entries_end = 0;
	f->dirs_checked = 0;
	f->names_end = 0;
	f->unordered = false;
	f->incomplete = false;
}

static int check_generation(struct fsck *f)
{
	int ret = -ENOMEM;

	if (f->verbose && !f->json && (f->generations || f->only))
		printf("Generation %llu\n", f->geo->generation);
	f->src = image_source(&f->img, f->cache);
	if (f->src)
		ret = init_lists(f);
	if (!ret)
		ret = check_tree(f);
	end_generation(f);
	return ret;
}

/* Check all generations, from the newest one back through the history. */
static int check_generations(struct fsck *f)
{
	const u64 at = DSFS_REGION_HISTORY;
	struct dsfs_slot older;
	int ret, more;

	for (;;) {
		more = image_older(&f->img, f->geo, &older);
		f->fresh = more == 1 ? older.geo.image_bytes : 0;
		ret = check_generation(f);
		if (ret || f->only || stop_asked())
			return ret;
		if (more < 0)
			problem_err(f, NO_INO, meta_pos(f, at, 0), &older.err, more);
		if (more <= 0)
			return 0;
		f->img.older = older;
		f->img.geo = &f->img.older.geo;
		f->geo = f->img.geo;
	}
}

/*
 * Check an image.  Return: 0, a negative errno, or 1 for an image that is not
 * checked, after a message.
 */
static int check_image(struct fsck *f)
{
	int ret;

	if (!f->img.geo && not_ours(f)) {
		image_report_slots(&f->img);
		return 1;
	}
	f->geo = f->img.geo;
	ret = check_slots(f);
	if (ret || !f->geo)
		return ret;
	if (f->only) {
		ret = image_generation(&f->img, f->only);
		f->geo = f->img.geo;
	}
	return ret || image_as_expected(&f->img, NULL) ? 1 : check_generations(f);
}

static u64 cache_bytes(void)
{
	const u64 bytes = memory_for_us() / CACHE_SHARE;

	return bytes > CACHE_MOST ? CACHE_MOST : bytes < CACHE_LEAST ? CACHE_LEAST : bytes;
}

static int fsck(struct fsck *f, const char *path)
{
	int ret, code = EXIT_CLEAN;

	if (image_open_at(&f->img, path, f->source))
		return EXIT_FAILED;
	f->cache = cache_bytes();
	report_init(f);
	stop_init(SA_RESETHAND | SA_RESTART);
	ret = check_image(f);
	report_end(f, ret);
	if (f->report.errors)
		code |= EXIT_ERRORS;
	if (ret < 0)
		msg_error(f->img.path, "not checked: %s", msg_why(-ret));
	if (ret)
		code |= EXIT_FAILED;
	if (stop_asked())
		code |= EXIT_CANCELLED;
	if (msg_flush_stdout())
		code |= EXIT_FAILED;
	free_lists(f);
	free_later(f);
	image_close(&f->img);
	return code;
}

static int take_fd(const struct arg *a, void *ctx, const char *arg)
{
	struct fsck *f = ctx;
	u64 n;

	if (parse_u64(arg, &n) || n > INT_MAX)
		return arg_wrong(a, arg, "not a file descriptor");
	f->progress_fd = n;
	return 0;
}

static const struct arg option_table[] = {
	{ 0, "no-data", NULL, "check metadata only", ARG_FLAG(struct fsck, no_data) },
	{ 0, "digest", NULL, "compare the digest that a generation keeps with its tree",
	  ARG_FLAG(struct fsck, digest), .not = "no-data" },
	{ 0, "generation", "N", "check one generation, not all that the image keeps",
	  ARG_NUMBER(struct fsck, only, 1, 0) },
	{ 0, "threads", "N", "threads that check data (processors)",
	  ARG_NUMBER(struct fsck, threads, 1, THREADS_MAX) },
	{ 0, "source", "OPTIONS", "how to reach an image on a server: see dsfs-source(7)",
	  ARG_TEXT(struct fsck, source, 0), .once = true },
	{ 0, "json", NULL, "report as JSON on standard output", ARG_FLAG(struct fsck, json) },
	{ 'v', "verbose", NULL, "name every problem, and the passes",
	  ARG_FLAG(struct fsck, verbose) },
	{ 'q', "quiet", NULL, "errors only", ARG_FLAG(struct fsck, quiet) },
	{ 'C', NULL, "FD", "write progress for fsck(8) to a file descriptor",
	  .set = take_fd },
	{ .letter = 'n' },
	{ 'f', NULL, NULL, "accepted; it is what is done anyway", ARG_IGNORED },
	{ .letter = 'a' },
	{ .letter = 'p' },
	{ 'y', NULL, NULL, "accepted for fsck(8); nothing is repaired", ARG_IGNORED },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: fsck.dsfs [options] IMAGE\n"
	"Check a DSFS image.  Nothing is ever changed.\n",
	.wrong = EXIT_USAGE,
	.words = "IMAGE", .low = 1, .high = 1,
	.table = option_table,
};

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct fsck f = {
		.dirs.size = sizeof(struct fdir),
		.names_gaps.size = sizeof(struct names_gap),
		.links.size = sizeof(struct link_count),
		.progress_fd = -1,
		.threads = cpus < 1 ? 1 : cpus > 8 ? 8 : cpus,
	};
	int ret;

	msg_init("fsck.dsfs", EXIT_FAILED);
	ret = args_parse(&command_line, &f, &argc, argv);
	if (ret >= 0)
		return ret;
	if (f.quiet || f.json || f.progress_fd > 0)
		progress_enable(false);
	return fsck(&f, argv[0]);
}
