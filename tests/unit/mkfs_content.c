// SPDX-License-Identifier: GPL-2.0
/*
 * Hashes by which equal contents are found.  Each content that has the hash of another one is
 * compared, so what differs has to have another hash, whatever its checksum is.
 */
#include "data/content.h"
#include "mkfs.h"

#include <stdlib.h>

#define CONTENTS	(1 << 18)

struct summed {
	u64 content;
	u32 sum;
};

static int sum_cmp(const void *a, const void *b)
{
	return array_order(((const struct summed *)a)->sum, ((const struct summed *)b)->sum);
}

static u64 hash_of(u64 content)
{
	static const struct content_rules rules = { .chunk_bits = 15, .small_bits = 18,
						    .large_bits = 15 };
	struct node n = { .mode = S_IFREG, .size = sizeof(content) };
	struct item it = { .node = &n };
	u32 sums[1];
	struct job job = { .buf = (char *)&content, .sums = sums };

	content_small(&rules, NULL, &job, &it);
	return it.sums == 1 ? it.hash : 0;
}

TESTS(content)
{
	struct array list = { .size = sizeof(struct summed) };
	unsigned int pairs = 0, found = 0;

	for (u64 i = 0; i < CONTENTS; i++) {
		const struct summed s = { i * 48271, dsfs_datasum(&(u64){ i * 48271 }, 8) };

		if (array_append(&list, &s))
			exit(1);
	}
	array_sort(&list, sum_cmp);
	for (u32 i = 1; i < CONTENTS; i++) {
		const struct summed *s = (const struct summed *)list.p + i;

		if (s[-1].sum != s->sum)
			continue;
		pairs++;
		found += hash_of(s[-1].content) == hash_of(s->content);
	}
	OK(pairs && !found, "content: of %u pairs with equal checksums %u have the same hash",
	   pairs, found);
	OK(hash_of(1) && hash_of(1) == hash_of(1), "content: the same bytes have the same hash");
	array_free(&list);
}
