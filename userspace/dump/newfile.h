/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that is not seen under its name before it is whole.
 */
#ifndef DUMP_NEWFILE_H
#define DUMP_NEWFILE_H

#include "dsfs_platform.h"

/* How a file that has no name gets one. */
enum newfile_way { NEWFILE_UNKNOWN, NEWFILE_BY_FD, NEWFILE_BY_PROC, NEWFILE_HIDDEN };

/**
 * struct newfile - a file that is being made; all zero before the first one
 * @fd: open for writing
 * @dir: the directory that it will be in
 * @way: found out with the first file
 * @temp: with NEWFILE_HIDDEN: its name until it is whole
 */
struct newfile {
	int fd;
	int dir;
	enum newfile_way way;
	char temp[48];
};

/**
 * newfile_open - begin a file
 * @dir: kept until the file is published or dropped; not copied
 *
 * Return: 0, or -1 with errno.
 */
int newfile_open(struct newfile *f, int dir);

/**
 * newfile_publish - give it its name, which nothing else may have, and close it
 *
 * Return: NULL, or what failed, and errno; then nothing is left of the file.
 */
const char *newfile_publish(struct newfile *f, const char *name);

/** newfile_drop - leave nothing of it */
void newfile_drop(struct newfile *f);

#endif /* DUMP_NEWFILE_H */
