/* SPDX-License-Identifier: GPL-2.0 */
/* What all have in common who change the tree of an image by itself. */
#ifndef DSFS_CHANGE_H
#define DSFS_CHANGE_H

#include "args.h"
#include "edit.h"

struct change_verb;
struct erase;

/**
 * struct change - the command line of such a verb
 * @verb: which one
 * @from: a list of paths
 * @touch: directories whose names change get a new mtime
 * @paths: the other arguments behind the image
 * @recursive: of dsfs rm and erase
 * @attrs: of dsfs set
 * @yes: of dsfs erase: it does not ask
 * @again: it has ended another one, which may have removed the same names
 */
struct change {
	const struct change_verb *verb;
	const char *message;
	const char *from;
	bool touch;
	bool recursive;
	bool quiet;
	bool json;
	bool yes;
	bool again;
	char **paths;
	struct edit_attrs attrs;
};

/* Entries of a table of options */
#define CHANGE_RECURSIVE \
	.letter = 'r', .name = "recursive", \
	.help = "directories, too, with all that is below them", \
	ARG_FLAG(struct change, recursive)
#define CHANGE_MESSAGE \
	.letter = 'm', .name = "message", .value = "TEXT", \
	.help = "what the generation is, up to 1024 bytes", \
	ARG_TEXT(struct change, message, DSFS_MESSAGE_MAX)
#define CHANGE_FROM \
	.name = "from", .value = "FILE", \
	.help = "a list of paths, one a line; - is standard input", \
	ARG_LIST(struct change, from)
#define CHANGE_TOUCH \
	.name = "touch", .help = "set the mtime of directories that lose or get a name", \
	ARG_FLAG(struct change, touch)
#define CHANGE_QUIET \
	.letter = 'q', .name = "quiet", .help = "no report", ARG_FLAG(struct change, quiet)
#define CHANGE_JSON \
	.name = "json", .help = "report as JSON", ARG_FLAG(struct change, json)

#define CHANGE_EXIT \
	"\nExit: 0 done, 1 failed (and the image is as it was), 2 wrong usage.\n"

/**
 * struct change_verb - such a verb
 * @lacks: what is missing on the command line, or NULL; may be NULL
 * @path: does the operation, once for all that the patterns match, then for all paths of the list
 * @run: or does all operations.  Both return 0, -ENOMEM without a message, or another -errno behind
 *	one
 * @erase: bytes go, too
 */
struct change_verb {
	const struct args *args;
	const char *(*lacks)(const struct change *c);
	int (*path)(struct edit *e, struct change *c, const char *path);
	int (*run)(struct edit *e, struct change *c);
	bool erase;
};

/**
 * change_verb - all of a verb: give the image that is the first argument a generation
 *
 * Nothing is written if an operation is wrong, or if there is none.  Return: the exit status.
 */
int change_verb(const struct change_verb *v, int argc, char **argv);

/* change_image - the same, behind the command line.  Return: the exit status. */
int change_image(const char *image, struct change *c);

/* change_begin - edit_begin(), for a tree of @had inodes.  Messages are written. */
int change_begin(struct edit *e, struct tree *t, const struct change *c, u64 had);
/* Report what became of the generation, whose tree is @t; @x: NULL: nothing was erased. */
void change_report(const struct dsfs_super *super, const struct tree *t, const struct edit *e,
		   bool as_json, const struct erase *x);

/**
 * change_paths - call @fn for all that the patterns match, then for all paths of the list
 *
 * Return: as @path of a verb.
 */
int change_paths(struct edit *e, struct change *c,
		 int (*fn)(struct edit *e, struct change *c, const char *path));

/* A path that goes, as the options say */
int change_remove(struct edit *e, struct change *c, const char *path);

#endif /* DSFS_CHANGE_H */
