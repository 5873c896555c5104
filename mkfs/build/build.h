/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recipes: a file of this folder makes one kind of image, as a list of steps.  A step that
 * several recipes have is in steps.c.
 *
 * What kind of image is made is known in this folder alone.  Calls between folders go one way:
 *
 *	main	-> build, write, options
 *	build	-> digest, data, source, write, tree, options
 *	digest	-> source, tree
 *	data	-> source, write, tree, options
 *	source	-> tree, options
 *	write	-> tree
 */
#ifndef MKFS_BUILD_H
#define MKFS_BUILD_H

#include "extents.h"
#include "../data/stream.h"
#include "meta.h"
#include "../options/options.h"
#include "output.h"
#include "plan.h"
#include "edit.h"
#include "../source/source.h"
#include "tree.h"
#include "../../userspace/walk/digest.h"
#include "args.h"
#include "table.h"

struct run;

/**
 * struct recipe - a kind of result: its command line, and the steps that make it
 * @name: what mkfs.dsfs is called as
 * @settle: of options_parse()
 * @run: messages are written.  Return: 0; 1: nothing is left to do; -errno
 */
struct recipe {
	const char *name;
	const struct args *args;
	int (*settle)(struct options *o, int n, char **args);
	int (*run)(struct run *r);
};

extern const struct recipe recipe_new, recipe_update, recipe_add, recipe_edit, recipe_compact,
			   recipe_digest;

/**
 * struct retained_one - a generation that is kept
 * @stored: bytes of data that no generation before it has
 * @data, @meta: bytes that it adds to the image: as counted, and then as written
 */
struct retained_one {
	u64 number;
	u64 stored;
	u64 data;
	u64 meta;
};

/**
 * struct retained - the generations of the new image, which are packed one after the other
 * @list: struct retained_one, the newest one first, as the history leads to them
 * @dropped: of a plan: those that are not retained, the newest one first.  Their data is that
 *	which no later generation has
 * @done: how many of them are packed
 * @super: with @done: the superblock of the last one of these
 */
struct retained {
	struct array list;
	struct array dropped;
	size_t done;
	struct dsfs_super super;
};

/* One of them; the oldest is number 0. */
static inline struct retained_one *retained_at(const struct retained *retained, size_t i)
{
	return (struct retained_one *)retained->list.p + retained->list.n - 1 - i;
}

/* Whether the generation that is packed now is not the newest one. */
static inline bool retained_later(const struct retained *retained)
{
	return retained->done + 1 < retained->list.n;
}

/**
 * struct run - what the steps of a recipe hand on
 * @draft: decided once the base image and the device are known
 * @pack: how what is added is compressed
 * @source: the source: lists the tree and reads its contents
 * @base: the image that gets a new generation, or is packed anew; NULL: none
 * @recipe: whose steps they are
 * @retained: --keep: the generations that are packed
 * @extents: struct node *: the files of the tree that store data
 * @copied: of compact: data of @base that the image has: copy_data()
 * @estimate: --dry-run: what --compress would make of the contents
 * @edit: of a batch: the operations on the tree
 * @counts: what is written is only added up
 * @rechecked: step_recheck() was called: the tree is not the source's any more
 * @planned_gone: nodes that had been left out when the plan was made
 * @threads: reader threads: as asked for, or fewer if descriptors are short
 */
struct run {
	const struct options *o;
	const struct recipe *recipe;
	struct draft draft;
	struct pack_rules pack;
	struct tree tree;
	struct source *source;
	struct base *base;
	struct plan plan;
	struct estimate estimate;
	struct store store;
	struct stream stream;
	struct meta meta;
	struct retained retained;
	struct array extents;
	struct table copied;
	struct output out;
	struct edit *edit;
	bool counts;
	bool rechecked;
	u64 planned_gone;
	unsigned int threads;
};

/* Make what the options ask for.  Messages are written.  Return: the exit code. */
int build_run(const struct recipe *recipe, const struct options *o);

/*
 * Archives that stay as they are, as a new image or as a generation of @r->out, which is open;
 * and the steps that return a number.  Messages are written.  Return: 0; 1: nothing is left to
 * do; -errno.
 */
int build_index(struct run *r);

/* A list of pieces is refused what reads the target itself, which is one file. */
int step_check_list(const struct run *r);
int step_open_source(struct run *r);
/* List the source and order its tree. */
int step_list(struct run *r);
int step_plan(struct run *r);
/*
 * Set what the plan says of the image, once data lies at its places: all that is written is written
 * to a target that only adds up.  Its @upper is the length.
 */
int step_count(struct run *r, const struct place *place);
/* The same before contents are read, for who wants to know: --dry-run, or a device. */
int step_bounds(struct run *r);
/* Check that the device is as long as the lower bound of the plan. */
int step_check_room(const struct run *r);
/* --dry-run: print the plan, with what --compress would save, and stop. */
int step_stop_dry(struct run *r);
/* Make what the data and the metadata need. */
void step_prepare(struct run *r);
int step_open_target(struct run *r);
/* Store all contents of a source that is listed. */
int step_store(struct run *r);
/* List the stored data of the tree: files that keep their content get its layout. */
int step_extents(struct run *r);
/*
 * Say who shares a block, and measure all data, in the order of its positions.  New files may have
 * come beside old ones, and others gone.
 */
int step_share_blocks(struct run *r);
/* Finish the tree of a source that is read once. */
int step_end_source(struct run *r);
/* The tree of the source and that of the base image change places. */
void swap_trees(struct run *r);
/* Take out of the tree what could not be read, and order it. */
int step_prune_tree(struct run *r);
/* Do so if there is such a thing, and plan again. */
int step_plan_again(struct run *r);
/* The build time is when all data is stored. */
void step_set_time(struct run *r);
int step_write_meta(struct run *r);
/* Check the source, unless that was done. */
int step_recheck(struct run *r);
/* Check the source, add the digest, write the superblocks, and print the result. */
int step_finish(struct run *r);
/* All that follows once the data is stored and planned: the last four steps. */
int step_complete(struct run *r);

/* What the options say of the target; with --tar-index members are where tar puts them. */
static inline struct target target_of(const struct options *o)
{
	return (struct target){
		.path = o->image, .force = o->force, .read_only = o->plan_only,
		.align_bits = o->align_bits,
		.aligned_by = o->tar_index ? "--tar-index: alignment" : "--align",
	};
}

/* draft.c: what the options say of a generation; a recipe changes what it has otherwise */
void draft_new(struct run *r);
/* Then the layout, the label and the UUID of the base image; the label that was asked for. */
void draft_of_image(struct run *r);
void draft_label(struct run *r);
/* All that a generation behind the base image has otherwise. */
void draft_behind(struct run *r);
/* Files are compressed from now on as r->pack says, if this build can.  0 or -EOPNOTSUPP. */
int draft_codec(struct run *r);
void draft_note(struct run *r);

/* Make an empty tree for a generation; free all that belongs to one. */
int run_begin_generation(struct run *r);
void run_end_generation(struct run *r);

/* The words of messages for what uses the bytes of base_dead() */
static inline const char *dead_of(const struct run *r)
{
	return r->o->keep > 1 ? "left-out generations" : "previous generations";
}

/* Write a report to standard output, as text or JSON; --quiet leaves the first two out. */
void report_plan(const struct run *r);
void report_done(const struct run *r);
void report_digest(const struct run *r, const struct digest_result *result);

#endif /* MKFS_BUILD_H */
