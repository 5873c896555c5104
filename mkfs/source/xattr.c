// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes of a source: which ones the image gets, and what the mode loses by those that
 * it does not get.
 */
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

bool xattr_excluded(const struct options *o, const char *full)
{
	return o->no_names.all || patterns_match(&o->no_names, full, full, false);
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
		return xattr_too_large(r->why);
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
	if (!o->no_names.all && !o->allow.unreadable)
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
