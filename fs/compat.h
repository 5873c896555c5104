/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that differs between the kernels that DSFS is built for.  The code is
 * written for the newest one, by its names and with its signatures; here older
 * ones are made to look like it.  Where nothing older matters, this file and the
 * one line that includes it can be deleted.
 *
 * What a kernel has is found out, not concluded from its number, since vendors
 * backport: an out-of-tree build asks the kernel's headers (scripts/conftest) and
 * has the answers included ahead of everything.  In a kernel tree there is nobody
 * to ask, and nothing is backported to it that its version does not say.
 *
 * A name of the kernel's is shadowed by a macro, after the header that declares
 * it: if a kernel had it all the same, that does no harm.
 */
#ifndef DSFS_COMPAT_H
#define DSFS_COMPAT_H

#include <crypto/hash.h>
#include <linux/bio.h>
#include <linux/crc32.h>
#include <linux/exportfs.h>
#include <linux/fileattr.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/posix_acl_xattr.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <linux/xattr.h>

/* What scripts/conftest/probes.c asks for, and the release that brought it */
#ifndef DSFS_CONFTEST
#define DSFS_SINCE(major, minor) \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0))
#define DSFS_HAVE_GET_INODE_ACL		DSFS_SINCE(6, 2)
#define DSFS_HAVE_BIO_ADD_FOLIO		DSFS_SINCE(6, 3)
#define DSFS_HAVE_MNT_IDMAP		DSFS_SINCE(6, 3)
#define DSFS_HAVE_NOP_POSIX_ACL		DSFS_SINCE(6, 4)
#define DSFS_HAVE_GENERIC_FILE_SPLICE_READ !DSFS_SINCE(6, 5)
#define DSFS_HAVE_FILLATTR_MASK		DSFS_SINCE(6, 6)
#define DSFS_HAVE_SET_CTIME		DSFS_SINCE(6, 6)
#define DSFS_HAVE_SET_ATIME		DSFS_SINCE(6, 7)
#define DSFS_HAVE_CONST_XATTR_TABLE	DSFS_SINCE(6, 7)
#define DSFS_HAVE_ENCODE_INO32		DSFS_SINCE(6, 7)
#define DSFS_HAVE_ERROR_REMOVE_FOLIO	DSFS_SINCE(6, 8)
#define DSFS_HAVE_SUPER_SET_UUID	DSFS_SINCE(6, 9)
#define DSFS_HAVE_FOLIO_ORDER_RANGE	DSFS_SINCE(6, 12)
#define DSFS_HAVE_FILE_KATTR		DSFS_SINCE(6, 17)
#define DSFS_HAVE_WQ_PERCPU		DSFS_SINCE(6, 18)
#define DSFS_HAVE_ALLOC_FOLIO_POLICY	DSFS_SINCE(6, 19)
#define DSFS_HAVE_INODE_STATE_READ	DSFS_SINCE(6, 19)
#endif

/* get_acl() of inodes became get_inode_acl(). */
#if !DSFS_HAVE_GET_INODE_ACL
#define get_inode_acl get_acl
#endif

/* Not for modules before; a folio is contiguous. */
#if !DSFS_HAVE_BIO_ADD_FOLIO
#define bio_add_folio(bio, folio, len, off) \
	(bio_add_page(bio, &(folio)->page, len, off) == (len))
#endif

/* struct mnt_idmap takes the place of the mount's user namespace. */
#if !DSFS_HAVE_MNT_IDMAP
#define mnt_idmap user_namespace
#endif

/* ACLs are no xattrs any more, but for a handler that lists them. */
#if !DSFS_HAVE_NOP_POSIX_ACL
#define nop_posix_acl_access posix_acl_access_xattr_handler
#define nop_posix_acl_default posix_acl_default_xattr_handler
#endif

/* Splice through the page cache has a function of its own. */
#if DSFS_HAVE_GENERIC_FILE_SPLICE_READ
#define filemap_splice_read generic_file_splice_read
#endif

/* generic_fillattr() wants to know what was asked for. */
#if !DSFS_HAVE_FILLATTR_MASK
#define generic_fillattr(idmap, mask, inode, stat) \
	generic_fillattr(idmap, inode, stat)
#endif

