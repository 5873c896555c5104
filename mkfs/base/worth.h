/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether packing an image anew saves enough.
 */
#ifndef MKFS_WORTH_H
#define MKFS_WORTH_H

struct mkfs;

/**
 * base_worth - measure the unused bytes of the image
 *
 * Without --force, fewer than BASE_DEAD_PERCENT are not worth it.
 * Return: 1: pack it; 0: it stays as it is, a message was written; -errno.
 */
int base_worth(struct mkfs *mkfs);

#endif /* MKFS_WORTH_H */
