// SPDX-License-Identifier: GPL-2.0
/*
 * POSIX ACLs, as the kernel takes them: it refuses one that is out of order,
 * and a file whose ACL is refused cannot be opened.
 */
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>

#include "acl.h"

/* Where each kind of entry stands in the order. */
static int acl_rank(u16 tag)
{
	switch (tag) {
	case ACL_USER_OBJ:
		return 0;
	case ACL_USER:
		return 1;
	case ACL_GROUP_OBJ:
		return 2;
	case ACL_GROUP:
		return 3;
	case ACL_MASK:
		return 4;
	case ACL_OTHER:
		return 5;
	}
	return -1;
}

const char *acl_wrong(const void *value, size_t len)
{
	struct posix_acl_xattr_header head;
	struct posix_acl_xattr_entry e;
	const char *at = value;
	int rank, last = -1;
	u32 seen = 0;

	if (len < sizeof(head) || (len - sizeof(head)) % sizeof(e))
		return "length";
	memcpy(&head, at, sizeof(head));
	if (le32_to_cpu(head.a_version) != POSIX_ACL_XATTR_VERSION)
		return "version";
	for (at += sizeof(head); at < (const char *)value + len; at += sizeof(e)) {
		memcpy(&e, at, sizeof(e));
		rank = acl_rank(le16_to_cpu(e.e_tag));
		if (rank < 0)
			return "tag";
		if (le16_to_cpu(e.e_perm) & ~7)
			return "permissions";
		/* users and groups may be many, the others stand alone */
		if (rank < last || (rank == last && rank != 1 && rank != 3))
			return "order of entries";
		if ((rank == 1 || rank == 3) && le32_to_cpu(e.e_id) == U32_MAX)
			return "id";
		seen |= 1U << rank;
		last = rank;
	}
	if ((seen & 0x25) != 0x25)
		return "missing entry";
	if (seen & 0x0a && !(seen & 0x10))
		return "missing mask";
	return NULL;
}

mode_t acl_least_mode(const void *value, size_t len)
{
	/* what all entries of a rank grant; the mask counts for all but the last one */
	mode_t perm[6] = { 7, 7, 7, 7, 7, 7 }, group, other;
	struct posix_acl_xattr_entry e;
	const char *at = value;
	bool named = false;
	int rank;

	if (acl_wrong(value, len))
		return 07700;
	for (at += sizeof(struct posix_acl_xattr_header); at < (const char *)value + len;
	     at += sizeof(e)) {
		memcpy(&e, at, sizeof(e));
		rank = acl_rank(le16_to_cpu(e.e_tag));
		if (rank < 0)
			return 07700;
		perm[rank] &= le16_to_cpu(e.e_perm);
		named = named || rank == 1 || rank == 3;
	}
	/* without the ACL, its users and groups are either in the group or others */
	group = perm[1] & perm[2] & perm[4];
	other = perm[1] & perm[3] & perm[5];
	if (named)
		other &= perm[4];
	return 07700 | group << 3 | other;
}
