// SPDX-License-Identifier: GPL-2.0
/*
 * Target: main() of fsck.dsfs.  An image that it calls clean must be one that the
 * kernel would mount and read to the last byte, and that dsfs writes as an
 * archive without an error.
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
	static const char *const list[] = { "dsfs", "tar", "image", NULL };
	u8 head = memory_image(data, size);

	if (tool_main(fsck_main, args[head & 3]))
		return 0;
	if (!walk_all())
		finding("fsck.dsfs calls clean what cannot be read");
	if (tool_main(dsfs_main, list))
		finding("fsck.dsfs calls clean what cannot be listed");
	return 0;
}
