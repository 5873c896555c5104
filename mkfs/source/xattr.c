// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes of nodes.  They are made into a set in the form of the image.  Most files
 * of a source have the same ones, such as a security label, so equal sets are stored once.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "acl.h"
#include "format.h"
#include "msg.h"
#include "xattr.h"

#define VALUES_MAX	(DSFS_XATTR_SET_MAX + DSFS_XATTR_VALUE_MAX)

int xattr_reader_init(struct xattr_reader *r)
{
	*r = (struct xattr_reader){ .items.size = sizeof(struct xattr_item) };
	r->list = malloc(DSFS_XATTR_LIST_MAX);
	r->values = malloc(VALUES_MAX);
	return r->list && r->values ? 0 : -ENOMEM;
}

void xattr_reader_free(struct xattr_reader *r)
{
	free(r->list);
	free(r->values);
	free(r->set);
	array_free(&r->items);
}

u8 xattr_split(const char *full, const char **name)
{
	for (u8 i = DSFS_XATTR_USER; i <= DSFS_XATTR_ACL_DEFAULT; i++) {
		const char *prefix = dsfs_xattr_prefix(i);
		size_t len = strlen(prefix);

		if (i >= DSFS_XATTR_ACL_ACCESS ? strcmp(full, prefix) :
		    strncmp(full, prefix, len) || !full[len])
			continue;
		*name = full + len;
		return i;
	}
	return 0;
}

static int item_cmp(const void *a, const void *b)
{
	const struct xattr_item *x = a, *y = b;

	if (x->prefix != y->prefix)
		return (int)x->prefix - (int)y->prefix;
	return dsfs_name_cmp(x->name, x->len, y->name, y->len);
}

bool xattr_has_type(u8 prefix, u32 mode)
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
	if (!xattr_has_type(it->prefix, mode))
		return wrong(why, it, "%s cannot have it", type_name(mode));
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
		snprintf(why, XATTR_WHY, "all of them: the limit is %u bytes, %d of their names",
			 DSFS_XATTR_SET_MAX, DSFS_XATTR_LIST_MAX);
	*head = (struct dsfs_xattr_set){ .bytes = cpu_to_le32(at),
					 .count = cpu_to_le16(items->n) };
	return ret ? ret : (ssize_t)at;
}

int xattr_set_make(struct xsets *x, struct array *items, char **buf, struct node *n, char *why)
{
	const struct xattr_item *last;
	ssize_t bytes;
	int ret;

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

/* An attribute of a list becomes one of r->items, with its value behind the others. */
static int read_value(struct xattr_reader *r, const char *path, const char *full, size_t *used)
{
	struct xattr_item it = { .value = r->values + *used };
	ssize_t len;

	it.prefix = xattr_split(full, &it.name);
	if (!it.prefix) {
		r->ignored++;
		return 0;
	}
	if (*used > DSFS_XATTR_SET_MAX)
		return -E2BIG;
	len = lgetxattr(path, full, r->values + *used, DSFS_XATTR_VALUE_MAX);
	if (len < 0)	/* it may have been removed since it was listed */
		return errno == ENODATA ? 0 : -errno;
	it.len = strlen(it.name);
	it.value_len = len;
	*used += len;
	return array_append(&r->items, &it);
}

int xattr_read(struct xsets *x, struct xattr_reader *r, const char *path, struct node *n)
{
	ssize_t len = llistxattr(path, r->list, DSFS_XATTR_LIST_MAX);
	char why[XATTR_WHY];
	size_t used = 0;
	int ret = 0;

	n->flags &= ~NODE_ACL;
	n->xattrs = 0;
	if (len < 0)
		return errno == ENOTSUP ? 0 : -errno;
	r->items.n = 0;
	for (const char *p = r->list; !ret && p < r->list + len; p += strlen(p) + 1)
		ret = read_value(r, path, p, &used);
	ret = ret ?: xattr_set_make(x, &r->items, &r->set, n, why);
	/* only a file system that the VFS does not check for has wrong ones */
	return ret == -EINVAL ? -EUCLEAN : ret;
}

int xattr_acl_mode(struct array *items, u32 mode)
{
	struct xattr_item *it = items->p;
	size_t i = 0;
	int perm;

	while (i < items->n && it[i].prefix != DSFS_XATTR_ACL_ACCESS)
		i++;
	if (i == items->n)
		return -1;
	it += i;
	if (!xattr_has_type(it->prefix, mode) || acl_wrong(it->value, it->value_len))
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
