/* SPDX-License-Identifier: GPL-2.0 */
/*
 * io_uring by bare system calls, for tests and benchmarks: a library could hide
 * what the kernel does, and would add instructions of its own.  One ring a process.
 */
#ifndef GUEST_RING_H
#define GUEST_RING_H

#include <linux/io_uring.h>

#include "lib.h"

#define RING_ENTRIES	8

/* Set it up for @entries at once, once; false: there is no io_uring here. */
bool ring_open(unsigned int entries);
/* Have @len bytes at @buf registered: ring_queue() can then take them as fixed. */
bool ring_register(void *buf, size_t len);
/* Queue a read; @fixed: into what was registered; @data comes back with its result. */
void ring_queue(int fd, void *buf, size_t len, uint64_t pos, bool fixed, uint64_t data);
void ring_submit(unsigned int count, unsigned int wait);
/* The next result, if there is one. */
bool ring_reap(struct io_uring_cqe *cqe);

#endif
