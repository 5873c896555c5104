/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What older kernels need. The code is written for the newest one; without older
 * ones, this file and the line that includes it can be deleted.
 *
 * A build outside of a kernel's tree asks its headers (scripts/conftest), because
 * vendors backport, and includes the answers before everything else. In a kernel's tree
 * the version is exact.
 */
#ifndef DSFS_COMPAT_H
#define DSFS_COMPAT_H

#include <linux/blkdev.h>
#include <linux/exportfs.h>
#include <linux/file.h>
#include <linux/fileattr.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/posix_acl_xattr.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <linux/xattr.h>

/* Features that scripts/conftest/probes.c tests, and the release that added each */
#ifndef DSFS_CONFTEST
#define DSFS_SINCE(major, minor) \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0))
#define DSFS_HAVE_GET_INODE_ACL		DSFS_SINCE(6, 2)
#define DSFS_HAVE_MNT_IDMAP		DSFS_SINCE(6, 3)
#define DSFS_HAVE_NOP_POSIX_ACL		DSFS_SINCE(6, 4)
#define DSFS_HAVE_GENERIC_FILE_SPLICE_READ !DSFS_SINCE(6, 5)
#define DSFS_HAVE_FILLATTR_MASK		DSFS_SINCE(6, 6)
#define DSFS_HAVE_SET_CTIME		DSFS_SINCE(6, 6)
#define DSFS_HAVE_RELEASE_FAULT_LOCK	DSFS_SINCE(6, 6)
#define DSFS_HAVE_SET_ATIME		DSFS_SINCE(6, 7)
#define DSFS_HAVE_CONST_XATTR_TABLE	DSFS_SINCE(6, 7)
#define DSFS_HAVE_ENCODE_INO32		DSFS_SINCE(6, 7)
#define DSFS_HAVE_ERROR_REMOVE_FOLIO	DSFS_SINCE(6, 8)
#define DSFS_HAVE_BDEV_FILE		DSFS_SINCE(6, 9)
#define DSFS_HAVE_SUPER_SET_UUID	DSFS_SINCE(6, 9)
#define DSFS_HAVE_FOLIO_ORDER_RANGE	DSFS_SINCE(6, 12)
#define DSFS_HAVE_FILE_KATTR		DSFS_SINCE(6, 17)
#define DSFS_HAVE_WQ_PERCPU		DSFS_SINCE(6, 18)
#define DSFS_HAVE_INODE_STATE_READ	DSFS_SINCE(6, 19)
#endif

/* get_acl() of inodes became get_inode_acl(). */
#if !DSFS_HAVE_GET_INODE_ACL
#define get_inode_acl get_acl
#endif

/* struct mnt_idmap replaced the user namespace of the mount. */
#if !DSFS_HAVE_MNT_IDMAP
#define mnt_idmap user_namespace
#endif

/* ACLs have xattr handlers for listing only; before, the handlers also got values. */
#if !DSFS_HAVE_NOP_POSIX_ACL
#define nop_posix_acl_access posix_acl_access_xattr_handler
#define nop_posix_acl_default posix_acl_default_xattr_handler
#endif

/* Splice from the page cache got its own function. */
#if DSFS_HAVE_GENERIC_FILE_SPLICE_READ
#define filemap_splice_read generic_file_splice_read
#endif

/* generic_fillattr() got the request mask. */
#if !DSFS_HAVE_FILLATTR_MASK
#define generic_fillattr(idmap, mask, inode, stat) \
	generic_fillattr(idmap, inode, stat)
#endif

/* Time stamps are set by accessors, ctime first. */
#if !DSFS_HAVE_SET_CTIME
#define inode_set_ctime_to_ts(inode, ts) ((inode)->i_ctime = (ts))
#endif
#if !DSFS_HAVE_SET_ATIME
#define inode_set_atime_to_ts(inode, ts) ((inode)->i_atime = (ts))
#define inode_set_mtime_to_ts(inode, ts) ((inode)->i_mtime = (ts))
#endif

/*
 * s_xattr points to a constant table; before, the type said otherwise. The macro follows
 * "sb->", hence the comma and the assignment without effect.
 */
#if !DSFS_HAVE_CONST_XATTR_TABLE
#define s_xattr \
	s_flags |= 0, *(const struct xattr_handler * const **)&sb->s_xattr
#endif

/* encode_fh() became mandatory; this was the default. */
#if !DSFS_HAVE_ENCODE_INO32
#define generic_encode_ino32_fh NULL
#endif

/* The function takes a folio; before, a page, or the head page of a large folio. */
#if !DSFS_HAVE_ERROR_REMOVE_FOLIO
#define generic_error_remove_folio(mapping, folio) \
	generic_error_remove_page(mapping, &(folio)->page)
