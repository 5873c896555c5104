// SPDX-License-Identifier: GPL-2.0
/*
 * Runs mkfs.dsfs on an input and fsck.dsfs on the image, if one is made, both by their main().
 * The image is in memory, where a sync costs nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "output.h"
#include "engine.h"
#include "packed.h"

void packed_check(const char *const *args, const char *source)
{
	const char *mkfs[PACKED_ARGS + 3] = { NULL };
	char image[64];
	const char *const fsck[] = { "fsck.dsfs", "--threads=1", image, NULL };
	int n, ret;

	for (n = 0; args[n]; n++)
		mkfs[n] = args[n];
	mkfs[n++] = image;
	mkfs[n] = source;
	snprintf(image, sizeof(image), "/dev/shm/dsfs-fuzz-%d", getpid());
	unlink(image);
	if (tool_main(mkfs_main, mkfs))
		return;
	ret = tool_main(fsck_main, fsck);
	unlink(image);
	if (ret)
		finding("fsck.dsfs refuses what mkfs.dsfs made");
}
