// SPDX-License-Identifier: GPL-2.0
/*
 * dump.dsfs: shows the content of an image, for people, for diff(1) and for
 * programs.  It trusts nothing and repairs nothing; it shows what is readable
 * and reports the rest.
 */
#include <unistd.h>

#include "args.h"
#include "diff.h"
#include "digest.h"
#include "dump.h"
#include "filter.h"
#include "msg.h"
#include "parse.h"
#include "file_sums.h"
#include "export.h"
#include "wds.h"

enum { EXIT_OK, EXIT_ERROR, EXIT_USAGE };

/* Number of errors of a kind that --extract prints */
#define PER_KIND	10

/**
 * struct request - options of the command line
 * @inode: like the other texts: value of the option; NULL: not given
 * @digest: that, as @digest_how says
 * @wds: --wds and what goes with it
 * @paths: of --path, all of them; @path: the one that is to be shown
 * @one: --generation was given: @generation
 */
struct request {
	const char *inode, *path, *dir, *extents, *extract, *cat;
	u64 generation;
	struct digest_request digest_how;
	struct diff_request diff_of;
	struct wds_request wds;
	struct filter paths;
	bool regions;
	bool digest;
	bool tar;
	bool resume;
	bool diff;
	bool list;
	bool manifest;
	bool generations;
	bool json;
	bool no_data;
	bool one;
	bool verbose;
};

static const char usage_text[] =
"Usage: dump.dsfs [options] IMAGE\n"
"Show what a DSFS image holds.  Without an option: its superblocks.\n"
"\n"
"      --regions        regions of the metadata\n"
"      --inode=N        an inode by number\n"
"      --path=PATH      an inode by path\n"
"      --dir=PATH|N     a directory: entries, name blocks, index\n"
"      --extents=PATH   where a file's data lies, and its checksums\n"
"      --list           everything, one line an object\n"
"      --no-data        with --list: read no contents\n"
"      --manifest       a manifest for mkfs.dsfs, whose contents are in a copy of the\n"
"                       tree: JSON, one object a line\n"
"      --digest[=KIND]  a number that stands for the data set, whatever the image\n"
"                       KIND: data (default), or full: attributes, too\n"
"      --text           with --digest: the text that it is the SHA-256 of\n"
"      --threads=N      with --digest: threads that read files (processors)\n"
"      --cat=PATH       write a file's contents to standard output\n"
"      --generations    the generations that the image keeps\n"
"      --diff=N..[M]    what changed from generation N to M, or to the newest\n"
"      --extract=DIR    restore the tree into DIR, which is new or empty\n"
"      --resume         with --extract: go on where a run was cut off\n"
"      --tar            write the tree to standard output, as a tar archive\n"
"      --wds=PREFIX     write the files as shards of a WebDataset: PREFIX-000000.tar, ...\n"
"      --shard-size=SIZE  with --wds: bytes of a shard (1G)\n"
"      --shard-samples=N  with --wds: samples of a shard (any number)\n"
"      --order=FILE     with --wds: keys or paths of samples that come first, one a line\n"
"  -0, --null           entries of the list end with NUL, not newline\n"
"      --path=PATTERN   with --extract, --tar and --wds: what matches, and all below it;\n"
"                       may be given many times\n"
"  -v, --verbose        with --extract, --tar and --wds: name all that fails\n"
"      --generation=N   look at an older generation; alone: its superblock\n"
"      --json           as JSON\n"
"  -h, --help           this text\n"
"  -V, --version        the version\n";

/*
 * Check BLOCKSUMS, which verifies all other metadata and is verified by its
 * region checksum only.
 */
static int check_blocksums(struct dump *d)
{
	const struct dsfs_region_info *r = &d->img.geo->regions[DSFS_REGION_BLOCKSUMS];
	u32 sum;
	int ret = image_region_sum(&d->img, DSFS_REGION_BLOCKSUMS, &sum);

	if (!ret && sum == r->checksum)
		return 0;
	if (ret)
		msg_error(d->img.path, "block checksums at %llu: %s",
			  r->pos, msg_why(-ret));
	else
		msg_error(d->img.path, "block checksums at %llu: checksum %#x, expected %#x",
			  r->pos, sum, r->checksum);
	d->errors++;
	return -1;
}

