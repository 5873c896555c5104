/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What fs/format needs of its platform, in userspace, and headers of libc that nearly every file
 * needs, as linux/kernel.h is in the kernel.  XXH64 and CRC-32C come
 * from libxxhash and ISA-L: both have hardware paths that we need not keep.
 * Without ISA-L (DSFS_NO_ISAL) there is a slow CRC-32C of our own.
 */
#ifndef DSFS_PLATFORM_H
#define DSFS_PLATFORM_H

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The state of an XXH64 is as large in all versions of the library. */
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#ifndef DSFS_NO_ISAL
#include <isa-l/crc.h>
#endif

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define U32_MAX UINT32_MAX

#ifndef __printf
#define __printf(f, a) __attribute__((format(printf, f, a)))
#endif

#ifndef __aligned
#define __aligned(n) __attribute__((aligned(n)))
#endif

#ifndef __cold
#define __cold __attribute__((__cold__))
#endif

#ifndef __force
#ifdef __CHECKER__
#define __force __attribute__((force))
#else
#define __force
#endif
#endif

#ifndef container_of
#define container_of(p, type, member) \
	((type *)((char *)(p) - offsetof(type, member)))
#endif

static inline u16 le16_to_cpu(__le16 v) { return le16toh((__force u16)v); }
static inline u32 le32_to_cpu(__le32 v) { return le32toh((__force u32)v); }
static inline u64 le64_to_cpu(__le64 v) { return le64toh((__force u64)v); }
static inline __le16 cpu_to_le16(u16 v) { return (__force __le16)htole16(v); }
static inline __le32 cpu_to_le32(u32 v) { return (__force __le32)htole32(v); }
static inline __le64 cpu_to_le64(u64 v) { return (__force __le64)htole64(v); }

/* The kernel has no 64-bit division by operator on 32-bit machines. */
static inline u64 div_u64(u64 n, u32 d) { return n / d; }

/*
 * CRC-32C as in RFC 3720 (iSCSI), over a buffer or on top of @sum so far.  The one for machines
 * that ISA-L is not packaged for, 32-bit x86 among them (make ISAL=no), takes half a byte at a
 * time: it is small, needs nothing set up, and is right whatever the byte order.
 */
#ifdef DSFS_NO_ISAL
static inline u32 dsfs_crc32c(u32 sum, const void *p, size_t len)
{
	static const u32 table[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
		0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
		0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
		0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};
	const u8 *at = p;

	sum = ~sum;
	while (len--) {
		sum ^= *at++;
		sum = sum >> 4 ^ table[sum & 15];
		sum = sum >> 4 ^ table[sum & 15];
	}
	return ~sum;
}
#else
static inline u32 dsfs_crc32c(u32 sum, const void *p, size_t len)
{
	unsigned char *at = (unsigned char *)p;

	sum = ~sum;
	for (; len > INT_MAX; at += 1 << 30, len -= 1 << 30)
		sum = crc32_iscsi(at, 1 << 30, sum);
	return ~crc32_iscsi(at, (int)len, sum);
}
#endif

static inline u64 xxh64(const void *p, size_t len, u64 seed)
{
	return XXH64(p, len, seed);
}

struct xxh64_state {
	XXH64_state_t of;
};

static inline void xxh64_reset(struct xxh64_state *state, u64 seed)
{
	XXH64_reset(&state->of, seed);
}

static inline void xxh64_update(struct xxh64_state *state, const void *p, size_t len)
{
	XXH64_update(&state->of, p, len);
}

static inline u64 xxh64_digest(const struct xxh64_state *state)
{
	return XXH64_digest(&state->of);
}

#endif /* DSFS_PLATFORM_H */
