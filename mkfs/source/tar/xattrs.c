// SPDX-License-Identifier: GPL-2.0
/*
 * The extended attributes of a member, as a set in the form of the image.
 */
#include <stdlib.h>

#include "tar.h"

/* An ACL becomes an attribute; its bytes stay in @acl. */
static int add_acl(struct tar *t, const char *text, u8 prefix, struct tar_text *acl)
{
	bool access = prefix == DSFS_XATTR_ACL_ACCESS;
	bool has_mode = access && xattr_has_type(prefix, t->m.mode);
	const char *why = tar_acl(text, has_mode ? &t->m.mode : NULL, acl);
	struct xattr_item *it;

	if (why)
		return tar_fail(t, "%s ACL: %s", access ? "access" : "default", why);
	if (!acl->len)
		return 0;
	it = array_add(&t->m.xattrs);
	if (!it)
		return tar_no_memory();
	it->prefix = prefix;
	it->name = "";
	it->value = acl->p;
	it->value_len = acl->len;
	return 0;
}

/* tar(1) warns of what the system refuses when it extracts it, and goes on. */
static void leave_out(struct tar *t)
{
	struct xattr_item *it = (struct xattr_item *)t->m.xattrs.p;
	size_t n = 0;

	for (size_t i = 0; i < t->m.xattrs.n; i++) {
		if (xattr_has_type(it[i].prefix, t->m.mode))
			it[n++] = it[i];
		else
			tar_note(t, TAR_NO_XATTR, t->m.path);
	}
	t->m.xattrs.n = n;
}

static int make_set(struct tar *t, struct node *n)
{
	char why[XATTR_WHY];
	bool acl;
	int ret = xattr_set_make(&t->src.tree->xsets, &t->m.xattrs, n->mode, &t->set,
				 &n->xattrs, &acl, why);

	if (ret == -EINVAL)
		return tar_fail(t, "extended attribute %s", why);
	if (acl)
		n->flags |= NODE_ACL;
	return ret ? tar_no_memory() : 0;
}

int tar_xattrs(struct tar *t, struct node *n)
{
	struct tar_text acl[2] = { { 0 }, { 0 } };
	struct tar_member *m = &t->m;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < 2; i++) {
		if (m->acl[i] && !t->src.o->no_xattrs)
			ret = add_acl(t, m->acl[i], DSFS_XATTR_ACL_ACCESS + i, &acl[i]);
	}
	if (m->others > m->records && !t->src.o->no_xattrs)
		tar_note(t, TAR_OTHER_XATTR, m->path);
	leave_out(t);
	n->mode = t->m.mode;
	if (!ret)
		ret = make_set(t, n);
	free(acl[0].p);
	free(acl[1].p);
	return ret;
}