static int run(struct dump *d, struct request *r)
{
	if (r->cat)
		return dump_cat(d, r->cat);
	if (r->extract)
		return dump_extract(d, r->extract, &r->paths, r->resume);
	if (r->tar)
		return dump_tar(d, &r->paths);
	if (r->wds.prefix)
		return dump_wds(d, &r->wds, &r->paths);
	if (r->diff)
		return dump_diff(d, &r->diff_of);
	if (r->list)
		return dump_list(d);
	if (r->manifest)
		return dump_manifest(d);
	if (r->digest)
		return dump_digest(d, &r->digest_how);
	if (r->inode || r->path)
		return dump_path(d, r->inode ? r->inode : r->path);
	if (r->dir)
		return dump_dir(d, r->dir);
	if (r->extents)
		return dump_extents(d, r->extents);
	if (r->regions)
		return dump_regions(d);
	if (r->generations)
		return dump_generations(d);
	return r->one ? dump_generation(d) : dump_supers(d);
}

/* Options that select what is shown: their number, and the first two. */
static int requests(const struct request *r, const char *names[2])
{
	const struct {
		const char *name;
		bool given;
	} all[] = {
		{ "regions", r->regions }, { "inode", r->inode }, { "path", r->path },
		{ "dir", r->dir }, { "extents", r->extents }, { "list", r->list },
		{ "cat", r->cat }, { "generations", r->generations },
		{ "extract", r->extract }, { "digest", r->digest }, { "tar", r->tar },
		{ "diff", r->diff }, { "manifest", r->manifest }, { "wds", r->wds.prefix },
	};
	int n = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].given && n++ < 2)
			names[n - 1] = all[i].name;
	return n;
}

/* Whether the tree, or the part of it that --path says, is to be written. */
static bool is_export(const struct request *r)
{
	return r->extract || r->tar || r->wds.prefix;
}

/* Check the options of --wds. */
static int check_wds(const struct wds_request *r)
{
	if (r->null && !r->order)
		return args_wrong(EXIT_USAGE, "--null: goes with --order only");
	if (r->prefix)
		return -1;
	if (r->size)
		return args_wrong(EXIT_USAGE, "--shard-size: goes with --wds only");
	if (r->samples)
		return args_wrong(EXIT_USAGE, "--shard-samples: goes with --wds only");
	if (r->order)
		return args_wrong(EXIT_USAGE, "--order: goes with --wds only");
	return -1;
}

/* Check the combination of options.  Return: -1 to go on, or the exit status. */
static int check_request(const struct request *r)
{
	const char *names[2];
	int n = requests(r, names);

	if (n > 1)
		return args_clash(EXIT_USAGE, names[0], names[1]);
	if (r->json && (r->cat || r->extract || r->tar || r->manifest))
		return args_clash(EXIT_USAGE, "json", names[0]);
	if (r->one && r->generations)
		return args_clash(EXIT_USAGE, "generation", "generations");
	if (r->one && r->diff)
		return args_clash(EXIT_USAGE, "generation", "diff");
	if (r->no_data && !r->list)
		return args_wrong(EXIT_USAGE, "--no-data: goes with --list only");
	if (r->digest_how.text && !r->digest)
		return args_wrong(EXIT_USAGE, "--text: goes with --digest only");
	if (r->digest_how.threads && !r->digest)
		return args_wrong(EXIT_USAGE, "--threads: goes with --digest only");
	if (r->digest_how.text && r->json)
		return args_clash(EXIT_USAGE, "text", "json");
	if (r->resume && !r->extract)
		return args_wrong(EXIT_USAGE, "--resume: goes with --extract only");
	if (r->verbose && !is_export(r))
		return args_wrong(EXIT_USAGE,
				  "--verbose: goes with --extract, --tar and --wds only");
	return check_wds(&r->wds);
}

static int dump(const char *path, struct request *r)
{
	struct dump d = { .as_json = r->json, .no_data = r->no_data };
	const char *names[2];
	bool supers = !requests(r, names) && !r->one;
	int ret, bad;

	if (is_export(r) && !r->verbose)
		d.per_kind = PER_KIND;

	if (image_open(&d.img, path))
		return -1;
	bad = image_report_slots(&d.img);
	if (d.img.geo && r->one && image_generation(&d.img, r->generation)) {
		image_close(&d.img);
		return -1;
	}
	json_init(&d.j, stdout);
	if (d.img.geo) {
		d.src = image_source(&d.img, 0);
		if (!d.src)
			msg_error(path, "%s", strerror(ENOMEM));
	}
	ret = -1;
	if (supers || d.src) {
		if (d.img.geo)
			check_blocksums(&d);
		if (d.as_json)
			json_begin_object(&d.j, NULL);
		ret = run(&d, r);
		if (d.as_json)
			json_end(&d.j);
	}
	image_source_free(d.src);
	image_close(&d.img);
	return ret || bad || d.errors ? -1 : 0;
}

