/* SPDX-License-Identifier: GPL-2.0 */
/* Temporary files, which have no name and end with their descriptor. */
#ifndef DSFS_TEMPFILE_H
#define DSFS_TEMPFILE_H

/* The directory that they are in. */
const char *tempfile_dir(void);
/* Return: a descriptor or -errno. */
int tempfile_open(void);

#endif /* DSFS_TEMPFILE_H */
