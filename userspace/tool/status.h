/* SPDX-License-Identifier: GPL-2.0 */
/* Exit statuses of the verbs of dsfs; other programs have those of their kind, as fsck(8). */
#ifndef DSFS_STATUS_H
#define DSFS_STATUS_H

#define EXIT_OK		0
#define EXIT_ERROR	1	/* something could not be done, which was said */
#define EXIT_USAGE	2

#endif /* DSFS_STATUS_H */