static int take_inode(void *ctx, const char *arg)
{
	struct request *r = ctx;
	u64 n;

	r->inode = arg;
	return args_number("inode", arg, 0, 0, &n);
}

static int take_path(void *ctx, const char *arg)
{
	struct request *r = ctx;

	if (!filter_add(&r->paths, arg))
		return 0;
	msg_error(NULL, "%s", strerror(ENOMEM));
	return EXIT_ERROR;
}

/* --path is the object to show, or selects a part of the tree. */
static int settle_path(struct request *r)
{
	if (is_export(r) || !r->paths.count)
		return -1;
	if (r->paths.count > 1)
		return args_wrong(EXIT_USAGE, "--path: given twice");
	r->path = filter_text(&r->paths);
	return -1;
}

static int take_diff(void *ctx, const char *arg)
{
	struct request *r = ctx;

	r->diff = true;
	if (!diff_parse(arg, &r->diff_of))
		return 0;
	msg_error(NULL, "--diff: %s: not two generations, as in 1..2", arg);
	return -1;
}

static int take_digest(void *ctx, const char *arg)
{
	struct request *r = ctx;

	r->digest = true;
	if (!parse_digest_kind(arg, &r->digest_how.kind))
		return 0;
	msg_error(NULL, "--digest: %s: neither data nor full", arg);
	return -1;
}

static int take_generation(void *ctx, const char *arg)
{
	struct request *r = ctx;

	r->one = true;
	return args_number("generation", arg, 0, 0, &r->generation);
}

/*
 * The image.  An option that needs a value takes the image for it if the value was
 * forgotten.
 */
static const char *take_image(const struct request *r, int argc, char **argv)
{
	const char *value = r->wds.prefix ? r->wds.prefix : r->extract;
	char text[256];

	if (optind < argc || !value)
		return args_single("image", argc, argv);
	snprintf(text, sizeof(text), "no image given: --%s took %s for its %s",
		 r->wds.prefix ? "wds" : "extract", value, r->wds.prefix ? "PREFIX" : "DIR");
	args_wrong(EXIT_USAGE, text);
	return NULL;
}

int main(int argc, char **argv)
{
	struct request r = { 0 };
	const struct arg args[] = {
		{ 0, "regions", .flag = &r.regions },
		{ 0, "inode", .take = take_inode, .ctx = &r, .once = true },
		{ 0, "path", .take = take_path, .ctx = &r },
		{ 0, "dir", .text = &r.dir, .once = true },
		{ 0, "extents", .text = &r.extents, .once = true },
		{ 0, "list", .flag = &r.list },
		{ 0, "manifest", .flag = &r.manifest },
		{ 0, "no-data", .flag = &r.no_data },
		{ 0, "cat", .text = &r.cat, .once = true },
		{ 0, "generations", .flag = &r.generations },
		{ 0, "generation", .take = take_generation, .ctx = &r, .once = true },
		{ 0, "digest", .take = take_digest, .ctx = &r, .once = true, .optional = true },
		{ 0, "text", .flag = &r.digest_how.text },
		{ 0, "threads", .number = &r.digest_how.threads, .min = 1,
		  .max = SUMS_THREADS_MAX },
		{ 0, "resume", .flag = &r.resume },
		{ 0, "tar", .flag = &r.tar },
		{ 0, "wds", .text = &r.wds.prefix, .once = true },
		{ 0, "shard-size", .size = &r.wds.size },
		{ 0, "shard-samples", .number = &r.wds.samples, .min = 1 },
		{ 0, "order", .text = &r.wds.order, .once = true },
		{ '0', "null", .flag = &r.wds.null },
		{ 0, "diff", .take = take_diff, .ctx = &r, .once = true },
		{ 0, "extract", .text = &r.extract, .once = true },
		{ 0, "json", .flag = &r.json },
		{ 'v', "verbose", .flag = &r.verbose },
		{ }
	};
	const char *image;
	int ret;

	msg_init("dump.dsfs", EXIT_ERROR);
	ret = args_parse(args, usage_text, EXIT_USAGE, argc, argv);
	if (ret >= 0)
		return ret;
	image = take_image(&r, argc, argv);
	if (!image)
		return EXIT_USAGE;
	ret = settle_path(&r);
	if (ret < 0)
		ret = check_request(&r);
	if (ret < 0)
		ret = dump(image, &r) ? EXIT_ERROR : EXIT_OK;
	filter_free(&r.paths);
	return ret;
}
