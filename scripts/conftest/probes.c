// SPDX-License-Identifier: GPL-2.0
/*
 * What fs/compat.h wants to know of a kernel.  Each part is compiled alone, by
 * scripts/conftest/run: the kernel has it if the part compiles.  A name alone is
 * asked for where that is enough, a type where a vendor may have taken one change
 * without the other.
 */
#include <linux/bio.h>
#include <linux/exportfs.h>
#include <linux/fileattr.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/posix_acl_xattr.h>
#include <linux/workqueue.h>
#include <linux/xattr.h>

#define DSFS_SAME_TYPE(a, b) static_assert(__builtin_types_compatible_p(a, b))

#if defined(PROBE_BASE)
/* The headers alone: without them no answer is worth anything. */

#elif defined(PROBE_NOTHING)
/* Nobody has it: a compiler that takes this takes everything. */
int probe(struct inode *inode)
{
	return dsfs_no_kernel_has_this(inode);
}

#elif defined(PROBE_GET_INODE_ACL)
DSFS_SAME_TYPE(typeof_member(const struct inode_operations, get_inode_acl),
	       struct posix_acl *(*)(struct inode *, int, bool));

#elif defined(PROBE_MNT_IDMAP)
DSFS_SAME_TYPE(typeof_member(const struct inode_operations, getattr),
	       int (*)(struct mnt_idmap *, const struct path *, struct kstat *,
		       u32, unsigned int));

#elif defined(PROBE_NOP_POSIX_ACL)
const void *probe(void)
{
	return &nop_posix_acl_access;
}

#elif defined(PROBE_GENERIC_FILE_SPLICE_READ)
const void *probe(void)
{
	return &generic_file_splice_read;
}

#elif defined(PROBE_FILLATTR_MASK)
void probe(struct inode *inode, struct kstat *stat)
{
	generic_fillattr(NULL, 0, inode, stat);
}

#elif defined(PROBE_RELEASE_FAULT_LOCK)
void probe(struct vm_fault *vmf)
{
	release_fault_lock(vmf);
}

#elif defined(PROBE_SET_CTIME)
void probe(struct inode *inode, struct timespec64 ts)
{
	inode_set_ctime_to_ts(inode, ts);
}

#elif defined(PROBE_SET_ATIME)
void probe(struct inode *inode, struct timespec64 ts)
{
	inode_set_atime_to_ts(inode, ts);
	inode_set_mtime_to_ts(inode, ts);
}

#elif defined(PROBE_CONST_XATTR_TABLE)
DSFS_SAME_TYPE(typeof_member(struct super_block, s_xattr),
	       const struct xattr_handler * const *);

#elif defined(PROBE_ENCODE_INO32)
const void *probe(void)
{
	return &generic_encode_ino32_fh;
}

#elif defined(PROBE_ERROR_REMOVE_FOLIO)
int probe(struct address_space *mapping, struct folio *folio)
{
	return generic_error_remove_folio(mapping, folio);
}

#elif defined(PROBE_BDEV_FILE)
DSFS_SAME_TYPE(typeof_member(struct super_block, s_bdev_file), struct file *);

#elif defined(PROBE_SUPER_SET_UUID)
void probe(struct super_block *sb, const u8 *uuid)
{
	super_set_uuid(sb, uuid, 16);
	super_set_sysfs_name_bdev(sb);
}

#elif defined(PROBE_FOLIO_ORDER_RANGE)
unsigned int probe(struct address_space *mapping)
{
	mapping_set_folio_order_range(mapping, 0, 1);
	return mapping_min_folio_order(mapping) +
	       mapping_max_folio_order(mapping);
}

#elif defined(PROBE_FILE_KATTR)
void probe(struct file_kattr *fa)
{
	fileattr_fill_flags(fa, 0);
}

#elif defined(PROBE_WQ_PERCPU)
int probe(void)
{
	return WQ_PERCPU;
}

#elif defined(PROBE_INODE_STATE_READ)
bool probe(struct inode *inode)
{
	return inode_state_read_once(inode) & I_NEW;
}

#else
#error no such probe
#endif
