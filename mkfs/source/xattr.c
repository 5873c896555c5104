// SPDX-License-Identifier: GPL-2.0
/*
 * Reading of extended attributes.  They are made into a set in the form of the
 * image.  Most files of a source have the same ones, such as a security label,
 * so equal sets are stored once.
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

#define LIST_MAX	65536

/**
 * struct set - a set that is being made
 * @p: DSFS_XATTR_SET_MAX bytes, of which @at are used
 */
struct set {
	char *p;
	size_t at;
	u32 count;
	bool acl;
};

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

int xattr_check(const struct xattr_item *it, const void *value, size_t value_len, u32 mode,
		char *why)
{
	const size_t name = strlen(dsfs_xattr_prefix(it->prefix)) + it->len;
	const char *acl = NULL;

	if (name > DSFS_NAME_MAX)
		return wrong(why, it, "a name of %zu bytes: the limit is %d", name,
			     DSFS_NAME_MAX);
	if (value_len > DSFS_XATTR_VALUE_MAX)
		return wrong(why, it, "%zu bytes: the limit is %d", value_len,
			     DSFS_XATTR_VALUE_MAX);
	if (!xattr_has_type(it->prefix, mode))
		return wrong(why, it, "%s cannot have it", type_name(mode));
	if (it->prefix >= DSFS_XATTR_ACL_ACCESS)
		acl = acl_wrong(value, value_len);
	return acl ? wrong(why, it, "wrong %s", acl) : 0;
}

/* Append an attribute that xattr_check() finds right.  0, or -E2BIG: there is no room. */
static int set_add(struct set *s, const struct xattr_item *it, const void *value,
		   u32 value_len)
{
	size_t used = sizeof(struct dsfs_xattr) + it->len + value_len;
	size_t padded = (used + 3) & ~(size_t)3;
	struct dsfs_xattr *x = (void *)(s->p + s->at);

	if (padded > DSFS_XATTR_SET_MAX - s->at || s->count == UINT16_MAX)
		return -E2BIG;
	memset(x, 0, padded);
	x->prefix = it->prefix;
	x->name_len = it->len;
	x->value_len = cpu_to_le32(value_len);
	memcpy(x + 1, it->name, it->len);
	memcpy((char *)(x + 1) + it->len, value, value_len);
	s->acl |= it->prefix >= DSFS_XATTR_ACL_ACCESS;
	s->at += padded;
	s->count++;
	return 0;
}

/* @buf is kept for the next set. */
static int set_begin(struct set *s, char **buf)
{
	if (!*buf)
		*buf = malloc(DSFS_XATTR_SET_MAX);
	*s = (struct set){ .p = *buf, .at = sizeof(struct dsfs_xattr_set) };
	return *buf ? 0 : -ENOMEM;
}

static void set_end(const struct set *s)
{
	struct dsfs_xattr_set *head = (void *)s->p;

	head->bytes = cpu_to_le32(s->at);
	head->count = cpu_to_le16(s->count);
	head->reserved = cpu_to_le16(0);
}

/* Make the set of r->items; its count is 0 if nothing is left of it. */
static int xattr_build(struct xattr_reader *r, const char *path, u32 mode, struct set *s)
{
	int ret = set_begin(s, &r->set);
	char why[XATTR_WHY];

	for (size_t i = 0; !ret && i < r->nitems; i++) {
		const struct xattr_item *it = &r->items[i];
		ssize_t len = lgetxattr(path, it->full, r->value,
					DSFS_XATTR_VALUE_MAX);

		if (len < 0 && errno == ENODATA)	/* removed since it was listed */
			continue;
		if (len < 0)
			return -errno;
		/* only a file system that the VFS does not check for has such ones */
		if (xattr_check(it, r->value, len, mode, why))
			return -EUCLEAN;
		ret = set_add(s, it, r->value, len);
	}
	if (!ret)
		set_end(s);
	return ret;
}

int xattr_read(struct xsets *x, struct xattr_reader *r, const char *path, u32 mode,
	       u32 *number, bool *acl)
{
	ssize_t len = llistxattr(path, r->list, LIST_MAX);
	struct set s;
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
	ret = xattr_build(r, path, mode, &s);
	if (ret || !s.count)
		return ret;
	*acl = s.acl;
	pthread_mutex_lock(&x->lock);
	ret = xsets_get(x, s.p, s.at, number);
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

int xattr_set_make(struct xsets *x, struct array *items, u32 mode, char **buf, u32 *number,
		   bool *acl, char *why)
{
	const struct xattr_item *it = (const struct xattr_item *)items->p;
	struct set s;
	int ret;

	*number = 0;
	*acl = false;
	if (!items->n)
		return 0;
	ret = set_begin(&s, buf);
	if (ret)
		return ret;
	qsort(items->p, items->n, items->size, item_order);
	drop_doubles(items);
	for (size_t i = 0; !ret && i < items->n; i++, it++) {
		ret = xattr_check(it, it->value, it->value_len, mode, why);
		if (!ret)
			ret = set_add(&s, it, it->value, it->value_len);
	}
	if (ret == -E2BIG) {
		snprintf(why, XATTR_WHY, "all of them: the limit is %d bytes, %d of them",
			 DSFS_XATTR_SET_MAX, UINT16_MAX);
		return -EINVAL;
	}
	if (ret)
		return ret;
	set_end(&s);
	*acl = s.acl;
	return xsets_get(x, s.p, s.at, number);
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
		};

		ret = xattr_check(&it, info.value, info.value_len, mode, why);
		if (ret)
			ret = dsfs_bad(err, "xattr of an inode that cannot have it",
				       info.prefix, DSFS_XATTR_ACL_DEFAULT, -EUCLEAN);
	}
	return ret;
}
