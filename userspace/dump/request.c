// SPDX-License-Identifier: GPL-2.0
/* The command line of dump.dsfs. */
#include "args.h"
#include "dump.h"
#include "file_sums.h"
#include "msg.h"
#include "parse.h"
#include "request.h"

enum { EXIT_OK, EXIT_ERROR, EXIT_USAGE };

/* An option that shows something goes with no other one that does. */
#define SHOWS	ARG_GIVEN(struct request, what), .alone = true

static int take_path(const struct arg *a, void *ctx, const char *arg)
{
	struct request *r = ctx;

	(void)a;
	if (!filter_add(&r->paths, arg))
		return 0;
	no_memory();
	return EXIT_ERROR;
}

static int take_diff(const struct arg *a, void *ctx, const char *arg)
{
	struct request *r = ctx;

	r->diff = true;
	return diff_parse(arg, &r->diff_of) ?
	       arg_wrong(a, arg, "not two generations, as in 1..2") : 0;
}

static const struct arg option_table[] = {
	{ 0, "regions", NULL, "regions of the metadata",
	  ARG_FLAG(struct request, regions), SHOWS },
	{ 0, "inode", "N", "an inode by number",
	  ARG_TEXT(struct request, inode, 0), SHOWS, .once = true },
	{ 0, "path", "PATH",
	  "an inode; with --extract, --tar, --wds: what matches a pattern",
	  .set = take_path, ARG_GIVEN(struct request, what),
	  .not = "regions; inode; dir; extents; list; manifest; digest; cat; generations; diff; "
		 "oci" },
	{ 0, "dir", "PATH|N", "a directory: entries, name blocks, index",
	  ARG_TEXT(struct request, dir, 0), SHOWS, .once = true },
	{ 0, "extents", "PATH", "where a file's data lies, and its checksums",
	  ARG_TEXT(struct request, extents, 0), SHOWS, .once = true },
	{ 0, "list", NULL, "everything, one line an object",
	  ARG_FLAG(struct request, list), SHOWS },
	{ 0, "no-data", NULL, "with --list: read no contents",
	  ARG_FLAG(struct request, no_data), .only = "list" },
	{ 0, "manifest", NULL,
	  "a manifest for mkfs.dsfs: JSON, one object a line",
	  ARG_FLAG(struct request, manifest), SHOWS },
	{ 0, "digest", "[data|full]",
	  "a number that stands for the data set, whatever the image",
	  ARG_CHOICE(struct request, digest), SHOWS, .once = true },
	{ 0, "text", NULL, "with --digest: the text that it is the SHA-256 of",
	  ARG_FLAG(struct request, digest_how.text), .only = "digest", .not = "json" },
	{ 0, "threads", "N", "with --digest: threads that read files (processors)",
	  ARG_NUMBER(struct request, digest_how.threads, 1, SUMS_THREADS_MAX),
	  .only = "digest" },
	{ 0, "cat", "PATH", "write a file's contents to standard output",
	  ARG_TEXT(struct request, cat, 0), SHOWS, .once = true },
	{ 0, "generations", NULL, "the generations that the image keeps",
	  ARG_FLAG(struct request, generations), SHOWS },
	{ 0, "diff", "N..[M]", "what changed from generation N to M, or to the newest",
	  .set = take_diff, SHOWS, .once = true },
	{ 0, "extract", "DIR", "restore the tree into DIR, which is new or empty",
	  ARG_TEXT(struct request, extract, 0), SHOWS, .once = true },
	{ 0, "resume", NULL, "with --extract: go on where a run was cut off",
	  ARG_FLAG(struct request, resume), .only = "extract" },
	{ 0, "tar", NULL, "write the tree to standard output, as a tar archive",
	  ARG_FLAG(struct request, tar), SHOWS },
	{ 0, "wds", "PREFIX",
	  "write shards of a WebDataset: PREFIX-000000.tar, ...",
	  ARG_TEXT(struct request, wds.prefix, 0), SHOWS, .once = true },
	{ 0, "shard-size", "SIZE", "with --wds: bytes of a shard (1G)",
	  ARG_SIZE(struct request, wds.size), .only = "wds" },
	{ 0, "shard-samples", "N", "with --wds: samples of a shard (any number)",
	  ARG_NUMBER(struct request, wds.samples, 1, 0), .only = "wds" },
	{ 0, "order", "FILE", "with --wds: keys or paths of samples that come first",
	  ARG_TEXT(struct request, wds.order, 0), .once = true, .only = "wds" },
	{ '0', "null", NULL, "entries of the list end with NUL, not newline",
	  ARG_FLAG(struct request, wds.null), .only = "order" },
	{ 0, "oci", "DIR", "the image as an artifact for registries, in DIR, which is new",
	  ARG_TEXT(struct request, oci, 0), SHOWS, .once = true },
	{ 'v', "verbose", NULL, "with --extract, --tar and --wds: name all that fails",
	  ARG_FLAG(struct request, verbose), .only = "extract; tar; wds" },
	{ 0, "generation", "N", "look at an older generation; alone: its superblock",
	  ARG_NUMBER(struct request, generation, 0, 0), ARG_GIVEN(struct request, one),
	  .once = true, .not = "generations; diff; oci" },
	{ 0, "source", "OPTIONS", "of the way to an image on a server: see dsfs-source(7)",
	  ARG_TEXT(struct request, source, 0), .once = true },
	{ 0, "json", NULL, "as JSON",
	  ARG_FLAG(struct request, json), .not = "cat; extract; tar; manifest" },
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dump.dsfs [options] IMAGE\n"
	"Show what a DSFS image holds.  Without an option: its superblocks.\n",
	.wrong = EXIT_USAGE,
	.table = option_table,
};

/* --path is the object to show, or selects a part of the tree. */
static int settle_path(struct request *r)
{
	if (request_is_export(r) || !r->paths.count)
		return -1;
	if (r->paths.count > 1)
		return args_wrong(EXIT_USAGE, "--path: given twice");
	r->path = filter_text(&r->paths);
	return -1;
}

/* The image.  An option that needs a value takes the image for it if the value was forgotten. */
static const char *take_image(const struct request *r, int argc, char **argv)
{
	if (argc || !(r->wds.prefix || r->extract))
		return args_single("image", argc, argv);
	args_wrong(EXIT_USAGE, "no image given: --%s took %s for its %s",
		   r->wds.prefix ? "wds" : "extract", r->wds.prefix ? r->wds.prefix : r->extract,
		   r->wds.prefix ? "PREFIX" : "DIR");
	return NULL;
}

int request_parse(struct request *r, const char **image, int argc, char **argv)
{
	int ret = args_parse(&command_line, r, &argc, argv);
	u64 inode;

	if (ret >= 0)
		return ret;
	*image = take_image(r, argc, argv);
	if (!*image)
		return EXIT_USAGE;
	if (r->inode && parse_u64(r->inode, &inode))
		return args_wrong(EXIT_USAGE, "--inode: %s: not a number", r->inode);
	r->digest_how.kind = r->digest;
	return settle_path(r);
}

void request_free(struct request *r)
{
	filter_free(&r->paths);
}
