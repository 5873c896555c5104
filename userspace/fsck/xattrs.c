// SPDX-License-Identifier: GPL-2.0
/*
 * Xattr sets.  Millions of inodes may share one, so each set is checked once,
 * and then compared with the flags of all its inodes.
 */
#include "acl.h"
#include "fsck.h"

/* Properties of the attributes of a set */
struct set_info {
	bool acl;
	bool acl_default;
	bool user;
};

static bool attr_above(const struct dsfs_xattr_info *a, const struct dsfs_xattr_info *b)
{
	if (a->prefix != b->prefix)
		return a->prefix > b->prefix;
	return dsfs_name_cmp(a->name, a->name_len, b->name, b->name_len) > 0;
}

static void check_attr(struct fsck *f, const struct ref *r, const struct dsfs_xattr_info *info,
		       u64 pos, struct set_info *set)
{
	const char *wrong;

	if (info->prefix == DSFS_XATTR_USER)
		set->user = true;
	if (info->prefix != DSFS_XATTR_ACL_ACCESS && info->prefix != DSFS_XATTR_ACL_DEFAULT)
		return;
	set->acl = true;
	if (info->prefix == DSFS_XATTR_ACL_DEFAULT)
		set->acl_default = true;
	wrong = acl_wrong(info->value, info->value_len);
	if (wrong)
		problem(f, "ACL", r->ino, pos, "%s: %s", dsfs_xattr_prefix(info->prefix), wrong);
}

/* Check the padding between a value and the next attribute. */
static bool padding_zero(const struct dsfs_xattr_info *info, const u8 *end)
{
	const u8 *at = (const u8 *)info->value + info->value_len;

	return all_zero(at, end - at);
}

static void check_attrs(struct fsck *f, const struct ref *r, const u8 *set,
			u32 bytes, struct set_info *si)
{
	const u64 pos = meta_pos(f, DSFS_REGION_XATTRS, r->pos);
	struct dsfs_xattr_info info, last;
	u32 count, cursor, n = 0, list = 0;
	struct dsfs_err err = { 0 };
	int ret = dsfs_xattr_first(set, bytes, &count, &cursor, &err);

	while (!ret) {
		ret = dsfs_xattr_next(set, bytes, &cursor, &info, &err);
		if (ret <= 0)
			break;
		if (n++ && !attr_above(&info, &last))
			problem(f, "order of xattrs", r->ino, pos,
				"attribute %u is not above the one before it", n);
		if (!padding_zero(&info, set + cursor))
			problem(f, "padding of an xattr", r->ino, pos,
				"attribute %u: it is not zero", n);
		check_attr(f, r, &info, pos, si);
		list += strlen(dsfs_xattr_prefix(info.prefix)) + info.name_len + 1;
		last = info;
		ret = 0;
	}
	if (ret < 0)
		problem_err(f, r->ino, pos, &err, ret);
	else if (n != count)
		problem(f, "number of xattrs", r->ino, pos, "%u, found %u", count, n);
	else if (list > DSFS_XATTR_LIST_MAX)
		problem(f, "names of xattrs", r->ino, pos, "%u bytes, at most %u can be listed",
			list, DSFS_XATTR_LIST_MAX);
}

/*
 * Whether the type of an inode allows its set.  The VFS handles user attributes
 * of other types without asking the file system: it would list an attribute and
 * then deny its existence.
 */
static void check_type(struct fsck *f, const struct ref *r, const struct set_info *set)
{
	const u64 pos = meta_pos(f, DSFS_REGION_XATTRS, r->pos);
	struct dsfs_attr attr;
	struct dsfs_err err;

	if (dsfs_inode_get(f->src, r->ino, &attr, &err))
		return;
	if (set->acl_default && !S_ISDIR(attr.mode))
		problem(f, "ACL", r->ino, pos, "default ACL of no directory");
	if (set->acl && S_ISLNK(attr.mode))
		problem(f, "ACL", r->ino, pos, "ACL of a symlink");
	if (set->user && !S_ISREG(attr.mode) && !S_ISDIR(attr.mode))
		problem(f, "prefix of an xattr", r->ino, pos,
			"user. attribute of neither file nor directory");
}

/**
 * struct setwalk - a walk over inodes in the order of their sets
 * @pos: the current set
 * @n: inodes so far that use it
 * @bad: nothing is known of it
 */
struct setwalk {
	struct fsck *f;
	u64 pos;
	u64 n;
	bool bad;
	struct set_info info;
};

u32 set_bytes(struct fsck *f, u64 pos)
{
	struct dsfs_extra_info extra = { .xattrs = pos };
	struct dsfs_err err;
	u32 bytes;

	return dsfs_xattr_bytes(f->src, &extra, &bytes, &err) ? 0 : bytes;
}

/* Check a set, of which @r is the first inode. */
static void check_set(struct fsck *f, struct setwalk *w, const struct ref *r)
{
	struct dsfs_extra_info extra = { .xattrs = r->pos };
	struct dsfs_err err = { 0 };
	u32 bytes;
	void *set;
	int ret;

	*w = (struct setwalk){ .f = f, .pos = r->pos };
	ret = image_xattr_set(f->src, &extra, &set, &bytes, &err);
	if (ret) {
		problem_err(f, r->ino, meta_pos(f, DSFS_REGION_XATTRS, r->pos), &err, ret);
		w->bad = true;
		return;
	}
	check_attrs(f, r, set, bytes, &w->info);
	free(set);
}

static int check_user(void *arg, const struct ref *r)
{
	struct setwalk *w = arg;
	struct fsck *f = w->f;

	if (!w->n || r->pos != w->pos) {
		pass_add(f, w->n);
		check_set(f, w, r);
	}
	w->n++;
	if (w->bad)
		return 0;
	if (r->flag != w->info.acl)
		problem(f, "ACL flag", r->ino, inode_pos(f, r->ino),
			w->info.acl ? "the xattrs include an ACL" : "the xattrs include no ACL");
	if (w->info.acl || w->info.user)
		check_type(f, r, &w->info);
	return 0;
}

int check_xattrs(struct fsck *f)
{
	struct setwalk w = { .f = f };
	int ret;

	pass_begin(f, "xattrs", f->sets.n, false);
	ret = refs_each(&f->sets, f->src, check_user, &w);
	pass_add(f, w.n);
	pass_end(f);
	return ret;
}
