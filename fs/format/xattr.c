// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes: decoding of xattr sets.
 *
 * An xattr set holds all extended attributes of an inode. Inodes with equal
 * attributes share a set: a security label is often equal on a million files.
 */
#include "format.h"

/*
 * dsfs_xattr_bytes - get the length of an xattr set
 *
 * @extra is of an inode with DSFS_INODE_XATTRS. The set can be read by dsfs_meta_copy(), or
 * by dsfs_meta_get() if it has 4096 bytes or less.
 */
int dsfs_xattr_bytes(struct dsfs_source *src, const struct dsfs_extra_info *extra,
		     u32 *bytes, struct dsfs_err *err)
{
	const u64 room = dsfs_source_geo(src)->regions[DSFS_REGION_XATTRS].bytes;
	const u32 at = extra->xattrs & (DSFS_BLOCK_SIZE - 1);
	const struct dsfs_xattr_set *set;
	struct dsfs_mref ref;
	int ret;

	ret = dsfs_meta_get(src, DSFS_REGION_XATTRS, extra->xattrs, sizeof(*set), &ref);
	if (ret)
		return dsfs_bad(err, "xattr set", extra->xattrs, room, ret);
	set = ref.p;
	*bytes = le32_to_cpu(set->bytes);
	dsfs_meta_put(&ref);
	if (*bytes <= sizeof(*set) || *bytes > DSFS_XATTR_SET_MAX || *bytes & 3)
		return dsfs_broken(err, "length of an xattr set", *bytes, DSFS_XATTR_SET_MAX);
	if (*bytes > room - extra->xattrs)
		return dsfs_broken(err, "end of an xattr set", extra->xattrs + *bytes, room);
	if (*bytes <= DSFS_BLOCK_SIZE ? at + *bytes > DSFS_BLOCK_SIZE : at)
		return dsfs_broken(err, "xattr set that crosses a block", extra->xattrs,
				   DSFS_BLOCK_SIZE);
	return 0;
}

/* dsfs_xattr_first - start to iterate over an xattr set of dsfs_xattr_bytes() */
int dsfs_xattr_first(const void *set, size_t bytes, u32 *count, u32 *cursor, struct dsfs_err *err)
{
	const struct dsfs_xattr_set *raw = set;

	*count = le16_to_cpu(raw->count);
	*cursor = sizeof(*raw);
	if (!*count || le16_to_cpu(raw->reserved))
		return dsfs_broken(err, "attributes in an xattr set", *count,
				   bytes / sizeof(struct dsfs_xattr));
	return 0;
}

/* dsfs_xattr_prefix - get the name prefix of DSFS_XATTR_*; NULL for an unknown number */
const char *dsfs_xattr_prefix(u8 prefix)
{
	switch (prefix) {
	case DSFS_XATTR_USER:
		return "user.";
	case DSFS_XATTR_TRUSTED:
		return "trusted.";
	case DSFS_XATTR_SECURITY:
		return "security.";
	case DSFS_XATTR_ACL_ACCESS:
		return "system.posix_acl_access";
	case DSFS_XATTR_ACL_DEFAULT:
		return "system.posix_acl_default";
	}
	return NULL;
}

/*
 * dsfs_xattr_next - get the next attribute of an xattr set
 *
 * Return: 1 for an attribute, which points into @set; 0 at the end; -EUCLEAN.
 */
int dsfs_xattr_next(const void *set, size_t bytes, u32 *cursor,
		    struct dsfs_xattr_info *info, struct dsfs_err *err)
{
	const struct dsfs_xattr *raw;
	size_t room = bytes - *cursor;
	const char *prefix;
	size_t used;
	bool acl;

	if (!room)
		return 0;
	if (room < sizeof(*raw))
		return dsfs_broken(err, "room for an xattr", room, sizeof(*raw));
	raw = (const void *)((const char *)set + *cursor);
	info->prefix = raw->prefix;
	info->name_len = raw->name_len;
	info->value_len = le32_to_cpu(raw->value_len);
	info->name = (const char *)(raw + 1);

	prefix = dsfs_xattr_prefix(info->prefix);
	if (!prefix || raw->reserved)
		return dsfs_broken(err, "prefix of an xattr", info->prefix, DSFS_XATTR_ACL_DEFAULT);
	acl = info->prefix >= DSFS_XATTR_ACL_ACCESS;
	if (acl != !info->name_len || info->name_len + strlen(prefix) > DSFS_NAME_MAX)
		return dsfs_broken(err, "length of an xattr's name", info->name_len, DSFS_NAME_MAX);
	if (info->value_len > DSFS_XATTR_VALUE_MAX)
		return dsfs_broken(err, "length of an xattr's value", info->value_len,
				   DSFS_XATTR_VALUE_MAX);
	used = (sizeof(*raw) + info->name_len + info->value_len + 3) &
	       ~(size_t)3;
	if (used > room)
		return dsfs_broken(err, "end of an xattr", used, room);
	info->value = info->name + info->name_len;
	if (memchr(info->name, 0, info->name_len))
		return dsfs_broken(err, "NUL in an xattr's name", 0, 1);
	*cursor += used;
	return 1;
}
