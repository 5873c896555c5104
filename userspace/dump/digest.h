/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The digest of a data set.
 */
#ifndef DUMP_DIGEST_H
#define DUMP_DIGEST_H

#include "dump.h"

/**
 * struct digest_request - options
 * @threads: number of threads that read files; 0: one for each processor
 * @full: include attributes
 * @text: print the text instead of its digest
 */
struct digest_request {
	u64 threads;
	bool full;
	bool text;
};

/** dump_digest - show the digest; Return: 0, or -1 after a message */
int dump_digest(struct dump *d, const struct digest_request *r);

#endif /* DUMP_DIGEST_H */
