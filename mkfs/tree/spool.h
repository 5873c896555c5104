/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A byte sequence that is appended to now and read later, of any length in a
 * bounded amount of memory.
 */
#ifndef MKFS_SPOOL_H
#define MKFS_SPOOL_H

#include "dsfs_platform.h"

#define SPOOL_MEMORY	(16 << 20)

/**
 * struct spool - the sequence
 * @len: of all of it
 * @flushed: bytes of it in the file
 */
struct spool {
	char *buf;
	u64 len;
	u64 flushed;
	size_t cap;
	int fd;
};

void spool_init(struct spool *s);
void spool_free(struct spool *s);
/* Forget what lies behind @len. */
void spool_cut(struct spool *s, u64 len);
/* Both return 0 or -errno. */
int spool_add(struct spool *s, const void *p, size_t bytes);
int spool_read(struct spool *s, u64 off, void *p, size_t bytes);

#endif /* MKFS_SPOOL_H */
