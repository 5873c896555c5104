/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether packing an image anew saves enough.
 */
#ifndef MKFS_WORTH_H
#define MKFS_WORTH_H

struct mkfs;
struct plan;

/**
 * base_plan - what packing anew will make of the image
 * @plan: gets bounds: data is placed as it will be, metadata gets no longer
 *
 * Return: 0 or -errno.
 */
int base_plan(struct mkfs *mkfs, struct plan *plan);

/* Bounds of an image that was measured. */
void base_bounds(const struct mkfs *mkfs, struct plan *plan);

/**
 * base_worth - measure the unused bytes of the image
 *
 * Without --force, fewer than BASE_DEAD_PERCENT are not worth it.
 * Return: 1: pack it; 0: it stays as it is, a message was written; -errno.
 */
int base_worth(struct mkfs *mkfs);

#endif /* MKFS_WORTH_H */
