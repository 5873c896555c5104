// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of nodes that options change.
 */
#include "source.h"

int source_set_owner(const struct source *src, struct node *n, u32 uid, u32 gid)
{
	const bool root = src->o->all_root;
	s64 owner = owners_get(&src->tree->owners, root ? 0 : uid, root ? 0 : gid);

	n->owner = owner;
	return owner < 0 ? owner : 0;
}
