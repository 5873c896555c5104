/* SPDX-License-Identifier: GPL-2.0 */
/* Extended attributes of a source. */
#ifndef MKFS_XATTR_H
#define MKFS_XATTR_H

#include "xattr_set.h"

struct options;

/* Whether --xattrs-exclude leaves a name out. */
bool xattr_excluded(const struct options *o, const char *full);

/**
 * xattr_list_add - add an attribute of a source
 * @full: with its prefix; it and the value stay valid until the set is made
 * @why: XATTR_WHY bytes; gets what is wrong, and the option that leaves it out
 *
 * Return: 0; -EINVAL: an image cannot have it; -ENOMEM.
 */
int xattr_list_add(struct xattr_list *l, const struct options *o, const char *full,
		   const char *value, size_t len, char *why);

/* Leave an attribute out: the mode loses what it does not grant. */
void xattr_list_drop(struct xattr_list *l, const char *full, const char *value, size_t len);

/* What an ACL of NFSv4 in the text of a record SCHILY.acl.ace makes of the mode.  The same. */
int xattr_list_add_ace(struct xattr_list *l, const struct options *o, const char *text, char *why);

/**
 * struct xattr_reader - what one thread needs to read sets
 * @used: of the values
 * @why: what is wrong with the last set, if it failed, or what is left out of it because it
 *	cannot be read; "": nothing
 */
struct xattr_reader {
	char *names;
	char *values;
	char *set;
	size_t used;
	struct xattr_list list;
	char why[XATTR_WHY];
};

/* Return: 0 or -ENOMEM.  It is to be freed even then. */
int xattr_reader_init(struct xattr_reader *r);
void xattr_reader_free(struct xattr_reader *r);

/**
 * xattr_read_list - read the attributes of a file
 * @path: not followed if it is a symlink
 *
 * Return: 0, r->list has them; -errno, r->why says why.
 */
int xattr_read_list(struct xattr_reader *r, const struct options *o, const char *path);

/**
 * xattr_read - give a node the set of a file
 * @n: its mode is set already
 *
 * Return: 0; -errno, r->why says why.
 */
int xattr_read(struct xsets *x, struct xattr_reader *r, const struct options *o,
	       const char *path, struct node *n);

/* nfs4.c: ACLs of NFSv4, of which an image can keep no more than a mode */

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

#endif /* MKFS_XATTR_H */
