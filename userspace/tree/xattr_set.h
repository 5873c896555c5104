/* SPDX-License-Identifier: GPL-2.0 */
/* Extended attributes of nodes, as the image has them. */
#ifndef DSFS_XATTR_SET_H
#define DSFS_XATTR_SET_H

#include "tree.h"

struct dsfs_err;

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

/* Say that all attributes of a node are too many.  Return: -E2BIG */
int xattr_too_large(char *why);

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

#endif /* DSFS_XATTR_SET_H */
