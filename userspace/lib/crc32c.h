/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CRC-32C for machines that ISA-L is not packaged for, 32-bit x86 among them
 * (make ISAL=no).  Half a byte at a time: it is small, needs nothing set up, and
 * is right whatever the byte order.
 */
#ifndef DSFS_CRC32C_H
#define DSFS_CRC32C_H

#include <stddef.h>

/* The register of the CRC after @len more bytes; neither end is inverted. */
static inline unsigned int crc32c_portable(unsigned int crc,
					   const unsigned char *p, size_t len)
{
	static const unsigned int table[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
		0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
		0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
		0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};

	while (len--) {
		crc ^= *p++;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return crc;
}

#endif /* DSFS_CRC32C_H */
