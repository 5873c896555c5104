// SPDX-License-Identifier: GPL-2.0
/*
 * The order of data.  The list of --order comes first.  It may be of another run or
 * machine, so names that the source lacks are counted and are no error.
 */
#include "list.h"
#include "msg.h"
#include "stream.h"

#define NAMED_MAX	5

/* A list that is being read. */
struct reading {
	struct order *order;
	const char *list;
	u64 missing;
};

static int order_line(void *ctx, char *line, size_t len, u64 number)
{
	struct reading *r = ctx;
	struct dir *dir;
	struct node *n = memchr(line, 0, len) ? NULL : tree_find(r->order->tree, line, &dir);

	if (!n) {
		if (r->missing++ < NAMED_MAX)
			msg_warn(r->list, "entry %llu: %s: not in the source%s",
				 number, line, list_hint(line));
		return 0;
	}
	if (n->flags & NODE_HARDLINK) {
		dir = n->u.link->dir;
		n = n->u.link->first;
	}
	if (!node_is_data(n) || n->flags & NODE_QUEUED)
		return 0;
	n->flags |= NODE_QUEUED;
	return array_append(&r->order->listed, &(struct listed){ dir, n });
}

int order_init(struct order *order, const struct tree *t, const struct options *o)
{
	struct reading r = { .order = order, .list = o->order };
	int ret;

	*order = (struct order){ .tree = t, .listed.size = sizeof(struct listed) };
	if (!o->order)
		return 0;
	ret = list_read(o->order, false, order_line, &r);
	if (!ret && r.missing > NAMED_MAX)
		msg_warn(o->order, "%llu entr%s: not in the source", r.missing, msg_ies(r.missing));
	return ret;
}

void order_free(struct order *order)
{
	array_free(&order->listed);
}

bool order_next(struct order *order, struct dir **dir, struct node **node)
{
	if (order->listed_at < order->listed.n) {
		struct listed *l = (struct listed *)order->listed.p + order->listed_at++;

		*dir = l->dir;
		*node = l->node;
		return true;
	}
	while ((*node = tree_next(order->tree, &order->walk))) {
		*dir = order->walk.dir;
		if (node_is_data(*node) && !((*node)->flags & NODE_QUEUED))
			return true;
	}
	return false;
}

void order_back(struct order *order)
{
	if (order->walk.dir)
		order->walk.next--;
	else
		order->listed_at--;
}
