/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recipes: one file of this folder makes one kind of image, as a list of steps.  A step that
 * several recipes have is in steps.c.
 *
 * What kind of image is made is known in this folder alone.  Calls between folders go one way:
 *
 *	main	-> build, output
 *	build	-> digest, meta, data, source, base, plan, output, tree, options
 *	digest	-> source
 *	meta	-> data, plan, output, tree
 *	data	-> source, base, plan, output, tree, options
 *	source	-> base, tree, options
 *	base	-> plan, tree, options
 *	plan	-> tree, options
 *	output	-> options
 */
#ifndef MKFS_BUILD_H
#define MKFS_BUILD_H

#include "../base/base.h"
#include "../base/kept.h"
#include "../data/stream.h"
#include "../meta/meta.h"
#include "../options/options.h"
#include "../output/output.h"
#include "../options/params.h"
#include "../plan/plan.h"
#include "../source/source.h"
#include "../tree/tree.h"
#include "placemap.h"
#include "report.h"

/**
 * struct run - what the steps of a recipe hand on
 * @params: decided once the base image and the device are known
 * @source: the source: lists the tree and reads its contents
 * @base: the image that gets a new generation, or is packed anew; NULL: none
 * @kept: --keep: the generations that are packed
 * @copied: --compact: data of @base that the image has: copy_data()
 * @report: what a recipe sets before the report is made: its last fields
 * @planned_gone: nodes that had been left out when the plan was made
 * @threads: reader threads: as asked for, or fewer if descriptors are short
 */
struct run {
	const struct options *o;
	struct params params;
	struct generation gen;
	struct tree tree;
	struct source *source;
	struct base *base;
	struct plan plan;
	struct store store;
	struct stream stream;
	struct meta meta;
	struct kept kept;
	struct placemap copied;
	struct output out;
	struct report report;
	u64 planned_gone;
	unsigned int threads;
};

/*
 * A step of a recipe.  Messages are written.  Return: 0: go on; 1: nothing is left to do; -errno.
 */
typedef int (*step_fn)(struct run *r);

/* Take steps up to NULL, or to the first one that does not return 0.  Return: its result. */
int steps_take(struct run *r, const step_fn *steps);

/* Check a target that becomes an image, or an image that gets another generation. */
int step_check_new(struct run *r);
int step_check_image(struct run *r);
int step_open_source(struct run *r);
/* Decide what new images have in common; a recipe changes what it has otherwise. */
int step_decide_new(struct run *r);
/* Then change what a generation behind the base image has otherwise, except for its start. */
void step_decide_behind(struct run *r);
/* List the source and order its tree. */
int step_list(struct run *r);
int step_order_tree(struct run *r);
int step_plan(struct run *r);
/* Check that the device is as long as the lower bound of the plan. */
int step_check_room(struct run *r);
/* --dry-run: print the plan, and stop. */
int step_stop_dry(struct run *r);
/* Make what the data and the metadata need. */
int step_prepare(struct run *r);
int step_open_target(struct run *r);
/* Store all contents of a source that is listed. */
int step_store(struct run *r);
/* Finish the tree of a source that is read once. */
int step_end_source(struct run *r);
/* Take out of the tree what could not be read, and order it. */
int step_prune_tree(struct run *r);
/* Do so if there is such a thing, and plan again. */
int step_plan_again(struct run *r);
/* The build time is when all data is stored. */
int step_set_time(struct run *r);
/* --message and --digest go into the note. */
int step_note(struct run *r);
int step_write_meta(struct run *r);
/* Give the files that keep their content the layout that the base image has of them. */
int run_keep_layout(struct run *r, struct array *places);
/* Check the source, add the digest, write the superblocks, and print the result. */
int step_finish(struct run *r);

/* Make what the options ask for.  Messages are written.  Return: the exit code. */
int build_run(const struct options *o);

/* The recipes.  Return: 0 or 1: all is done; -errno. */
int build_new(struct run *r);
int build_update(struct run *r);
int build_compact(struct run *r);
int build_index(struct run *r);
int build_digest(struct run *r);

/* Make an empty tree for a generation; free all that belongs to one. */
int run_begin_generation(struct run *r);
void run_end_generation(struct run *r);

#endif /* MKFS_BUILD_H */