#endif

/*
 * An open device is a file, which requests in flight share. Before, nothing but the VFS could
 * hold the open that is in s_bdev, so the device is opened once more: before s_umount is taken,
 * which nests inside the locks of an open. The file is where those of MTD have their device.
 */
#if !DSFS_HAVE_BDEV_FILE
struct dsfs_compat_tree {
	struct file *file;
	int (*fill)(struct super_block *sb, struct fs_context *fc);
};

static inline int dsfs_compat_fill(struct super_block *sb, struct fs_context *fc)
{
	const struct dsfs_compat_tree *tree = fc->fs_private;

	/* The name may be another device's by now. */
	if (!tree->file || file_inode(tree->file)->i_rdev != sb->s_dev)
		return -ENXIO;
	sb->s_mtd = (void *)get_file(tree->file);
	return tree->fill(sb, fc);
}

static inline int dsfs_compat_get_tree(struct fs_context *fc,
				       int (*fill)(struct super_block *, struct fs_context *))
{
	struct dsfs_compat_tree tree = { .fill = fill };
	dev_t dev;
	int ret;

	/* Opening what is no device may have effects. Errors are met again, and reported. */
	if (!lookup_bdev(fc->source, &dev))
		tree.file = filp_open(fc->source, O_RDONLY, 0);
	tree.file = IS_ERR(tree.file) ? NULL : tree.file;
	fc->fs_private = &tree;
	ret = get_tree_bdev(fc, dsfs_compat_fill);
	if (tree.file)
		fput(tree.file);
	return ret;
}

static inline void dsfs_compat_kill_super(struct super_block *sb)
{
	struct file *file = (void *)sb->s_mtd;

	kill_block_super(sb);
	if (file)
		fput(file);
}

#define get_tree_bdev dsfs_compat_get_tree
#define kill_block_super dsfs_compat_kill_super
#define s_bdev_file s_mtd
#define get_file(mtd) get_file((struct file *)(mtd))
#endif

/* The VFS implements FS_IOC_GETFSUUID and FS_IOC_GETFSSYSFSPATH. */
#if !DSFS_HAVE_SUPER_SET_UUID
#define super_set_uuid(sb, uuid, len) memcpy(&(sb)->s_uuid, uuid, len)
#define super_set_sysfs_name_bdev(sb) do { } while (0)
#endif

/* A fault holds the lock of its mapping; before, that of the memory map. */
#if !DSFS_HAVE_RELEASE_FAULT_LOCK
#define release_fault_lock(vmf) mmap_read_unlock((vmf)->vma->vm_mm)
#endif

/* File capabilities are in fop_flags; before, in f_mode, set by open(). */
#ifndef FOP_BUFFER_RASYNC
#define fop_flags mmap_supported_flags
#define FOP_BUFFER_RASYNC	0
static inline int dsfs_compat_file_open(struct inode *inode, struct file *file)
{
	file->f_mode |= FMODE_BUF_RASYNC;
	return generic_file_open(inode, file);
}

#define generic_file_open dsfs_compat_file_open
#endif

/* Folio orders are limited by the mapping; before, DSFS' folios were single pages. */
#if !DSFS_HAVE_FOLIO_ORDER_RANGE
#define mapping_set_folio_order_range(mapping, min, max) ((void)(max))
#define mapping_max_folio_order(mapping) 0U
#endif

/* RWF_DONTCACHE. The macro of a member follows "rac->", hence the operator. */
#ifndef IOCB_DONTCACHE
#define IOCB_DONTCACHE	0
#endif
#ifndef FOP_DONTCACHE
#define FOP_DONTCACHE	0
#define dropbehind _index & 0
#define folio_test_dropbehind(folio) false
#define folio_set_dropbehind(folio) do { } while (0)
#endif

/* What FS_IOC_GETFLAGS and the like return got a name of the kernel's own. */
#if !DSFS_HAVE_FILE_KATTR
#define file_kattr fileattr
#endif

/* Binding to CPUs is a flag; before, it was the default. */
#if !DSFS_HAVE_WQ_PERCPU
#define WQ_PERCPU	0
#endif

/* i_state got an accessor. */
#if !DSFS_HAVE_INODE_STATE_READ
#define inode_state_read_once(inode) READ_ONCE((inode)->i_state)
#endif

/* Typed allocation */
#ifndef kzalloc_obj
#define kzalloc_obj(p, ...) kzalloc(sizeof(p), GFP_KERNEL)
#endif

#endif /* DSFS_COMPAT_H */
