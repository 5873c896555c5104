// SPDX-License-Identifier: GPL-2.0
/*
 * The extended attributes of a member, as a set in the form of the image.
 */
#include <stdlib.h>

#include "tar.h"

/* An ACL becomes an attribute; its bytes stay in @acl. */
static int add_acl(struct tar *t, const char *text, u8 prefix, struct array *acl)
{
	bool access = prefix == DSFS_XATTR_ACL_ACCESS;
	const char *why = tar_acl(text, access, acl);
	struct xattr_item *it;

	if (why)
		return tar_fail(t, "%s ACL: %s", access ? "access" : "default", why);
	if (!acl->n)
		return 0;
	it = array_add(&t->m.xattrs);
	if (!it)
		return tar_no_memory();
	it->prefix = prefix;
	it->name = "";
	it->value = acl->p;
	it->value_len = acl->n;
	return 0;
}

/* Of a name that is there twice, as with records for all members, the last one counts. */
static void drop_doubles(struct array *items)
{
	struct xattr_item *it = (struct xattr_item *)items->p;
	size_t n = 0;

	for (size_t i = 0; i < items->n; i++) {
		if (n && !xattr_item_cmp(&it[n - 1], &it[i]))
			n--;
		it[n++] = it[i];
	}
	items->n = n;
}

static int item_order(const void *a, const void *b)
{
	const struct xattr_item *x = a, *y = b;
	int cmp = xattr_item_cmp(x, y);

	/* the value of a later record lies behind that of an earlier one */
	return cmp ? cmp : x->value < y->value ? -1 : x->value > y->value;
}

static int build_set(struct tar *t, struct node *n)
{
	const struct xattr_item *it = (const struct xattr_item *)t->m.xattrs.p;
	size_t count = t->m.xattrs.n, at = sizeof(struct dsfs_xattr_set);

	if (!t->set)
		t->set = malloc(DSFS_XATTR_SET_MAX + XATTR_SET_SLACK);
	if (!t->set)
		return tar_no_memory();
	for (size_t i = 0; i < count; i++, it++) {
		at += xattr_put(t->set + at, it, it->value, it->value_len);
		if (at > DSFS_XATTR_SET_MAX || i == UINT16_MAX)
			return tar_fail(t, "extended attributes: the limit is %d bytes, %d of them",
					DSFS_XATTR_SET_MAX, UINT16_MAX);
		if (it->prefix >= DSFS_XATTR_ACL_ACCESS)
			n->flags |= NODE_ACL;
	}
	xattr_set_head(t->set, at, count);
	return xsets_get(&t->src.tree->xsets, t->set, at, &n->xattrs) ? tar_no_memory() : 0;
}

int tar_xattrs(struct tar *t, struct node *n)
{
	struct array acl[2] = { { .size = 1 }, { .size = 1 } };
	struct tar_member *m = &t->m;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < 2; i++) {
		bool may = i ? S_ISDIR(m->mode) : !S_ISLNK(m->mode);

		if (m->acl[i] && may && !t->src.o->no_xattrs)
			ret = add_acl(t, m->acl[i], DSFS_XATTR_ACL_ACCESS + i, &acl[i]);
	}
	if (!ret && m->xattrs.n) {
		qsort(m->xattrs.p, m->xattrs.n, m->xattrs.size, item_order);
		drop_doubles(&m->xattrs);
		ret = build_set(t, n);
	}
	array_free(&acl[0]);
	array_free(&acl[1]);
	return ret;
}
