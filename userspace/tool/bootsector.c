// SPDX-License-Identifier: GPL-2.0
/*
 * The first sector of an image with a boot signature.  A libblkid that does not
 * know DSFS takes such an image for a partition table, so programs that ask
 * libblkid do not take the device for an empty one.
 */
#include "bootsector.h"

/*
 * Boot code: a BIOS that finds the signature jumps to the first byte.  int 0x18
 * makes it try the next device; if that returns, the processor halts.
 */
static const u8 boot_code[] = {
	0xcd, 0x18,		/* int 0x18 */
	0xf4,			/* hlt */
	0xeb, 0xfd,		/* jmp to the hlt */
};

#define SIGNATURE_AT	(BOOTSECTOR_BYTES - 2)

void bootsector_fill(u8 sector[BOOTSECTOR_BYTES])
{
	memset(sector, 0, BOOTSECTOR_BYTES);
	memcpy(sector, boot_code, sizeof(boot_code));
	sector[SIGNATURE_AT] = 0x55;
	sector[SIGNATURE_AT + 1] = 0xaa;
}

bool bootsector_is(const u8 sector[BOOTSECTOR_BYTES])
{
	u8 want[BOOTSECTOR_BYTES];

	bootsector_fill(want);
	return !memcmp(sector, want, sizeof(want));
}
