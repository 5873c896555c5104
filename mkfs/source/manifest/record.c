// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of a line's node, and the record of what is not in the node.
 */
#include "manifest.h"

int manifest_add_record(struct manifest *m, struct node *n, u32 line)
{
	struct record *r = array_add(&m->records);

	if (!r)
		return -ENOMEM;
	r->line = line;
	n->source = m->records.n;
	return 0;
}

int manifest_set_attrs(struct manifest *m, struct node *n, const struct entry *e)
{
	const struct attrs *a = &m->defaults;
	const u16 mode = e->type == S_IFDIR ? a->dirmode : e->type == S_IFLNK ? 0777 : a->mode;
	const bool time = entry_has(e, ENTRY_MTIME);

	n->mode = e->type | (entry_has(e, ENTRY_MODE) ? e->mode : mode);
	n->mtime = source_time(&m->src, time ? e->mtime : a->mtime);
	n->flags |= time ? 0 : NODE_NO_TIME;
	return source_set_owner(&m->src, n, entry_has(e, ENTRY_UID) ? e->uid : a->uid,
				entry_has(e, ENTRY_GID) ? e->gid : a->gid);
}
