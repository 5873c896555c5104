/* SPDX-License-Identifier: GPL-2.0 */
/* What all have in common who change the tree of an image by itself. */
#ifndef DSFS_CHANGE_H
#define DSFS_CHANGE_H

#include "args.h"
#include "edit.h"

struct change_verb;
struct erase;
struct json;
struct meta;

/**
 * struct change - the command line of such a verb
 * @verb: which one
 * @from: a list of paths
 * @to: of the list that is made of a list, which stays; NULL: it does not
 * @memory: of the run; 0: a half of what there is
 * @digest: DSFS_DIGEST_* of what it keeps
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
	const char *to;
	u64 memory;
	unsigned int digest;
	bool touch;
	bool recursive;
	bool quiet;
	bool json;
	bool yes;
	bool again;
	char **paths;
	struct edit_attrs attrs;
};

#define CHANGE_EXIT \
	"\nExit: 0 done, 1 failed (and the image is as it was), 2 wrong usage.\n"

/**
 * struct change_verb - such a verb
 * @lacks: what is missing on the command line, or NULL; may be NULL
 * @run: does all operations
 * @path: does one of change_paths(), which may be @run.  Both return 0, -ENOMEM without a
 *	message, or another -errno behind one
 * @erase: bytes go, too
 */
struct change_verb {
	const struct args *args;
	const char *(*lacks)(const struct change *c);
	int (*run)(struct edit *e, struct change *c);
	int (*path)(struct edit *e, struct change *c, const char *path);
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
/* Report what became of the generation; @x: NULL: nothing was erased. */
void change_report(const struct meta *m, const struct edit *e, bool as_json,
		   const struct erase *x);
/* The part of it that tells of the image */
void change_report_made(struct json *j, const struct meta *m);

/* @path of the verb for all that the patterns match, then for all paths of the list */
int change_paths(struct edit *e, struct change *c);

/* A path that goes, as the options say */
int change_remove(struct edit *e, struct change *c, const char *path);

#endif /* DSFS_CHANGE_H */
