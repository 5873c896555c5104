/* SPDX-License-Identifier: GPL-2.0 */
/* A generation of an image for who shows it or takes something out of it. */
#ifndef WALK_OPEN_H
#define WALK_OPEN_H

#include "args.h"
#include "filter.h"
#include "walk.h"

/**
 * struct view_options - what the command lines share, first in the options of each command
 * @source: of the way there, or NULL
 * @generation: 0: the newest one
 * @json: the report is JSON
 * @verbose: all errors are named, and not the first ones of each kind
 * @bounded: they are the first ones of each kind unless @verbose
 * @broken: run also without a valid superblock, and with no source then
 * @words: the arguments behind the image
 * @paths: of a command that takes any number of patterns: these
 */
struct view_options {
	const char *source;
	u64 generation;
	bool json;
	bool verbose;
	bool bounded;
	bool broken;
	char **words;
	struct filter paths;
};

/* Entries of the table of a command */
#define VIEW_GENERATION \
	.name = "generation", .value = "N", .help = "an older generation", .once = true, \
	ARG_NUMBER(struct view_options, generation, 1, 0)
#define VIEW_SOURCE \
	.name = "source", .value = "OPTIONS", .once = true, \
	.help = "how to reach an image on a server: see dsfs-source(7)", \
	ARG_TEXT(struct view_options, source, 0)
#define VIEW_JSON \
	.name = "json", .help = "as JSON", ARG_FLAG(struct view_options, json)
#define VIEW_VERBOSE \
	.letter = 'v', .name = "verbose", .help = "name all that fails", \
	ARG_FLAG(struct view_options, verbose)

/* Show something, in JSON as members of the current object of @j if that is not NULL. */
typedef int view_fn(struct view *v, struct json *j, void *arg);

/**
 * view_image - open an image, look at one of its generations, and close it
 * @run: returns 0, or -1 after a message
 *
 * What is wrong with its superblocks is said, and an error, but @run sees what there is.
 * Return: the exit status.
 */
int view_image(const char *path, const struct view_options *o, view_fn *run, void *arg);

/**
 * view_verb - all of a command that looks at the image that is its first argument
 * @run: gets the options as @arg
 *
 * Return: the exit status.
 */
int view_verb(const struct args *args, struct view_options *o, int argc, char **argv,
	      view_fn *run);

#endif /* WALK_OPEN_H */
