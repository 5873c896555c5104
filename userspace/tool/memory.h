/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that grows with the number of files.  All of it is counted, and what would exceed the
 * limit of the run lies in a temporary file, which the kernel writes out and drops as it likes.
 */
#ifndef DSFS_MEMORY_H
#define DSFS_MEMORY_H

#include "dsfs_platform.h"

/* Set the limit of the process, before there is another thread; nothing is in the file yet. */
void memory_limit(u64 bytes);

/* Count bytes of memory, unless they exceed the limit; give them back.  Any thread may. */
bool memory_take(u64 bytes);
/* The same of bytes that have to be had. */
void memory_force(u64 bytes);
void memory_give(u64 bytes);

/*
 * Zeroed bytes of the temporary file, whole pages, which are used @in_order or at random; to be
 * freed by memory_unmap().  NULL: there is no more of it, of which a warning has told.
 */
void *memory_map(size_t bytes, bool in_order);
void memory_unmap(void *p, size_t bytes);
/* Whether there may be more of the file. */
bool memory_has_file(void);

/* The pages leave the process; the file has them, and as long as it can, the kernel. */
void memory_pass(void *p, size_t bytes);

/*
 * Like realloc(3) and free(3), of counted memory, that of the file if the limit is reached.  A
 * small table is always in memory.  What is new is not zeroed, but that of memory_alloc() is.
 */
void *memory_alloc(size_t bytes);
void *memory_resize(void *p, size_t bytes);
void memory_free(void *p);

/* memory_limits.c: how much there is for this process */

/**
 * memory_of_groups - the least limit of memory of the control groups of a process
 * @groups: path of its list, as /proc/self/cgroup
 * @root: where their hierarchies are mounted
 *
 * Return: bytes; UINT64_MAX: no limit is known.
 */
u64 memory_of_groups(const char *groups, const char *root);

/* Bytes of memory that this process may have, as far as is known */
u64 memory_for_us(void);

#endif /* DSFS_MEMORY_H */
