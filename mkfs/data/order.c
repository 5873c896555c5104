// SPDX-License-Identifier: GPL-2.0
/*
 * The list of --order: files whose data comes first.  The list may be of
 * another run or machine, so names that the source lacks are counted and are no
 * error.
 */
#include "list.h"
#include "msg.h"
#include "stream.h"

#define NAMED_MAX	5

struct order {
	struct stream *s;
	u64 missing;
};

static int order_line(void *ctx, char *line, size_t len, u64 number)
{
	struct order *o = ctx;
	struct dir *dir;
	struct node *n = memchr(line, 0, len) ? NULL :
			 tree_find(o->s->tree, line, &dir);
	struct listed *l;

	if (!n) {
		if (o->missing++ < NAMED_MAX)
			msg_warn(o->s->o->order,
				 "entry %llu: %s: not in the source%s",
				 (unsigned long long)number, line, list_hint(line));
		return 0;
	}
	if (n->flags & NODE_HARDLINK) {
		dir = n->u.link->dir;
		n = n->u.link->first;
	}
	if (!node_is_data(n) || n->flags & NODE_QUEUED)
		return 0;
	l = array_add(&o->s->listed);
	if (!l)
		return -ENOMEM;
	n->flags |= NODE_QUEUED;
	*l = (struct listed){ dir, n };
	return 0;
}

int order_read(struct stream *s)
{
	struct order o = { .s = s };
	int ret;

	if (!s->o->order)
		return 0;
	ret = list_read(s->o->order, s->o->null_lists, order_line, &o);
	if (!ret && o.missing > NAMED_MAX)
		msg_warn(s->o->order, "%llu entr%s: not in the source",
			 (unsigned long long)o.missing, msg_ies(o.missing));
	return ret;
}
