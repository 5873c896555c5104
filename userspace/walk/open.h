/* SPDX-License-Identifier: GPL-2.0 */
/* A generation of an image for who shows it or takes something out of it. */
#ifndef WALK_OPEN_H
#define WALK_OPEN_H

#include "args.h"
#include "walk.h"

/**
 * struct view_options - options that the commands share
 * @source: of the way there, or NULL
 * @generation: 0: the newest one
 * @json: the report is JSON
 * @verbose: all errors are named, and not the first ones of each kind
 * @bounded: they are the first ones of each kind unless @verbose
 * @broken: run also without a valid superblock, and with no source then
 */
struct view_options {
	const char *source;
	u64 generation;
	bool json;
	bool verbose;
	bool bounded;
	bool broken;
};

/* Entries of the table of a command whose options are structure @s, which has them in @view */
#define VIEW_GENERATION(s) \
	.name = "generation", .value = "N", .help = "an older generation", .once = true, \
	ARG_NUMBER(s, view.generation, 1, 0)
#define VIEW_SOURCE(s) \
	.name = "source", .value = "OPTIONS", .once = true, \
	.help = "of the way to an image on a server: see dsfs-source(7)", \
	ARG_TEXT(s, view.source, 0)
#define VIEW_JSON(s) \
	.name = "json", .help = "as JSON", ARG_FLAG(s, view.json)
#define VIEW_VERBOSE(s) \
	.letter = 'v', .name = "verbose", .help = "name all that fails", \
	ARG_FLAG(s, view.verbose)

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

#endif /* WALK_OPEN_H */
