/* SPDX-License-Identifier: GPL-2.0 */
/* ACLs of NFSv4, of which an image can keep no more than a mode. */
#ifndef MKFS_NFS4_H
#define MKFS_NFS4_H

#include <sys/types.h>

#include "dsfs_platform.h"

/**
 * struct nfs4_acl - what its entries grant
 * @may: permissions that the classes of a mode have by it, whoever is in them
 * @denied: those that an entry has denied first
 * @names: it has entries of users or groups by name, which no mode says
 */
struct nfs4_acl {
	mode_t may;
	mode_t denied;
	bool names;
};

/* Both return 0, or -EINVAL for what is no such ACL. */

/* The value of an attribute, as RFC 7530 has it. */
int nfs4_acl_of_value(struct nfs4_acl *acl, const void *value, size_t len);
/* The text of a record SCHILY.acl.ace. */
int nfs4_acl_of_text(struct nfs4_acl *acl, const char *text);

#endif /* MKFS_NFS4_H */
