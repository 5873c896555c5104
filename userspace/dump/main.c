// SPDX-License-Identifier: GPL-2.0
/*
 * dump.dsfs: shows the structures of an image with the places that they lie at, for people who
 * debug the format, and for programs.  What is in an image, dsfs tells.
 */
#include "dump.h"
#include "msg.h"
#include "open.h"
#include "status.h"

/**
 * struct dump_options - the command line
 * @inode: value of --inode; NULL: not given.  The other texts are alike
 * @what: an option asks for something other than superblocks
 */
struct dump_options {
	struct view_options view;
	const char *inode, *dir, *extents;
	bool regions;
	bool generations;
	bool what;
};

/* An option that shows something goes with no other one that does. */
#define SHOWS	ARG_GIVEN(struct dump_options, what), .alone = true, .once = true

static const struct arg option_table[] = {
	{ 0, "regions", NULL, "regions of the metadata",
	  ARG_FLAG(struct dump_options, regions), SHOWS },
	{ 0, "inode", "N|PATH", "an inode", ARG_TEXT(struct dump_options, inode, 0), SHOWS },
	{ 0, "dir", "PATH|N", "a directory: entries, name blocks, index",
	  ARG_TEXT(struct dump_options, dir, 0), SHOWS },
	{ 0, "extents", "PATH", "where a file's data lies, and its checksums",
	  ARG_TEXT(struct dump_options, extents, 0), SHOWS },
	{ 0, "generations", NULL, "the generations that the image keeps",
	  ARG_FLAG(struct dump_options, generations), SHOWS, .not = "generation" },
	{ 0, "generation", "N", "look at an older generation; alone: its superblock",
	  ARG_NUMBER(struct dump_options, view.generation, 1, 0), .once = true },
	{ VIEW_SOURCE },
	{ VIEW_JSON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dump.dsfs [options] IMAGE\n"
	"Show the structures of a DSFS image.  Without an option: its superblocks.\n",
	.words = "IMAGE", .low = 1, .high = 1,
	.table = option_table,
};

static int run(struct view *v, struct json *j, void *arg)
{
	const struct dump_options *o = arg;

	if (o->inode)
		return dump_inode(v, j, o->inode);
	if (o->dir)
		return dump_dir(v, j, o->dir);
	if (o->extents)
		return dump_extents(v, j, o->extents);
	if (o->regions)
		return dump_regions(v, j);
	if (o->generations)
		return dump_generations(v, j);
	return o->view.generation ? dump_generation(v, j) : dump_supers(v, j);
}

int main(int argc, char **argv)
{
	struct dump_options o = { };
	int ret;

	msg_init("dump.dsfs", EXIT_ERROR);
	ret = args_parse(&command_line, &o, &argc, argv);
	if (ret >= 0)
		return ret;
	o.view.broken = !(o.what || o.view.generation);
	return view_image(argv[0], &o.view, run, &o);
}
