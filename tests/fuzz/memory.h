/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The image that a target looks at, in memory.
 */
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include "engine.h"
#include "input.h"

/**
 * memory_image - make the input's image the one that every image_open() opens
 * Return: byte 0 of the input.
 */
u8 memory_image(const u8 *data, size_t size);

/** memory_write - write that image into a file */
int memory_write(int fd);

/** walk_all - read everything that is in an image; false: something is broken */
bool walk_all(void);

int fsck_main(int argc, char **argv);
int dump_main(int argc, char **argv);
int dsfs_main(int argc, char **argv);

#endif /* FUZZ_MEMORY_H */
