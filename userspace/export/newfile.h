/* SPDX-License-Identifier: GPL-2.0 */
/* New files that appear under their name only when they are complete. */
#ifndef NEWFILE_H
#define NEWFILE_H

#include "dsfs_platform.h"

/* Ways to give a file its name: by its descriptor, by /proc, and from another name */
enum newfile_way { NEWFILE_UNKNOWN, NEWFILE_BY_FD, NEWFILE_BY_PROC, NEWFILE_HIDDEN };

/**
 * struct newfile - a new file; all zero before the first one
 * @fd: open for writing
 * @dir: directory of the file
 * @way: found with the first file
 * @temp: with NEWFILE_HIDDEN: its temporary name
 */
struct newfile {
	int fd;
	int dir;
	enum newfile_way way;
	char temp[48];
};

/**
 * newfile_open - begin a file
 * @dir: not copied; needed until the file is published or dropped
 * @mode: of a file that has no name, less umask(2); one of a hidden name has 0600
 *
 * Return: 0, or -1 with errno.
 */
int newfile_open(struct newfile *f, int dir, mode_t mode);

/** newfile_open_masked - the same, of a file that all may read and write whom umask(2) lets */
int newfile_open_masked(struct newfile *f, int dir);

/**
 * newfile_publish - give the file its name, which must not exist, and close it
 *
 * Return: NULL, or the step that failed, with errno; the file is removed then.
 */
const char *newfile_publish(struct newfile *f, const char *name);

/** newfile_drop - remove the file; errno stays */
void newfile_drop(struct newfile *f);

#endif /* NEWFILE_H */
