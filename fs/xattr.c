// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes and POSIX ACLs.
 *
 * An xattr set may be longer than a block of metadata, so a copy of it is used.
 */
#include "internal.h"

#include <linux/capability.h>
#include <linux/posix_acl_xattr.h>
#include <linux/slab.h>
#include <linux/xattr.h>

/* A copy of the xattr set of an inode */
struct dsfs_set {
	void *p;
	u32 bytes;
	u32 cursor;
};

/*
 * Get the xattr set of an inode. Return: 1, 0 if it has none, or an error,
 * which has been reported.
 */
static int dsfs_set_get(struct inode *inode, struct dsfs_set *set)
{
	struct super_block *sb = inode->i_sb;
	struct dsfs_extra_info extra;
	struct dsfs_err err = {};
	struct dsfs_attr attr;
	u32 count;
	int ret;

	ret = dsfs_inode_attr(inode, &attr, &err);
	if (!ret && !(attr.flags & DSFS_INODE_XATTRS))
		return 0;
	if (!ret)
		ret = dsfs_extra_get(dsfs_src(sb), &attr, &extra, &err);
	if (!ret)
		ret = dsfs_xattr_bytes(dsfs_src(sb), &extra, &set->bytes, &err);
	if (ret)
		return dsfs_corrupt(sb, inode->i_ino, &err, ret);
	set->p = kvmalloc(set->bytes, GFP_KERNEL);
	if (!set->p)
		return -ENOMEM;
	ret = dsfs_meta_copy(dsfs_src(sb), DSFS_REGION_XATTRS, extra.xattrs, set->bytes, set->p);
	if (ret)
		dsfs_bad(&err, "xattr set", extra.xattrs, 0, ret);
	else
		ret = dsfs_xattr_first(set->p, set->bytes, &count, &set->cursor, &err);
	if (!ret)
		return 1;
	kvfree(set->p);
	return dsfs_corrupt(sb, inode->i_ino, &err, ret);
}

static int dsfs_set_next(struct inode *inode, struct dsfs_set *set,
			 struct dsfs_xattr_info *info)
{
	struct dsfs_err err = {};
	int ret = dsfs_xattr_next(set->p, set->bytes, &set->cursor, info, &err);

	return ret < 0 ? dsfs_corrupt(inode->i_sb, inode->i_ino, &err, ret) : ret;
}

/* Find an attribute. Return: 0 and the set that has it, -ENODATA, another error. */
static int dsfs_xattr_find(struct inode *inode, u8 prefix, const char *name,
			   struct dsfs_set *set, struct dsfs_xattr_info *info)
{
	const size_t len = strlen(name);
	int ret = dsfs_set_get(inode, set);

	if (ret <= 0)
		return ret ? ret : -ENODATA;
	while ((ret = dsfs_set_next(inode, set, info)) > 0)
		if (info->prefix == prefix && info->name_len == len &&
		    !memcmp(info->name, name, len))
			return 0;
	kvfree(set->p);
	return ret ? ret : -ENODATA;
}

static int dsfs_xattr_get(const struct xattr_handler *handler,
			  struct dentry *dentry, struct inode *inode,
			  const char *name, void *buffer, size_t size)
{
	struct dsfs_xattr_info info;
	struct dsfs_set set;
	int ret = dsfs_xattr_find(inode, handler->flags, name, &set, &info);

	if (ret)
		return ret;
	ret = info.value_len;
	if (buffer && info.value_len > size)
		ret = -ERANGE;
	else if (buffer)
		memcpy(buffer, info.value, info.value_len);
	kvfree(set.p);
	return ret;
}

static bool dsfs_trusted_list(struct dentry *dentry)
{
	return capable(CAP_SYS_ADMIN);
}

static const struct xattr_handler dsfs_user_handler = {
	.prefix	= XATTR_USER_PREFIX,
	.flags	= DSFS_XATTR_USER,
	.get	= dsfs_xattr_get,
};

static const struct xattr_handler dsfs_trusted_handler = {
	.prefix	= XATTR_TRUSTED_PREFIX,
	.flags	= DSFS_XATTR_TRUSTED,
	.list	= dsfs_trusted_list,
	.get	= dsfs_xattr_get,
};

static const struct xattr_handler dsfs_security_handler = {
	.prefix	= XATTR_SECURITY_PREFIX,
	.flags	= DSFS_XATTR_SECURITY,
	.get	= dsfs_xattr_get,
};

const struct xattr_handler * const dsfs_xattr_handlers[] = {
	&dsfs_user_handler,
	&nop_posix_acl_access,
	&nop_posix_acl_default,
	&dsfs_trusted_handler,
	&dsfs_security_handler,
	NULL
};

/* Append a name to the result of listxattr(). */
static int dsfs_list_one(const struct dsfs_xattr_info *info, char *buffer,
			 size_t size, size_t *used)
{
	const char *prefix = dsfs_xattr_prefix(info->prefix);
	const size_t plen = strlen(prefix);
	const size_t len = plen + info->name_len + 1;

	if (info->prefix == DSFS_XATTR_TRUSTED && !dsfs_trusted_list(NULL))
		return 0;
	if (buffer) {
		if (len > size - *used)
			return -ERANGE;
		memcpy(buffer + *used, prefix, plen);
		memcpy(buffer + *used + plen, info->name, info->name_len);
		buffer[*used + len - 1] = 0;
	}
	*used += len;
	return 0;
}

/* dsfs_listxattr - list the names of an inode's extended attributes */
ssize_t dsfs_listxattr(struct dentry *dentry, char *buffer, size_t size)
{
	struct inode *inode = d_inode(dentry);
	struct dsfs_xattr_info info;
	struct dsfs_set set;
	size_t used = 0;
	int ret = dsfs_set_get(inode, &set);

	if (ret <= 0)
		return ret;
	while ((ret = dsfs_set_next(inode, &set, &info)) > 0) {
		ret = dsfs_list_one(&info, buffer, size, &used);
		if (ret)
			break;
	}
	kvfree(set.p);
	return ret ? ret : used;
}

/* dsfs_get_acl - get a POSIX ACL; NULL: there is none */
struct posix_acl *dsfs_get_acl(struct inode *inode, int type, bool rcu)
{
	const u8 prefix = type == ACL_TYPE_ACCESS ? DSFS_XATTR_ACL_ACCESS :
						    DSFS_XATTR_ACL_DEFAULT;
	struct dsfs_xattr_info info;
	struct dsfs_err err = {};
	struct posix_acl *acl;
	struct dsfs_set set;
	int ret;

	if (rcu)
		return ERR_PTR(-ECHILD);
	ret = dsfs_xattr_find(inode, prefix, "", &set, &info);
	if (ret)
		return ret == -ENODATA ? NULL : ERR_PTR(ret);
	/* To the start, as it may lie at any address */
	memmove(set.p, info.value, info.value_len);
	acl = posix_acl_from_xattr(&init_user_ns, set.p, info.value_len);
	kvfree(set.p);
	if (IS_ERR(acl) && acl != ERR_PTR(-ENOMEM)) {
		dsfs_bad(&err, "POSIX ACL", info.value_len, 0, -EUCLEAN);
		acl = ERR_PTR(dsfs_corrupt(inode->i_sb, inode->i_ino, &err, -EUCLEAN));
	}
	return acl;
}
