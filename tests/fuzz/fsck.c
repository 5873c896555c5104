// SPDX-License-Identifier: GPL-2.0
/*
 * Target: fsck.dsfs, from its command line on.  What it calls clean must be what
 * the kernel mounts and reads to the last byte, and what dump.dsfs lists: so it
 * names whatever is refused.
 */
#include "engine.h"
#include "memory.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char *const args[4][5] = {
		{ "fsck.dsfs", "--threads=1", "image" },
		{ "fsck.dsfs", "--threads=1", "-v", "image" },
		{ "fsck.dsfs", "--threads=1", "--json", "image" },
		{ "fsck.dsfs", "--threads=1", "-q", "image" },
	};
	static const char *const list[] = { "dump.dsfs", "--list", "image", NULL };
	u8 head = memory_image(data, size);

	if (memory_main(fsck_main, args[head & 3]))
		return 0;
	if (!walk_all())
		finding("fsck.dsfs calls clean what cannot be read");
	if (memory_main(dump_main, list))
		finding("fsck.dsfs calls clean what cannot be listed");
	return 0;
}
