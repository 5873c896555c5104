/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The groups of the unit tests of mkfs.
 */
#ifndef UNIT_MKFS_H
#define UNIT_MKFS_H

#include "builder.h"
#include "tap.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

void test_place(void);
void test_index(void);
void test_tree(void);
void test_grow(void);
void test_layout(void);
void test_hash(void);
void test_holes(void);
void test_patterns(void);
void test_plan(void);
void test_entry(void);
void test_device(void);
void test_window(void);
void test_spool(void);
void test_sorter(void);
void test_overflow(void);
void test_memory(void);
void test_pack(void);

/* Memory, or the end. */
void *unit_alloc(size_t bytes);

/*
 * Run @fn(@arg) while no file may be longer than @bytes, as on a full disk.  What is written to
 * stderr meanwhile goes to a file.  Return: its length.
 */
long unit_full_disk(size_t bytes, void (*fn)(void *arg), void *arg);

struct arena;
struct node;
/* Give a node a name, in the form that mkfs keeps it. */
void unit_name(struct arena *a, struct node *n, const char *name);

#endif /* UNIT_MKFS_H */
