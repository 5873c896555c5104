// SPDX-License-Identifier: GPL-2.0
/*
 * The histogram of the plan.  Tests that run mkfs.dsfs compare the whole plan with the
 * image.
 */
#include "plan.h"
#include "mkfs.h"

TESTS(plan)
{
	unsigned int i, bad = 0;

	OK(plan_bucket(0) == 0 && plan_bucket(1) == 1 && plan_bucket(2) == 2 &&
	   plan_bucket(3) == 2 && plan_bucket(4) == 3, "plan: smallest buckets");
	for (i = 0; i < 48; i++)
		bad += plan_bucket(1ULL << i) != i + 1 ||
		       plan_bucket((2ULL << i) - 1) != i + 1;
	OK(!bad, "plan: buckets are powers of two");
	OK(plan_bucket((1ULL << 48) - 1) < PLAN_BUCKETS, "plan: the last bucket");
}
