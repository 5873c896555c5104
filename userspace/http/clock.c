// SPDX-License-Identifier: GPL-2.0
/* The monotonic clock. */
#include <time.h>

#include "object.h"

int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
