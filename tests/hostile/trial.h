/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One image after the other on one loop device, mounted and walked, in a kernel
 * that must not mind.
 */
#ifndef HOSTILE_TRIAL_H
#define HOSTILE_TRIAL_H

#include "dsfs_platform.h"
#include "walk.h"

/* Make the device; @unit: what a number stands for, as "seed". */
void trial_begin(const char *unit);
void trial_end(void);

/*
 * The next image is number @nr: the kernel log says so in front of what
 * the kernel says of it.
 */
void trial_number(u64 nr);

/* End the run: with what was the matter, the number and errno. */
void __attribute__((__noreturn__)) trial_fail(const char *why);

/**
 * trial_image - mount an image and walk it
 * @options: of the mount
 *
 * Ends the run if it takes longer than a minute, if the kernel complains, or if
 * the mount does not go away.  Return: the errno of the mount, 0 if it worked.
 */
int trial_image(const u8 *p, size_t size, const char *options, struct walk *w);

/* Slab and vmalloc memory that is in use, in KiB, with nothing cached. */
u64 trial_memory(void);

#endif /* HOSTILE_TRIAL_H */
