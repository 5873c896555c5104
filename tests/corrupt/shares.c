// SPDX-License-Identifier: GPL-2.0
/*
 * The part of fsck.dsfs that goes over files a share at a time, with shares of a few files, so
 * that a small image has many.
 */
#define SHARE_MIN	3
#define SAMPLE_OF	2
#define GROUP_BITS	7
#include "../../userspace/fsck/refs.c"
