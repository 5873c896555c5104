// SPDX-License-Identifier: GPL-2.0
/*
 * Access ACLs of a manifest.  The kernel sets the mode of a file by its ACL, so an image in which
 * they contradict each other is of no tree that was ever there.
 */
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>

#include "acl.h"
#include "manifest.h"
#include "../xattr.h"

static struct posix_acl_xattr_entry acl_entry(const struct xattr_item *it, size_t i)
{
	struct posix_acl_xattr_entry e;

	memcpy(&e, it->value + sizeof(struct posix_acl_xattr_header) + i * sizeof(e), sizeof(e));
	return e;
}

static size_t acl_entries(const struct xattr_item *it)
{
	return (it->value_len - sizeof(struct posix_acl_xattr_header)) /
	       sizeof(struct posix_acl_xattr_entry);
}

/* Permissions that an ACL gives a file; the mask comes behind the group, and counts instead. */
static u32 acl_mode(const struct xattr_item *it)
{
	u32 user = 0, group = 0, other = 0;

	for (size_t i = 0; i < acl_entries(it); i++) {
		const struct posix_acl_xattr_entry e = acl_entry(it, i);
		const u32 perm = le16_to_cpu(e.e_perm);

		switch (le16_to_cpu(e.e_tag)) {
		case ACL_USER_OBJ:
			user = perm;
			break;
		case ACL_GROUP_OBJ:
		case ACL_MASK:
			group = perm;
			break;
		case ACL_OTHER:
			other = perm;
			break;
		}
	}
	return user << 6 | group << 3 | other;
}

static struct xattr_item *access_acl(const struct entry *e)
{
	struct xattr_item *it = (struct xattr_item *)e->xattrs.p;

	for (size_t i = 0; i < e->xattrs.n; i++) {
		if (it[i].prefix == DSFS_XATTR_ACL_ACCESS)
			return &it[i];
	}
	return NULL;
}

int manifest_acl(struct manifest *m, struct node *n, struct entry *e)
{
	struct xattr_item *it = access_acl(e);
	u32 perm;

	/* a wrong one is told when the set is made */
	if (!it || !xattr_has_type(it->prefix, n->mode) || acl_wrong(it->value, it->value_len))
		return 0;
	perm = acl_mode(it);
	if (entry_has(e, ENTRY_MODE) && (n->mode & 0777) != perm)
		return manifest_fail(m, m->line, "mode: %04o: its permissions by the ACL are %04o",
				     n->mode & 07777, perm);
	n->mode = (n->mode & ~0777) | perm;
	/* three entries are the mode */
	if (acl_entries(it) == 3)
		*it = ((struct xattr_item *)e->xattrs.p)[--e->xattrs.n];
	return 0;
}
