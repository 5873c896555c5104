/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the unit tests of mkfs share.
 */
#ifndef UNIT_MKFS_H
#define UNIT_MKFS_H

#include "builder.h"
#include "tap.h"

/* Memory, or the end. */
void *unit_alloc(size_t bytes);

/*
 * Run @fn(@arg) while no file may be longer than @bytes, as on a full disk.  What is written to
 * stderr meanwhile goes to a file.  Return: its length.
 */
long unit_full_disk(size_t bytes, void (*fn)(void *arg), void *arg);

/* Write a file below a directory, and the directories above it. */
void unit_put(const char *dir, const char *name, const char *text);

struct arena;
struct node;
/* Give a node a name, in the form that mkfs keeps it. */
void unit_name(struct arena *a, struct node *n, const char *name);

#endif /* UNIT_MKFS_H */
