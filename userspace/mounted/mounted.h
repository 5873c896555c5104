/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verbs of dsfs that work with mounted data sets, a file each.  Each gets its own arguments,
 * argv[0] being "dsfs NAME", and returns an exit status; msg_init() was called with that name.
 */
#ifndef DSFS_MOUNTED_H
#define DSFS_MOUNTED_H

int verb_stat(int argc, char **argv);
int verb_top(int argc, char **argv);
int verb_order(int argc, char **argv);
int verb_readahead(int argc, char **argv);
int verb_trace(int argc, char **argv);
int verb_warmup(int argc, char **argv);

#endif /* DSFS_MOUNTED_H */
