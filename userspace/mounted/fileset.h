/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that the user named, and their places.
 */
#ifndef DSFS_FILESET_H
#define DSFS_FILESET_H

#include "dsfs_platform.h"

#define NOWHERE		UINT64_MAX

/**
 * struct fileset_file - a regular file
 * @path: as it is opened
 * @dev: its file system, as stat(2) has it
 * @start: byte of the device at which it begins; NOWHERE if that is not known
 * @given: its place among the files as they were named
 */
struct fileset_file {
	char *path;
	u64 dev;
	u64 ino;
	u64 size;
	u64 start;
	size_t given;
};

/**
 * struct fileset - files; zero-initialise it, free it with fileset_free()
 * @bytes: of all of them
 * @errors: what could not be looked at, which was said
 */
struct fileset {
	struct fileset_file *v;
	size_t nr;
	size_t room;
	u64 bytes;
	u64 errors;
};

/**
 * fileset_add - files, and all files in and below directories
 * @list: a list of them, see list_read(), or NULL; comes first
 * @null: entries of @list end with NUL
 * @paths: more, ending with NULL; symbolic links are followed here, but not below
 *
 * Ends early if it was asked to stop (stop.h).
 *
 * Return: 0, or -ENOMEM (message written).  What cannot be read is counted.
 */
int fileset_add(struct fileset *set, const char *list, bool null, char *const *paths);

/**
 * fileset_place - find the places of the files, and sort the files by place
 * @jobs: threads that ask
 *
 * Where the file system does not tell, files stay in the order given.  A file of
 * several names is kept once.
 *
 * Return: how many files have a known place.
 */
u64 fileset_place(struct fileset *set, unsigned int jobs);
void fileset_free(struct fileset *set);

#endif /* DSFS_FILESET_H */
