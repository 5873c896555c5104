// SPDX-License-Identifier: GPL-2.0
/*
 * The extended attributes of a member, as a set in the form of the image.
 */
#include <stdlib.h>

#include "acl.h"
#include "tar.h"

/* An ACL of text becomes an attribute; its value is the caller's to free. */
static int add_acl(struct tar *t, const char *text, u8 prefix, void **value)
{
	struct xattr_item *it;
	size_t len = 0;
	const char *why = acl_from_text(text, value, &len);

	if (why)
		return tar_fail(t, "%s ACL: %s",
				prefix == DSFS_XATTR_ACL_ACCESS ? "access" : "default", why);
	if (!len)
		return 0;
	it = array_add(&t->m.xattrs);
	if (!it)
		return tar_no_memory();
	*it = (struct xattr_item){ .prefix = prefix, .name = "", .value = *value,
				   .value_len = len };
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
	int ret = xattr_set_make(&t->src.tree->xsets, &t->m.xattrs, &t->set, n, why);

	if (ret == -EINVAL || ret == -E2BIG)
		return tar_fail(t, "extended attribute %s", why);
	return ret ? tar_no_memory() : 0;
}

int tar_xattrs(struct tar *t, struct node *n)
{
	const bool wanted = !t->src.o->no_xattrs;
	struct tar_member *m = &t->m;
	void *acl[2] = { NULL, NULL };
	int ret = 0, perm;

	for (unsigned int i = 0; !ret && i < 2; i++) {
		if (m->acl[i] && wanted)
			ret = add_acl(t, m->acl[i], DSFS_XATTR_ACL_ACCESS + i, &acl[i]);
	}
	if (m->others > m->records && wanted)
		tar_note(t, TAR_OTHER_XATTR, m->path);
	perm = xattr_acl_mode(&m->xattrs, m->mode);
	if (perm >= 0)
		m->mode = (m->mode & ~0777) | perm;
	leave_out(t);
	n->mode = m->mode;
	if (!ret)
		ret = make_set(t, n);
	free(acl[0]);
	free(acl[1]);
	return ret;
}
