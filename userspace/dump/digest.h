/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The digest of a data set.
 */
#ifndef DUMP_DIGEST_H
#define DUMP_DIGEST_H

#include "dump.h"

/**
 * struct digest_request - what is asked for
 * @threads: that read and sum files; 0: one for each processor
 * @full: attributes, too
 * @text: show what is hashed, and not its digest
 */
struct digest_request {
	u64 threads;
	bool full;
	bool text;
};

/** dump_digest - show the digest; Return: 0, or -1 after a message */
int dump_digest(struct dump *d, const struct digest_request *r);

#endif /* DUMP_DIGEST_H */
