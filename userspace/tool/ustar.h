/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The header of a member of a tar archive, as POSIX defines it.
 */
#ifndef DSFS_USTAR_H
#define DSFS_USTAR_H

#include <assert.h>

#include "dsfs_platform.h"

struct ustar {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char sum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char user[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char pad[12];
};

static_assert(sizeof(struct ustar) == 512, "a header is a block");

/* The sum of all bytes, those of the sum itself being blanks. */
static inline int ustar_sum(const struct ustar *h)
{
	const u8 *p = (const u8 *)h;
	unsigned int sum = sizeof(h->sum) * ' ';

	for (size_t i = 0; i < sizeof(*h); i++)
		sum += p[i];
	for (size_t i = 0; i < sizeof(h->sum); i++)
		sum -= (u8)h->sum[i];
	return sum;
}

#endif /* DSFS_USTAR_H */
