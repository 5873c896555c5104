// SPDX-License-Identifier: GPL-2.0
/*
 * Which files --compress=none: leaves as they are: by their paths in the image and their sizes,
 * so they are known before a byte is read, whatever the source is.
 */
#include <stdlib.h>

#include "pack.h"

/* Without memory for its path a file is compressed, which loses nothing but bytes. */
static bool is_excluded(const struct patterns *except, const struct tree *t,
			const struct dir *dir, const struct node *n)
{
	char *path = except->n ? tree_path(t, dir, n, true) : NULL;
	const bool hit = path && patterns_match_any(except, path);

	free(path);
	return hit;
}

bool pack_fits(const struct pack_rules *rules, u64 size)
{
	return rules->codec && size > 1 && size < PACK_LIMIT &&
	       (!rules->most || size <= rules->most);
}

bool pack_wanted(const struct pack_rules *rules, const struct tree *t, const struct dir *dir,
		 const struct node *n)
{
	return pack_fits(rules, n->size) && !is_excluded(&rules->except, t, dir, n);
}
