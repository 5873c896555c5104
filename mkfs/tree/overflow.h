/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory beyond a limit, which lies in a temporary file: the kernel writes out what it has no
 * memory for, and reads it when it is used again.  So what lies there has to be used in order.
 */
#ifndef MKFS_OVERFLOW_H
#define MKFS_OVERFLOW_H

#include <pthread.h>

#include "array.h"
#include "dsfs_platform.h"

/* What one segment of the file has, and what is used between two times that memory is given up */
#define OVERFLOW_SEGMENT	(64 << 20)

/**
 * struct overflow - memory of many allocations, freed at once
 * @limit: bytes that are not in the file
 * @memory: bytes that are not in it
 * @fd: the file; -1: none yet
 * @full: a file could not be made or made longer, so there will be no more of it
 * @segments: struct overflow_segment, mappings of it
 * @file_bytes: of all of them
 * @at: bytes of the last one that are used
 * @passed: bytes that were used since memory was given up
 */
struct overflow {
	u64 limit;
	u64 memory;
	pthread_mutex_t lock;
	int fd;
	bool full;
	u64 file_bytes;
	struct array segments;
	u64 at;
	u64 passed;
};

void overflow_init(struct overflow *o, u64 limit);
void overflow_free(struct overflow *o);

/*
 * Memory that is freed by overflow_free(), aligned for any structure.  NULL: take other memory,
 * because the limit is not reached, or no file can be had, of which a warning has told.  Any
 * thread may call it.
 */
void *overflow_alloc(struct overflow *o, size_t bytes);

/* Memory that is allocated elsewhere counts, too; less than 0: it is free again. */
void overflow_count(struct overflow *o, s64 bytes);

/* Whether the limit is reached, so that what is allocated next is in the file. */
bool overflow_begun(struct overflow *o);

/*
 * So many bytes of what lies in it were used, and will not be used soon.  @o may be NULL.  Any
 * thread may call it.
 */
void overflow_pass(struct overflow *o, u64 bytes);

#endif /* MKFS_OVERFLOW_H */
