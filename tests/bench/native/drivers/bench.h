/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What /dev/bench is asked to run, and what it answers: shared by the driver in the kernel
 * and the program that asks.
 */
#ifndef BENCH_H
#define BENCH_H

#include <linux/ioctl.h>
#include <linux/types.h>

enum {
	BENCH_WHOLE,		/* one read of size + 1, one that finds the end */
	BENCH_PIL,		/* 4,096, then 61,440, then 65,536 bytes each */
	BENCH_IMREAD,		/* 32 bytes, back to the begin, then 4,096 each */
	BENCH_MMAP,		/* a byte of every page, through a private mapping */
	BENCH_SEQ,		/* pieces */
	BENCH_PACK,		/* one read of a part of a file: PATH@OFFSET+LENGTH */
};

#define BENCH_CHECK	1	/* sum up the contents: not for times */

#define BENCH_READERS	64

/**
 * struct bench_req - a run over a list of files
 * @pattern:	one of BENCH_WHOLE...
 * @flags:	BENCH_CHECK
 * @readers:	tasks that share the list
 * @piece:	bytes of a piece, where the pattern leaves that open
 * @ahead:	files that a task of its own prefetches ahead of the readers; 0: none
 * @pad:	0
 * @names:	paths, each ended by a zero byte
 * @names_len:	bytes of them
 * @wall:	nanoseconds that it took
 * @cpu:	nanoseconds of processor time of all threads of the host's process that
 *		the kernel is; so of everything that ran in the meantime
 * @copy:	of these, what copying by the device took, which DMA would do elsewhere
 * @requests:	that the device got
 * @files:	that were read
 * @bytes:	of them
 * @errors:	files that could not be read whole
 * @sum:	with BENCH_CHECK, the same whatever the pattern and the file system
 */
struct bench_req {
	__u32 pattern, flags, readers, piece, ahead, pad;
	__u64 names, names_len;
	__u64 wall, cpu, copy, requests, files, bytes, errors, sum;
};

#define BENCH_RUN	_IOWR('B', 1, struct bench_req)
#define BENCH_CLOCKS	_IOR('B', 2, struct bench_req)	/* @wall @cpu @copy @requests so far */
#define BENCH_SETTLE	_IO('B', 3)	/* wait for what is freed later */

#endif
