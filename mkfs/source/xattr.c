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

#include "../options/options.h"
#include "acl.h"
#include "format.h"
#include "msg.h"
#include "source.h"
#include "xattr.h"

#define VALUES_MAX	(DSFS_XATTR_SET_MAX + DSFS_XATTR_VALUE_MAX)

int xattr_reader_init(struct xattr_reader *r)
{
	memset(r, 0, sizeof(*r));
	xattr_list_init(&r->list);
	r->names = malloc(DSFS_XATTR_LIST_MAX);
	r->values = malloc(VALUES_MAX);
	return r->names && r->values ? 0 : -ENOMEM;
}

void xattr_reader_free(struct xattr_reader *r)
{
	free(r->names);
	free(r->values);
	free(r->set);
	array_free(&r->list.items);
}

/* Which prefix of the format a name has, and what follows it; 0: none. */
static u8 split(const char *full, const char **name)
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

static int too_large(char *why)
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
		too_large(why);
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

bool xattr_excluded(const struct options *o, const char *full)
{
	return o->no_xattrs || patterns_match(&o->no_names, full, full, false);
}

/* Whether an attribute can say who may do what, so that its value counts if it is left out. */
static bool is_access(const char *full)
{
	return !strncmp(full, "system.", 7);
}

static bool nfs4_of(const char *full, const char *value, size_t len, struct nfs4_acl *acl)
{
	/* one of NFSv4.1 has flags in front */
	const size_t flags = strcmp(full, "system.nfs4_dacl") ? 0 : sizeof(u32);

	return (flags || !strcmp(full, "system.nfs4_acl")) && len >= flags &&
	       !nfs4_acl_of_value(acl, value + flags, len - flags);
}

/* What the mode may keep without an attribute. */
static mode_t granted(const char *full, const char *value, size_t len)
{
	struct nfs4_acl acl;
	const char *name;

	switch (split(full, &name)) {
	case DSFS_XATTR_ACL_ACCESS:
		/* of a mode that contradicts the ACL neither counts more */
		return acl_wrong(value, len) ? 07700 :
		       acl_least_mode(value, len) & (07000 | acl_mode(value, len));
	case DSFS_XATTR_ACL_DEFAULT:
		return 07777;
	}
	if (nfs4_of(full, value, len, &acl))
		return 07000 | acl.may;
	/* of an ACL that is not known only the owner's permissions are sure; one is of audits */
	return is_access(full) && strcmp(full, "system.nfs4_sacl") ? 07700 : 07777;
}

void xattr_list_drop(struct xattr_list *l, const char *full, const char *value, size_t len)
{
	l->may &= granted(full, value, len);
	l->left_out++;
}

static int refuse(char *why, const char *full, const char *what)
{
	char text[512];

	msg_escape(text, sizeof(text), full);
	snprintf(why, XATTR_WHY, "%s: %s: --xattrs-exclude=%s leaves it out", text, what, text);
	return -EINVAL;
}

#define NFS4_NAMES	"an ACL of NFSv4 with users or groups, which an image cannot have"

int xattr_list_add(struct xattr_list *l, const struct options *o, const char *full,
		   const char *value, size_t len, char *why)
{
	struct xattr_item it = { .value = value, .value_len = len };
	struct nfs4_acl acl;

	if (xattr_excluded(o, full)) {
		xattr_list_drop(l, full, value, len);
		return 0;
	}
	if (nfs4_of(full, value, len, &acl)) {
		/* without names it says no more than a mode */
		l->may &= 07000 | acl.may;
		return acl.names ? refuse(why, full, NFS4_NAMES) : 0;
	}
	it.prefix = split(full, &it.name);
	if (!it.prefix)
		return refuse(why, full, "not a kind that the format has");
	it.len = strlen(it.name);
	return array_append(&l->items, &it);
}

int xattr_list_add_ace(struct xattr_list *l, const struct options *o, const char *text, char *why)
{
	static const char full[] = "system.nfs4_acl";
	struct nfs4_acl acl;
	int ret = nfs4_acl_of_text(&acl, text);

	if (ret == -ENOMEM)
		return ret;
	l->may &= ret ? 07700 : 07000 | acl.may;
	l->left_out += ret || acl.names;
	if (xattr_excluded(o, full) || (!ret && !acl.names))
		return 0;
	return refuse(why, full, ret ? "SCHILY.acl.ace: not the text of an ACL" : NFS4_NAMES);
}

/* A listed attribute.  @sure: it is there, and an error is one */
static int add_listed(struct xattr_reader *r, const struct options *o, const char *path,
		      const char *full, bool sure)
{
	const bool excluded = xattr_excluded(o, full);
	const size_t kept = r->list.items.n;
	char *value = r->values + r->used;
	ssize_t len = 0;
	int ret;

	if (r->used > DSFS_XATTR_SET_MAX)
		return too_large(r->why);
	if (!excluded || is_access(full))
		len = lgetxattr(path, full, value, DSFS_XATTR_VALUE_MAX);
	if (len < 0 && (!sure || errno == ENODATA))	/* removed since it was listed */
		return 0;
	if (len < 0 && source_own_trouble(-errno))
		return -errno;
	if (len < 0 && !excluded)
		ret = refuse(r->why, full, strerror(errno));
	else
		ret = xattr_list_add(&r->list, o, full, value, len < 0 ? 0 : len, r->why);
	if (ret == -EINVAL && o->allow.unreadable) {
		xattr_list_drop(&r->list, full, value, len < 0 ? 0 : len);
		return 0;
	}
	r->used += r->list.items.n > kept ? len : 0;
	return ret;
}

/*
 * Some file systems, such as mounts of object stores, fail instead of saying that they have no
 * attributes.  What an ACL says is asked for even then.
 */
static int not_listed(struct xattr_reader *r, const struct options *o, const char *path)
{
	const int err = errno;

	if (err == ENOTSUP)
		return 0;
	if (source_own_trouble(-err))
		return -err;
	snprintf(r->why, XATTR_WHY, "extended attributes cannot be listed: %s%s", strerror(err),
		 o->allow.unreadable ? "" : ": --xattrs-exclude='*' packs without them");
	if (!o->no_xattrs && !o->allow.unreadable)
		return -err;
	r->list.left_out++;
	return add_listed(r, o, path, dsfs_xattr_prefix(DSFS_XATTR_ACL_ACCESS), false);
}

int xattr_read_list(struct xattr_reader *r, const struct options *o, const char *path)
{
	ssize_t len = llistxattr(path, r->names, DSFS_XATTR_LIST_MAX);
	int ret = 0;

	xattr_list_clear(&r->list);
	r->used = 0;
	r->why[0] = '\0';
	if (len < 0)
		return not_listed(r, o, path);
	for (const char *p = r->names; !ret && p < r->names + len; p += strlen(p) + 1)
		ret = add_listed(r, o, path, p, true);
	return ret;
}

int xattr_read(struct xsets *x, struct xattr_reader *r, const struct options *o,
	       const char *path, struct node *n)
{
	int ret = xattr_read_list(r, o, path);

	n->flags &= ~NODE_ACL;
	n->xattrs = 0;
	return ret ?: xattr_set_make(x, &r->list, &r->set, n, r->why);
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
