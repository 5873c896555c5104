/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory beyond a limit, which lies in the temporary file of the process: the kernel writes out
 * what it has no memory for, and reads it when it is used again.  So what lies there has to be used
 * in order.
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
 * @segments: struct overflow_segment, mappings of it
 * @at: bytes of the last one that are used
 * @passed: bytes that were used since memory was given up
 */
struct overflow {
	u64 limit;
	u64 memory;
	pthread_mutex_t lock;
	struct array segments;
	u64 at;
	u64 passed;
};

void overflow_init(struct overflow *o, u64 limit);
void overflow_free(struct overflow *o);

/*
 * Memory that is freed by overflow_free(), aligned for any structure.  NULL: take other memory,
 * which is counted until overflow_give(), because neither the limit here nor that of the process is
 * reached, or no file can be had, of which a warning has told.  Any thread may call both.
 */
void *overflow_alloc(struct overflow *o, size_t bytes);
void overflow_give(struct overflow *o, size_t bytes);

/* Whether the limit is reached, so that what is allocated next is in the file. */
bool overflow_begun(struct overflow *o);

/*
 * So many bytes of what lies in it were used, and will not be used soon.  @o may be NULL.  Any
 * thread may call it.
 */
void overflow_pass(struct overflow *o, u64 bytes);

#endif /* MKFS_OVERFLOW_H */
