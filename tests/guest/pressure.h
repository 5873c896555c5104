/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of tests/guest/pressure share: the data set, which is a
 * formula, so that any byte can be checked anywhere; the readers; and those who
 * make trouble for them.
 */
#ifndef PRESSURE_H
#define PRESSURE_H

#include "lib.h"
#include "ways.h"

#define PAGE	4096
#define ROOM	(1 << 20)	/* of a reader's buffer */

/**
 * struct pressure_opts - what is mounted where
 * @files: of the data set at @dir
 * @dir: where it is mounted all the time
 * @dev: its device
 * @side_files, @side_dev: a smaller one, which is mounted and unmounted
 * @scratch: a directory on a tmpfs
 * @module: the module's file, where it is to go and come; nothing is mounted then
 * @end: when
 */
struct pressure_opts {
	uint64_t files;
	const char *dir;
	const char *dev;
	uint64_t side_files;
	const char *side_dev;
	const char *scratch;
	const char *module;
	time_t end;
};

extern struct pressure_opts pressure_opts;

/* The data set. */
uint64_t pressure_size(uint64_t file);
/* The name of a file, from the root on; good until the next but three calls. */
const char *pressure_name(const char *dir, uint64_t file);
/* Counts the check; @len bytes at @buf have to be those of @file at @pos. */
bool pressure_same(struct t_case *c, uint64_t file, const void *buf, uint64_t pos, size_t len);
/* Opened, or the failure told and -1. */
int pressure_open(struct t_case *c, const char *dir, uint64_t file, int flags);
/* A file, read and compared whole. */
void pressure_whole(struct t_case *c, const char *dir, uint64_t file);

/* A directory of this process alone, on scratch. */
const char *pressure_own_dir(const char *what);

/* A sequence of numbers, another one for each process but always the same. */
uint64_t pressure_random(uint64_t below);
void pressure_seed(uint64_t seed);

/**
 * struct pressure_job - what a process does over and over
 * @count: processes
 * @small: those run in a memory cgroup with a small limit
 * @once: one round
 * @way, @flags: in place of @once, a way to read, and how the file is opened
 */
struct pressure_job {
	struct t_case c;
	unsigned int count;
	bool small;
	void (*once)(struct t_case *c);
	way_fn way;
	int flags;
};

extern struct pressure_job pressure_readers[], pressure_troubles[], pressure_unloads[];

void pressure_by_way(struct t_case *c, way_fn way, int flags);

/* To be called before those of pressure_unloads[] start; and at their end. */
void pressure_unload_init(void);
/* Every file of the side image. */
void pressure_reread(struct t_case *c);

#endif
