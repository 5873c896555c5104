// SPDX-License-Identifier: GPL-2.0
/*
 * Reading of extended attributes.  They are made into a set in the form of the
 * image.  Most files of a source have the same ones, such as a security label,
 * so equal sets are stored once.
 */
#include <stdlib.h>
#include <sys/xattr.h>

#include "libdsfs.h"
#include "xattr.h"

#define LIST_MAX	65536
#define SET_SLACK	(DSFS_XATTR_VALUE_MAX + 1024)

int xattr_reader_init(struct xattr_reader *r)
{
	*r = (struct xattr_reader){ 0 };
	r->list = malloc(LIST_MAX);
	r->value = malloc(DSFS_XATTR_VALUE_MAX);
	if (!r->list || !r->value) {
		xattr_reader_free(r);
		return -ENOMEM;
	}
	return 0;
}

void xattr_reader_free(struct xattr_reader *r)
{
	free(r->list);
	free(r->value);
	free(r->set);
	free(r->items);
	*r = (struct xattr_reader){ 0 };
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

/* Make r->items from the list of names. */
static int xattr_items(struct xattr_reader *r, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += !r->list[i];
	free(r->items);
	r->items = calloc(n, sizeof(*r->items));
	if (!r->items)
		return -ENOMEM;
	r->nitems = 0;
	for (const char *p = r->list; p < r->list + bytes; p += strlen(p) + 1) {
		struct xattr_item *it = &r->items[r->nitems];

		it->prefix = xattr_split(p, &it->name);
		if (!it->prefix) {
			r->ignored++;
			continue;
		}
		it->full = p;
		it->len = strlen(it->name);
		r->nitems++;
	}
	qsort(r->items, r->nitems, sizeof(*r->items), item_cmp);
	return 0;
}

static size_t xattr_put(char *at, const struct xattr_item *it, const void *value,
			u32 value_len)
{
	size_t used = sizeof(struct dsfs_xattr) + it->len + value_len;
	struct dsfs_xattr *x = (void *)at;

	memset(at, 0, (used + 3) & ~(size_t)3);
	x->prefix = it->prefix;
	x->name_len = it->len;
	x->value_len = cpu_to_le32(value_len);
	memcpy(x + 1, it->name, it->len);
	memcpy((char *)(x + 1) + it->len, value, value_len);
	return (used + 3) & ~(size_t)3;
}

static void set_head(char *set, u32 bytes, u32 count)
{
	struct dsfs_xattr_set *head = (void *)set;

	head->bytes = cpu_to_le32(bytes);
	head->count = cpu_to_le16(count);
	head->reserved = cpu_to_le16(0);
}

/* Make the set in r->set; @bytes is 0 if nothing is left of it. */
static int xattr_build(struct xattr_reader *r, const char *path, u32 *bytes,
		       bool *acl)
{
	size_t at = sizeof(struct dsfs_xattr_set);
	u32 count = 0;

	if (!r->set)
		r->set = malloc(DSFS_XATTR_SET_MAX + SET_SLACK);
	if (!r->set)
		return -ENOMEM;
	for (size_t i = 0; i < r->nitems; i++) {
		const struct xattr_item *it = &r->items[i];
		ssize_t len = lgetxattr(path, it->full, r->value,
					DSFS_XATTR_VALUE_MAX);

		if (len < 0 && errno == ENODATA)	/* removed since it was listed */
			continue;
		if (len < 0)
			return -errno;
		*acl |= it->prefix >= DSFS_XATTR_ACL_ACCESS;
		at += xattr_put(r->set + at, it, r->value, len);
		count++;
		if (at > DSFS_XATTR_SET_MAX || count > UINT16_MAX)
			return -E2BIG;
	}
	set_head(r->set, at, count);
	*bytes = count ? at : 0;
	return 0;
}

int xattr_read(struct xsets *x, struct xattr_reader *r, const char *path,
	       u32 *number, bool *acl)
{
	ssize_t len = llistxattr(path, r->list, LIST_MAX);
	u32 bytes = 0;
	int ret;

	*number = 0;
	*acl = false;
	if (len < 0)
		return errno == ENOTSUP ? 0 : -errno;
	if (!len)
		return 0;
	ret = xattr_items(r, len);
	if (ret || !r->nitems)
		return ret;
	ret = xattr_build(r, path, &bytes, acl);
	if (ret || !bytes)
		return ret;
	pthread_mutex_lock(&x->lock);
	ret = xsets_get(x, r->set, bytes, number);
	pthread_mutex_unlock(&x->lock);
	return ret;
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

int xattr_set_make(struct xsets *x, struct array *items, char **buf, u32 *number,
		   bool *acl)
{
	const struct xattr_item *it = (const struct xattr_item *)items->p;
	size_t at = sizeof(struct dsfs_xattr_set);

	*number = 0;
	*acl = false;
	if (!items->n)
		return 0;
	if (!*buf)
		*buf = malloc(DSFS_XATTR_SET_MAX + SET_SLACK);
	if (!*buf)
		return -ENOMEM;
	qsort(items->p, items->n, items->size, item_order);
	drop_doubles(items);
	for (size_t i = 0; i < items->n; i++, it++) {
		at += xattr_put(*buf + at, it, it->value, it->value_len);
		if (at > DSFS_XATTR_SET_MAX || i == UINT16_MAX)
			return -E2BIG;
		*acl |= it->prefix >= DSFS_XATTR_ACL_ACCESS;
	}
	set_head(*buf, at, items->n);
	return xsets_get(x, *buf, at, number);
}
