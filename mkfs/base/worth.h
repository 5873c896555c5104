/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether packing an image anew is worth it.
 */
#ifndef MKFS_WORTH_H
#define MKFS_WORTH_H

struct mkfs;

/**
 * base_worth - find out what the image has that nobody needs
 *
 * Without --force, less than BASE_DEAD_PERCENT of it is too little.
 * Return: 1 to go on; 0: it is left as it is, which was said; -errno.
 */
int base_worth(struct mkfs *mkfs);

#endif /* MKFS_WORTH_H */
