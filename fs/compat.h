/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that differs between the kernels that DSFS is built for.  The code is
 * written for the newest one; this file makes older ones look like it, and is
 * the only one that knows version numbers.
 */
#ifndef DSFS_COMPAT_H
#define DSFS_COMPAT_H

#include <linux/bio.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/posix_acl_xattr.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <linux/xattr.h>

/* 6.3: leases moved to a header of their own */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#include <linux/filelock.h>
#endif

/* 6.2: bio_add_folio() is exported; a folio is contiguous */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define bio_add_folio(bio, folio, len, off) \
	(bio_add_page(bio, &(folio)->page, len, off) == (len))
#endif

/* 6.3: struct mnt_idmap takes the place of the mount's user namespace */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define mnt_idmap user_namespace
#endif

/* 6.6: generic_fillattr() wants to know what was asked for */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define dsfs_fillattr(idmap, mask, inode, stat) \
	generic_fillattr(idmap, inode, stat)
#else
#define dsfs_fillattr(idmap, mask, inode, stat) \
	generic_fillattr(idmap, mask, inode, stat)
#endif

/* 6.7: time stamps are set by accessors */
static inline void dsfs_set_times(struct inode *inode, struct timespec64 ts)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	inode->i_atime = ts;
	inode->i_mtime = ts;
	inode->i_ctime = ts;
#else
	inode_set_atime_to_ts(inode, ts);
	inode_set_mtime_to_ts(inode, ts);
	inode_set_ctime_to_ts(inode, ts);
#endif
}

/* 6.19: i_state is read by an accessor */
static inline bool dsfs_inode_is_new(struct inode *inode)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
	return inode->i_state & I_NEW;
#else
	return inode_state_read_once(inode) & I_NEW;
#endif
}

/* 6.5: splice through the page cache has a function of its own */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define filemap_splice_read generic_file_splice_read
#endif

/* 6.12: what a file can do is said in its operations, before in f_mode */
#ifdef FOP_BUFFER_RASYNC
#define DSFS_FMODE_OPEN	(FMODE_NOWAIT | FMODE_CAN_ODIRECT)
#else
#define DSFS_FMODE_OPEN	(FMODE_NOWAIT | FMODE_CAN_ODIRECT | FMODE_BUF_RASYNC)
#endif

/* 6.12: the size of folios can be bounded; without a bound there are none */
static inline void dsfs_set_folio_order(struct address_space *mapping,
					unsigned int max)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	mapping_set_folio_order_range(mapping, 0, max);
#endif
}

static inline unsigned int dsfs_max_folio_order(struct address_space *mapping)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return mapping_max_folio_order(mapping);
#else
	return 0;
#endif
}

/* 6.8: by folio; where folios are pages (above) nobody asks */
static inline int dsfs_remove_folio(struct address_space *mapping,
				    struct folio *folio)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return generic_error_remove_folio(mapping, folio);
#else
	return -EIO;
#endif
}

/* 6.19: folios for the page cache have a NUMA policy */
static inline struct folio *dsfs_alloc_folio(gfp_t gfp, unsigned int order)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
	return filemap_alloc_folio(gfp, order);
#else
	return filemap_alloc_folio(gfp, order, NULL);
#endif
}

/* 6.14: reads that leave nothing in the cache */
#ifndef IOCB_DONTCACHE
#define IOCB_DONTCACHE	0
#endif

#ifndef FOP_DONTCACHE
#define folio_test_dropbehind(folio) false
#define folio_set_dropbehind(folio) do { } while (0)
#endif

/* 6.18: a work queue says that it is bound to CPUs, which was the default */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define WQ_PERCPU	0
#endif

/* 6.14: reads that leave nothing in the cache */
#if defined(FOP_BUFFER_RASYNC) && defined(FOP_DONTCACHE)
#define DSFS_FOP_FLAGS	.fop_flags = FOP_BUFFER_RASYNC | FOP_DONTCACHE,
#elif defined(FOP_BUFFER_RASYNC)
#define DSFS_FOP_FLAGS	.fop_flags = FOP_BUFFER_RASYNC,
#else
#define DSFS_FOP_FLAGS
#endif

/* 6.2: get_acl() of inodes became get_inode_acl() */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define get_inode_acl get_acl
#endif

/* 6.4: ACLs are no xattrs any more, but for a handler that lists them */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define nop_posix_acl_access posix_acl_access_xattr_handler
#define nop_posix_acl_default posix_acl_default_xattr_handler
#endif

/* 6.7: the table of xattr handlers is constant */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define DSFS_XATTR_TABLE(table) ((const struct xattr_handler **)(table))
#else
#define DSFS_XATTR_TABLE(table) (table)
#endif

/* 6.7: a file system says how it encodes file handles; the default before */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define DSFS_ENCODE_FH
#else
#define DSFS_ENCODE_FH	.encode_fh = generic_encode_ino32_fh,
#endif

/* 6.9: FS_IOC_GETFSUUID and FS_IOC_GETFSSYSFSPATH are answered by the VFS */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
static inline void super_set_uuid(struct super_block *sb, const u8 *uuid,
				  unsigned int len)
{
	memcpy(&sb->s_uuid, uuid, len);
}

#define super_set_sysfs_name_bdev(sb) do { } while (0)
#endif

#endif /* DSFS_COMPAT_H */
