/* SPDX-License-Identifier: GPL-2.0 */
/* Extended attributes of nodes. */
#ifndef MKFS_XATTR_H
#define MKFS_XATTR_H

#include "../tree/tree.h"

struct dsfs_err;
struct options;

#define XATTR_WHY	1536	/* bytes of a message */

/**
 * struct xattr_item - an attribute of a set
 * @name: without prefix; @len bytes of it
 */
struct xattr_item {
	const char *name;
	const char *value;
	u32 value_len;
	u32 len;
	u8 prefix;
};

/**
 * struct xattr_list - the attributes of a node, as they come from a source
 * @items: struct xattr_item: those that the image gets
 * @may: the mode loses what is not in it: what an ACL that is left out does not grant
 * @left_out: how many the options leave out, of all nodes
 */
struct xattr_list {
	struct array items;
	mode_t may;
	u64 left_out;
};

static inline void xattr_list_init(struct xattr_list *l)
{
	*l = (struct xattr_list){ .items.size = sizeof(struct xattr_item) };
}

/* Begin with the next node. */
static inline void xattr_list_clear(struct xattr_list *l)
{
	l->items.n = 0;
	l->may = 07777;
}

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
 * xattr_set_make - give a node the set of attributes whose values are in memory, and the mode
 *	that goes with it
 * @l: its items get their order
 * @buf: kept for the next set; to be freed
 * @n: its mode is set already
 * @why: XATTR_WHY bytes; gets the attribute's name and what is wrong
 *
 * Of a name that is there twice the one counts whose value is behind the other's.
 * Return: 0; -EINVAL, and -E2BIG for a set that is too large: @why says so; -ENOMEM.
 */
int xattr_set_make(struct xsets *x, struct xattr_list *l, char **buf, struct node *n, char *why);

/**
 * xattr_acl_mode - the permissions of the access ACL in a list
 *
 * The kernel sets the mode of a file by its ACL, so an image in which they contradict each
 * other is of no tree that was ever there.  An ACL that says no more than a mode is taken
 * out.
 * Return: -1: there is none, or a wrong one, which xattr_set_make() tells.
 */
int xattr_acl_mode(struct xattr_list *l, u32 mode);

/* The same rules, of a set that an image has; 0 or -errno. */
int xattr_set_check(const void *set, u32 bytes, u32 mode, struct dsfs_err *err);

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
