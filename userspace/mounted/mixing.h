/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How well an order mixes: figures, and a picture of them.
 */
#ifndef DSFS_MIXING_H
#define DSFS_MIXING_H

#include "fileset.h"

#define MIXING_BATCH	256	/* files */
#define MIXING_PARTS	20

/**
 * struct mixing - figures of an order
 * @dirs: directories that files are in
 * @apart: how far from each other neighbours of the device are read, as a part of the epoch
 * @parts: of each part of the epoch, in how many directories the files of a batch are; of @nr parts
 * @all: the same of the whole epoch
 * @fair: and of a true shuffle
 */
struct mixing {
	u64 files;
	u64 dirs;
	double apart;
	double parts[MIXING_PARTS];
	unsigned int nr;
	double all;
	double fair;
};

/* Fill in @mixing of @order, an array of numbers of files.  Return: 0 or -ENOMEM. */
int mixing_of(struct mixing *mixing, const struct fileset *set, const u32 *order, u64 seed);

/* Write them to standard output, for people */
void mixing_print(const struct mixing *mixing);

/* Write a picture of them.  Return: 0, or a negative errno after a message. */
int mixing_draw(const struct mixing *mixing, const char *path);

#endif /* DSFS_MIXING_H */
