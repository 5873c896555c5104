// SPDX-License-Identifier: GPL-2.0
/* VFS inodes, made from rows; symbolic links. */
#include "internal.h"

#include <linux/log2.h>
#include <linux/pagemap.h>
#include <linux/posix_acl.h>
#include <linux/slab.h>

/*
 * Copy the target of a symbolic link, which is not NUL-terminated in metadata. With i_link
 * the VFS follows a link in RCU walk.
 */
static int dsfs_inode_link(struct inode *inode, const struct dsfs_attr *attr,
			   struct dsfs_err *err)
{
	struct dsfs_mref ref;
	int ret = dsfs_symlink_get(dsfs_src(inode->i_sb), attr, &ref, err);

	if (ret)
		return ret;
	inode->i_link = kmemdup_nul(ref.p, attr->size, GFP_KERNEL_ACCOUNT);
	dsfs_meta_put(&ref);
	return inode->i_link ? 0 : -ENOMEM;
}

/* dsfs_free_inode - free an inode after an RCU grace period */
void dsfs_free_inode(struct inode *inode)
{
	if (S_ISLNK(inode->i_mode))
		kfree(inode->i_link);
	if (S_ISDIR(inode->i_mode))
		kfree(inode->i_private);
	free_inode_nonrcu(inode);
}

const struct inode_operations dsfs_symlink_iops = {
	.get_link	= simple_get_link,
	.getattr	= dsfs_getattr,
	.listxattr	= dsfs_listxattr,
};

const struct inode_operations dsfs_special_iops = {
	.getattr	= dsfs_getattr,
	.listxattr	= dsfs_listxattr,
	.get_inode_acl	= dsfs_get_acl,
};

/*
 * Only the initial user namespace mounts DSFS. Its mapping is the identity, and would cost more
 * than the rest of reading an inode.
 */
static int dsfs_inode_owner(struct inode *inode, struct dsfs_source *src,
			    const struct dsfs_attr *attr, struct dsfs_err *err)
{
	u32 uid, gid;
	int ret = dsfs_owner_get(src, attr, &uid, &gid, err);

	if (ret)
		return ret;
	inode->i_uid = KUIDT_INIT(uid);
	inode->i_gid = KGIDT_INIT(gid);
	return 0;
}

/* What an inode has besides its row, which most have not */
static noinline_for_stack int dsfs_inode_extra(struct inode *inode,
					       const struct dsfs_attr *attr,
					       struct dsfs_err *err)
{
	struct dsfs_extra_info extra;
	int ret = dsfs_extra_get(dsfs_src(inode->i_sb), attr, &extra, err);

	if (ret)
		return ret;
	if (attr->flags & DSFS_INODE_HOLES)
		inode->i_blocks = DIV_ROUND_UP_ULL(extra.stored, 512);
	return 0;
}

/* Decode the directory record and keep it for lookups. */
static int dsfs_inode_dir(struct inode *inode, const struct dsfs_attr *attr,
			  struct dsfs_err *err)
{
	struct dsfs_dir_state *dir = kzalloc(sizeof(*dir), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!dir)
		return -ENOMEM;
	ret = dsfs_dir_get(dsfs_src(inode->i_sb), attr, &dir->info, err);
	if (ret) {
		kfree(dir);
		return ret;
	}
	inode->i_private = dir;
	inode->i_op = &dsfs_dir_iops;
	inode->i_fop = &dsfs_dir_fops;
	return 0;
}

/*
 * Allow large folios in readahead: adding a folio costs half as much as
 * checking a chunk. Files with holes are filled page by page, so large folios
 * gain nothing.
 */
static void dsfs_inode_folios(struct inode *inode, const struct dsfs_geo *geo, u16 flags)
{
	const unsigned int chunk = flags & DSFS_INODE_COMPRESSED ? 0 : geo->chunk_bits;
	const unsigned int bits = max_t(unsigned int, ilog2(DSFS_FOLIO_MAX), chunk);

	static_assert(DSFS_UNIT_SIZE <= DSFS_FOLIO_MAX);
	if (!(flags & DSFS_INODE_HOLES))
		mapping_set_folio_order_range(inode->i_mapping, 0, bits - PAGE_SHIFT);
}

