/* SPDX-License-Identifier: GPL-2.0 */
/*
 * failnth: what the driver and the table of operations share.
 */
#ifndef FAILNTH_H
#define FAILNTH_H

#include "lib.h"
#include "ways.h"

#define ROOM	(1 << 20)

/**
 * struct fail_op - an operation under fault
 * @name: of the case
 * @arg: path in the mount, or what @run makes of it
 * @before: brings about what @run wants to find; without faults
 * @run: system calls and nothing else: memory that it touches is there already
 * @way, @flags, @first: in place of @run, a way to read a file, how it is opened, and how long
 *	the first read is, where not all is read at once
 * @after: undoes @run, whatever came of it; without faults
 * @unmounted: begins without a mount
 *
 * Each of the functions returns 0 or an errno.  What @run saw goes into fail_sum().
 */
struct fail_op {
	const char *name;
	const char *arg;
	int (*before)(void);
	int (*run)(void);
	way_fn way;
	int flags;
	size_t first;
	int (*after)(int err);
	bool unmounted;
};

/* Of the zoo's image, and of one with compressed files, tests/tools/mkimages' packed */
extern const struct fail_op fail_ops[], fail_packed_ops[];

/* The mount: its device, directory and options. */
extern const char *fail_dev, *fail_dir, *fail_options;

int fail_mount(const char *options);
void fail_sum(const void *p, size_t len);

/* Makes it the operation that is tried. */
int fail_before(const struct fail_op *op);
int fail_read(void);

/* Opens what the operations keep open; called once, mounted. */
void fail_ops_init(void);

#endif
