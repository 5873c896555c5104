/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which contents are already in the image.
 */
#ifndef MKFS_DEDUP_H
#define MKFS_DEDUP_H

#include "../tree/tree.h"

/**
 * struct dedup - a fixed table of stored files, 8 bytes a slot
 * @slots: 16 bits of the hash and 48 of the node's address; 0: free
 */
struct dedup {
	u64 *slots;
	size_t mask;
};

/* Return: 0 or -ENOMEM. @files: at most that many are added. */
int dedup_init(struct dedup *d, u64 files);
void dedup_free(struct dedup *d);

/**
 * dedup_next - the next file whose content may be the same
 * @hash: of the content
 * @cursor: 0 to begin
 *
 * What is found is a guess: the caller compares size and bytes.
 * Return: NULL at the end.
 */
struct node *dedup_next(const struct dedup *d, u64 hash, size_t *cursor);

void dedup_add(struct dedup *d, u64 hash, struct node *node);

#endif /* MKFS_DEDUP_H */
