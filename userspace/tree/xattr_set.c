// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes of nodes.  They are made into a set in the form of the image.  Most files
 * of a source have the same ones, such as a security label, so equal sets are stored once.
 */
#include <stdarg.h>

#include "acl.h"
#include "format.h"
#include "msg.h"
#include "xattr_set.h"

static int item_cmp(const void *a, const void *b)
{
	const struct xattr_item *x = a, *y = b;

	if (x->prefix != y->prefix)
		return (int)x->prefix - (int)y->prefix;
	return dsfs_name_cmp(x->name, x->len, y->name, y->len);
}

/*
 * Linux has user attributes of files and directories alone, ACLs of all but symlinks, and
 * default ACLs of directories: the VFS sees to that without asking the file system.
 */
static bool has_type(u8 prefix, u32 mode)
{
	switch (prefix) {
	case DSFS_XATTR_USER:
		return S_ISREG(mode) || S_ISDIR(mode);
	case DSFS_XATTR_ACL_ACCESS:
		return !S_ISLNK(mode);
	case DSFS_XATTR_ACL_DEFAULT:
		return S_ISDIR(mode);
	}
	return true;
}

static const char *type_name(u32 mode)
{
	return S_ISLNK(mode) ? "a symlink" : S_ISREG(mode) ? "a file" :
	       S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

static int wrong(char *why, const struct xattr_item *it, const char *fmt, ...)
{
	char full[DSFS_NAME_MAX + 64], text[sizeof(full) * 4], rest[128];
	va_list ap;

	snprintf(full, sizeof(full), "%s%.*s", dsfs_xattr_prefix(it->prefix),
		 (int)(it->len < DSFS_NAME_MAX ? it->len : DSFS_NAME_MAX), it->name);
	va_start(ap, fmt);
	vsnprintf(rest, sizeof(rest), fmt, ap);
	va_end(ap);
	snprintf(why, XATTR_WHY, "%s: %s", msg_escape(text, sizeof(text), full), rest);
	return -EINVAL;
}

/* Whether an image may have an attribute.  Return: 0; -EINVAL: @why says why not. */
static int check_item(const struct xattr_item *it, u32 mode, char *why)
{
	const size_t name = strlen(dsfs_xattr_prefix(it->prefix)) + it->len;
	const char *acl = NULL;

	if (name > DSFS_NAME_MAX)
		return wrong(why, it, "a name of %zu bytes: the limit is %d", name, DSFS_NAME_MAX);
	if (it->value_len > DSFS_XATTR_VALUE_MAX)
		return wrong(why, it, "%u bytes: the limit is %d", it->value_len,
			     DSFS_XATTR_VALUE_MAX);
	if (!has_type(it->prefix, mode))
		return wrong(why, it, "%s cannot have it: --xattrs-exclude leaves it out",
			     type_name(mode));
	if (it->prefix >= DSFS_XATTR_ACL_ACCESS)
		acl = acl_wrong(it->value, it->value_len);
	return acl ? wrong(why, it, "wrong %s", acl) : 0;
}

/* Add an attribute that check_item() finds right, at @at.  0, or -E2BIG: there is no room. */
static int set_add(char *set, size_t *at, const struct xattr_item *it)
{
	const size_t used = sizeof(struct dsfs_xattr) + it->len + it->value_len;
	const size_t padded = (used + 3) & ~(size_t)3;
	struct dsfs_xattr *x = (void *)(set + *at);

	if (padded > DSFS_XATTR_SET_MAX - *at)
		return -E2BIG;
	memset(x, 0, padded);
	x->prefix = it->prefix;
	x->name_len = it->len;
	x->value_len = cpu_to_le32(it->value_len);
	memcpy(x + 1, it->name, it->len);
	memcpy((char *)(x + 1) + it->len, it->value, it->value_len);
	*at += padded;
	return 0;
}

static int item_order(const void *a, const void *b)
{
	const struct xattr_item *x = a, *y = b;
	int cmp = item_cmp(x, y);

	return cmp ? cmp : x->value < y->value ? -1 : x->value > y->value;
}

/* The items are sorted: of the same name the last one stays. */
static void drop_doubles(struct array *items)
{
	struct xattr_item *it = (struct xattr_item *)items->p;
	size_t n = 0;

	for (size_t i = 0; i < items->n; i++) {
		if (n && !item_cmp(&it[n - 1], &it[i]))
			n--;
		it[n++] = it[i];
	}
	items->n = n;
}

int xattr_too_large(char *why)
{
	snprintf(why, XATTR_WHY, "all of them: the limit is %u bytes, %d of their names",
		 DSFS_XATTR_SET_MAX, DSFS_XATTR_LIST_MAX);
	return -E2BIG;
}

/* Bytes of the names of all @items, as listxattr(2) has them */
static size_t list_bytes(const struct array *items)
{
	const struct xattr_item *it = items->p;
	size_t bytes = 0;

	for (size_t i = 0; i < items->n; i++)
		bytes += strlen(dsfs_xattr_prefix(it[i].prefix)) + it[i].len + 1;
	return bytes;
}

/* Make the set of @items, which are sorted.  Return: its bytes, or a negative errno. */
static ssize_t make_set(char *set, const struct array *items, u32 mode, char *why)
{
	const struct xattr_item *it = items->p;
	struct dsfs_xattr_set *head = (void *)set;
	size_t at = sizeof(*head);
	int ret = list_bytes(items) > DSFS_XATTR_LIST_MAX ? -E2BIG : 0;

	for (size_t i = 0; !ret && i < items->n; i++, it++)
		ret = check_item(it, mode, why) ?: set_add(set, &at, it);
	if (ret == -E2BIG)
		xattr_too_large(why);
	*head = (struct dsfs_xattr_set){ .bytes = cpu_to_le32(at),
					 .count = cpu_to_le16(items->n) };
	return ret ? ret : (ssize_t)at;
}

int xattr_set_make(struct xsets *x, struct xattr_list *l, char **buf, struct node *n, char *why)
{
	struct array *items = &l->items;
	const int perm = xattr_acl_mode(l, n->mode);
	const struct xattr_item *last;
	ssize_t bytes;
	int ret;

	if (perm >= 0)
		n->mode = (n->mode & ~0777) | perm;
	n->mode &= ~07777 | l->may;
	if (!items->n)
		return 0;
	if (!*buf)
		*buf = malloc(DSFS_XATTR_SET_MAX);
	if (!*buf)
		return -ENOMEM;
	array_sort(items, item_order);
	drop_doubles(items);
	bytes = make_set(*buf, items, n->mode, why);
	if (bytes < 0)
		return bytes;
	last = (const struct xattr_item *)items->p + items->n - 1;
	if (last->prefix >= DSFS_XATTR_ACL_ACCESS)
		n->flags |= NODE_ACL;
	pthread_mutex_lock(&x->lock);
	ret = xsets_get(x, *buf, bytes, &n->xattrs);
	pthread_mutex_unlock(&x->lock);
	return ret;
}

int xattr_acl_mode(struct xattr_list *l, u32 mode)
{
	struct array *items = &l->items;
	struct xattr_item *it = items->p;
	size_t i = 0;
	int perm;

	while (i < items->n && it[i].prefix != DSFS_XATTR_ACL_ACCESS)
		i++;
	if (i == items->n)
		return -1;
	it += i;
	if (!has_type(it->prefix, mode) || acl_wrong(it->value, it->value_len))
		return -1;
	perm = acl_mode(it->value, it->value_len);
	if (acl_is_mode(it->value_len))
		*it = ((struct xattr_item *)items->p)[--items->n];
	return perm;
}

int xattr_set_check(const void *set, u32 bytes, u32 mode, struct dsfs_err *err)
{
	struct dsfs_xattr_info info;
	char why[XATTR_WHY];
	u32 count, cursor;
	int ret = dsfs_xattr_first(set, bytes, &count, &cursor, err);

	while (!ret && (ret = dsfs_xattr_next(set, bytes, &cursor, &info, err)) == 1) {
		const struct xattr_item it = {
			.prefix = info.prefix, .name = info.name, .len = info.name_len,
			.value = info.value, .value_len = info.value_len,
		};

		ret = check_item(&it, mode, why);
		if (ret)
			ret = dsfs_bad(err, "xattr of an inode that cannot have it",
				       info.prefix, DSFS_XATTR_ACL_DEFAULT, -EUCLEAN);
	}
	return ret;
}
