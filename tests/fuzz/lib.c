// SPDX-License-Identifier: GPL-2.0
/* Target: libdsfs and the image reader of the tools. */
#include "engine.h"
#include "memory.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	memory_image(data, size);
	walk_all();
	return 0;
}