/* Time stamps are set by accessors; that of the inode's change was first. */
#if !DSFS_HAVE_SET_CTIME
#define inode_set_ctime_to_ts(inode, ts) ((inode)->i_ctime = (ts))
#endif
#if !DSFS_HAVE_SET_ATIME
#define inode_set_atime_to_ts(inode, ts) ((inode)->i_atime = (ts))
#define inode_set_mtime_to_ts(inode, ts) ((inode)->i_mtime = (ts))
#endif

/*
 * The table of xattr handlers is constant.  Nobody writes to it before, but the
 * member's type says so: it is assigned to as if it were the newer one.  It
 * follows a "sb->", hence the comma, and an assignment that changes nothing.
 */
#if !DSFS_HAVE_CONST_XATTR_TABLE
#define s_xattr \
	s_flags |= 0, *(const struct xattr_handler * const **)&sb->s_xattr
#endif

/* A file system says how it encodes file handles; this was the default. */
#if !DSFS_HAVE_ENCODE_INO32
#define generic_encode_ino32_fh NULL
#endif

/* By folio, which was a page, or the head of a large one */
#if !DSFS_HAVE_ERROR_REMOVE_FOLIO
#define generic_error_remove_folio(mapping, folio) \
	generic_error_remove_page(mapping, &(folio)->page)
#endif

/* FS_IOC_GETFSUUID and FS_IOC_GETFSSYSFSPATH are answered by the VFS. */
#if !DSFS_HAVE_SUPER_SET_UUID
#define super_set_uuid(sb, uuid, len) memcpy(&(sb)->s_uuid, uuid, len)
#define super_set_sysfs_name_bdev(sb) do { } while (0)
#endif

/* What a file can do is said in its operations, before in f_mode, at open. */
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

/* The size of folios can be bounded; without a bound there are single pages. */
#if !DSFS_HAVE_FOLIO_ORDER_RANGE
#define mapping_set_folio_order_range(mapping, min, max) ((void)(max))
#define mapping_min_folio_order(mapping) 0U
#define mapping_max_folio_order(mapping) 0U
#endif

/* Reads that leave nothing in the cache */
#ifndef IOCB_DONTCACHE
#define IOCB_DONTCACHE	0
#endif
#ifndef FOP_DONTCACHE
#define FOP_DONTCACHE	0
#define folio_test_dropbehind(folio) false
#define folio_set_dropbehind(folio) do { } while (0)
#endif

/* What FS_IOC_GETFLAGS and the like return got a name of the kernel's own. */
#if !DSFS_HAVE_FILE_KATTR
#define file_kattr fileattr
#endif

/* A work queue says that it is bound to CPUs, which was the default. */
#if !DSFS_HAVE_WQ_PERCPU
#define WQ_PERCPU	0
#endif

/* Folios for the page cache have a NUMA policy. */
#if !DSFS_HAVE_ALLOC_FOLIO_POLICY
struct mempolicy;

static inline struct folio *dsfs_compat_alloc_folio(gfp_t gfp,
						    unsigned int order,
						    struct mempolicy *policy)
{
	return filemap_alloc_folio(gfp, order);
}

#undef filemap_alloc_folio
#define filemap_alloc_folio dsfs_compat_alloc_folio
#endif

/* i_state is read by an accessor. */
#if !DSFS_HAVE_INODE_STATE_READ
#define inode_state_read_once(inode) READ_ONCE((inode)->i_state)
#endif

/* A slab cache can ask for not being merged; before, usercopy sees to that. */
#ifndef SLAB_NO_MERGE
#define SLAB_NO_MERGE	0
#endif

/*
 * crc32c() tells whether it has an instruction.  Before, it is the crypto API's best
 * driver; the generic one of arm64 takes instructions, too.
 */
#ifndef CRC32C_OPTIMIZATION
#define CRC32C_OPTIMIZATION	1U
static inline u32 crc32_optimizations(void)
{
	struct crypto_shash *tfm = crypto_alloc_shash("crc32c", 0, 0);
	u32 fast = CRC32C_OPTIMIZATION;

	if (IS_ERR(tfm))
		return fast;
	if (!IS_ENABLED(CONFIG_ARM64) &&
	    !strcmp(crypto_shash_driver_name(tfm), "crc32c-generic"))
		fast = 0;
	crypto_free_shash(tfm);
	return fast;
}
#endif

/* Memory for an object, by its type */
#ifndef kzalloc_obj
#define kzalloc_obj(p, ...) kzalloc(sizeof(p), GFP_KERNEL)
#endif

#endif /* DSFS_COMPAT_H */
