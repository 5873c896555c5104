/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spools: byte sequences of any length that are appended to, and read later, in bounded memory.
 */
#ifndef MKFS_SPOOL_H
#define MKFS_SPOOL_H

#include "dsfs_platform.h"

#define SPOOL_MEMORY	(16 << 20)
#define SPOOL_SHARE	32

/* What a spool has in memory, of a run that has @memory bytes */
static inline size_t spool_memory(u64 memory)
{
	return memory / SPOOL_SHARE < SPOOL_MEMORY ? memory / SPOOL_SHARE : SPOOL_MEMORY;
}

/**
 * struct spool - a byte sequence
 * @memory: bytes of it that are in no file
 * @len: its length
 * @flushed: bytes of it that are in the file
 */
struct spool {
	char *buf;
	size_t memory;
	u64 len;
	u64 flushed;
	size_t cap;
	int fd;
};

void spool_init(struct spool *s, size_t memory);
void spool_free(struct spool *s);
/* Shorten the sequence to @len. */
void spool_cut(struct spool *s, u64 len);
/* Both return 0 or -errno; messages are written, but for -ENOMEM. */
int spool_add(struct spool *s, const void *p, size_t bytes);
int spool_read(struct spool *s, u64 off, void *p, size_t bytes);

#endif /* MKFS_SPOOL_H */
