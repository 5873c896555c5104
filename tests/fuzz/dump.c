// SPDX-License-Identifier: GPL-2.0
/*
 * Target: main() of dsfs and of dump.dsfs.  Each input is listed or written as an archive,
 * which reads most of an image, and gets one other output.  Digests are left out: they include
 * the zeros of holes, and an image may have 256 TiB of those.
 */
#include "engine.h"
#include "memory.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char *const list[2][6] = {
		{ "dsfs", "tar", "image" },
		{ "dsfs", "ls", "-R", "--json", "image" },
	};
	static const char *const structures[8][5] = {
		{ "dump.dsfs", "image" },
		{ "dump.dsfs", "--json", "image" },
		{ "dump.dsfs", "--generations", "--json", "image" },
		{ "dump.dsfs", "--regions", "image" },
		{ "dump.dsfs", "--dir=/", "--json", "image" },
		{ "dump.dsfs", "--inode=2", "image" },
		{ "dump.dsfs", "--extents=/file", "image" },
		{ "dump.dsfs", "--extents=/holes", "--json", "image" },
	};
	static const char *const verbs[8][6] = {
		{ "dsfs", "ls", "-lR", "--generation=1", "image" },
		{ "dsfs", "ls", "image", "/dir" },
		{ "dsfs", "info", "image" },
		{ "dsfs", "info", "--json", "image" },
		{ "dsfs", "diff", "image", "1" },
		{ "dsfs", "diff", "--json", "image", "1..2" },
		{ "dsfs", "tar", "image", "/*/*" },
		{ "dsfs", "manifest", "image" },
	};
	u8 head = memory_image(data, size);

	tool_main(dsfs_main, list[head & 1]);
	if (head & 2)
		tool_main(dump_main, structures[head >> 2 & 7]);
	else
		tool_main(dsfs_main, verbs[head >> 2 & 7]);
	return 0;
}