static void dsfs_inode_reg(struct inode *inode, const struct dsfs_geo *geo,
			   const struct dsfs_attr *attr)
{
	/* That of a file with holes is set. */
	if (!(attr->flags & DSFS_INODE_HOLES))
		inode->i_blocks = DIV_ROUND_UP_ULL(attr->stored ? : attr->size, 512);
	if (attr->stored)
		inode->i_blkbits = DSFS_UNIT_BITS;
	inode->i_op = &dsfs_file_iops;
	inode->i_fop = &dsfs_file_fops;
	inode->i_mapping->a_ops = &dsfs_aops;
	dsfs_inode_folios(inode, geo, attr->flags);
}

/* What differs by type */
static int dsfs_inode_kind(struct inode *inode, const struct dsfs_geo *geo,
			   const struct dsfs_attr *attr, struct dsfs_err *err)
{
	switch (attr->mode & S_IFMT) {
	case S_IFREG:
		dsfs_inode_reg(inode, geo, attr);
		return 0;
	case S_IFDIR:
		return dsfs_inode_dir(inode, attr, err);
	case S_IFLNK:
		inode->i_op = &dsfs_symlink_iops;
		return dsfs_inode_link(inode, attr, err);
	default:
		inode->i_op = &dsfs_special_iops;
		init_special_inode(inode, inode->i_mode,
				   MKDEV(attr->rdev >> 20,
					 attr->rdev & ((1U << 20) - 1)));
		return 0;
	}
}

/* Inline, so that all that fills in a new inode is one function */
static __always_inline int dsfs_inode_read(struct inode *inode, u64 place, struct dsfs_err *err)
{
	struct dsfs_source *src = dsfs_src(inode->i_sb);
	struct timespec64 mtime;
	struct dsfs_attr attr;
	int ret = 0;

	/* A handle has the number alone. */
	if (place == DSFS_NO_PLACE)
		ret = dsfs_inode_place(src, inode->i_ino, &place, err);
	dsfs_inode_set_place(inode, place);
	if (!ret)
		ret = dsfs_inode_placed(src, inode->i_ino, place, &attr, err);
	if (ret)
		return ret;
	/* A hard-link entry is a name, not an inode. */
	if (dsfs_attr_is_hardlink(&attr))
		return dsfs_bad(err, "hard-link entry used as an inode", attr.ino,
				attr.start, -ESTALE);

	inode->i_mode = attr.mode;
	inode->i_generation = src->geo.igeneration;
	i_size_write(inode, attr.size);
	/* A new inode has one. */
	if (attr.nlink != 1)
		set_nlink(inode, attr.nlink);
	mtime = ns_to_timespec64(attr.mtime);
	inode_set_atime_to_ts(inode, mtime);
	inode_set_mtime_to_ts(inode, mtime);
	inode_set_ctime_to_ts(inode, mtime);
	if (!(attr.flags & DSFS_INODE_ACL))
		cache_no_acl(inode);
	ret = dsfs_inode_owner(inode, src, &attr, err);
	if (!ret && attr.extra)
		ret = dsfs_inode_extra(inode, &attr, err);
	return ret ? ret : dsfs_inode_kind(inode, &src->geo, &attr, err);
}

static struct inode *dsfs_inode_new(struct inode *inode, u64 place)
{
	struct dsfs_err err = {};
	int ret = dsfs_inode_read(inode, place, &err);

	if (!ret) {
		unlock_new_inode(inode);
		return inode;
	}
	/* A stale file handle is no defect of the image. */
	if (ret != -ESTALE)
		dsfs_corrupt(inode->i_sb, inode->i_ino, &err, ret);
	iget_failed(inode);
	return ERR_PTR(ret);
}

/*
 * dsfs_iget - get an inode by any number, and where its row is if a lookup has found that
 *
 * Return: the inode with a reference, or an ERR_PTR: -ESTALE if there is no
 * such inode, -EUCLEAN, -EBADMSG, -EIO, -ENOMEM.
 */
struct inode *dsfs_iget(struct super_block *sb, u32 ino, u64 place)
{
	struct inode *inode = iget_locked(sb, ino);

	if (!inode)
		return ERR_PTR(-ENOMEM);
	return inode_state_read_once(inode) & I_NEW ? dsfs_inode_new(inode, place) : inode;
}
