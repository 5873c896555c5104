// SPDX-License-Identifier: GPL-2.0
/*
 * Target: main() of dump.dsfs.  Each input is listed, which reads most of an image,
 * and gets one other output.  Digests are left out: they include the zeros of holes,
 * and an image may have 256 TiB of those.
 */
#include "engine.h"
#include "memory.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char *const list[2][5] = {
		{ "dump.dsfs", "--list", "image" },
		{ "dump.dsfs", "--list", "--json", "image" },
	};
	static const char *const more[15][5] = {
		{ "dump.dsfs", "image" },
		{ "dump.dsfs", "--json", "image" },
		{ "dump.dsfs", "--generation=1", "--list", "image" },
		{ "dump.dsfs", "--generations", "--json", "image" },
		{ "dump.dsfs", "--regions", "image" },
		{ "dump.dsfs", "--dir=/", "--json", "image" },
		{ "dump.dsfs", "--dir=1", "image" },
		{ "dump.dsfs", "--inode=2", "image" },
		{ "dump.dsfs", "--extents=/file", "image" },
		{ "dump.dsfs", "--extents=/holes", "--json", "image" },
		{ "dump.dsfs", "--diff=1..", "image" },
		{ "dump.dsfs", "--diff=1..2", "--json", "image" },
		{ "dump.dsfs", "--tar", "image" },
		{ "dump.dsfs", "--tar", "--path=/*/*", "image" },
		{ "dump.dsfs", "--manifest", "image" },
	};
	u8 head = memory_image(data, size);

	tool_main(dump_main, list[head & 1]);
	tool_main(dump_main, more[(head >> 1 & 31) % 15]);
	return 0;
}
