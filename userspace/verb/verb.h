/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dsfs VERB: one command for all that is done with images and mounts but what mkfs(8), fsck(8)
 * and mount(8) have names for.  A verb is a file; verbs.c is the only place that knows all.
 */
#ifndef DSFS_VERB_H
#define DSFS_VERB_H

#include "dsfs_platform.h"

/* What verbs are for, in the order in which dsfs help tells them */
enum verb_group {
	VERB_LOOK,
	VERB_TAKE,
	VERB_CHANGE,
	VERB_MOUNTED,
	VERB_GROUPS,
};

/**
 * struct verb - dsfs NAME
 * @group: where help has it
 * @name: as the user types it
 * @about: one line for help
 * @run: gets its own arguments, argv[0] being "dsfs NAME"; returns the exit status.
 *	msg_init() was called with that name.
 * @program: without @run: the program that has it.  It lies beside dsfs, and is run with
 *	"dsfs NAME" as its argv[0]: update, which packs, is mkfs.dsfs under another name.
 */
struct verb {
	enum verb_group group;
	const char *name;
	const char *about;
	int (*run)(int argc, char **argv);
	const char *program;
};

/* Those of this folder, a file each */
int verb_erase(int argc, char **argv);
int verb_join(int argc, char **argv);
int verb_label(int argc, char **argv);
int verb_mv(int argc, char **argv);
int verb_revert(int argc, char **argv);
int verb_rm(int argc, char **argv);
int verb_set(int argc, char **argv);
int verb_subset(int argc, char **argv);

/* By group; the last one has no name. */
extern const struct verb verbs[];

/* Verbs that look at images and take out of them: see struct verb */
int verb_cat(int argc, char **argv);
int verb_diff(int argc, char **argv);
int verb_digest(int argc, char **argv);
int verb_extract(int argc, char **argv);
int verb_info(int argc, char **argv);
int verb_ls(int argc, char **argv);
int verb_manifest(int argc, char **argv);
int verb_oci(int argc, char **argv);
int verb_pieces(int argc, char **argv);
int verb_shards(int argc, char **argv);
int verb_tar(int argc, char **argv);
int verb_view(int argc, char **argv);

/**
 * verb_program - become a program that lies where this one does
 * @argv: as the verb has it
 *
 * Return: the exit status, after a message, if it cannot be run.
 */
int verb_program(const char *program, char **argv);

#endif /* DSFS_VERB_H */
