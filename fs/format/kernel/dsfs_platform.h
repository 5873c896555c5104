/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Platform header of the format code in the kernel. The tools have one of the same
 * name.
 */
#ifndef DSFS_PLATFORM_H
#define DSFS_PLATFORM_H

#include <linux/crc32c.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/stat.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/xxhash.h>

/* CRC-32C as in RFC 3720 (iSCSI) of a buffer, continued from @sum */
static inline u32 dsfs_crc32c(u32 sum, const void *p, size_t len)
{
	return ~crc32c(~sum, p, len);
}

#endif /* DSFS_PLATFORM_H */
