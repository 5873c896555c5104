/* SPDX-License-Identifier: GPL-2.0 */
/* Whether an image file that is to be written is mounted: what writes images asks. */
#ifndef DSFS_INUSE_H
#define DSFS_INUSE_H

#include <sys/stat.h>

#include "dsfs_platform.h"

/**
 * inuse_check - whether an image file is attached to a loop device, and to which
 *
 * Says so.  Return: 0 or -EBUSY.
 */
int inuse_check(const char *path, const struct stat *st);

/** path_leads_to - whether a path leads to that file */
bool path_leads_to(const char *path, const struct stat *st);

#endif /* DSFS_INUSE_H */
