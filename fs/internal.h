/* SPDX-License-Identifier: GPL-2.0 */
/* In-memory structures of the file system, and the functions that its files share. */
#ifndef DSFS_INTERNAL_H
#define DSFS_INTERNAL_H

#include "format.h"

#include <linux/backing-dev-defs.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/iversion.h>
#include <linux/kobject.h>
#include <linux/pagemap.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>

#include "compat.h"

struct file_kattr;

enum dsfs_cache_policy {
	DSFS_CACHE_LRU,		/* replacement by the page cache */
	DSFS_CACHE_EPOCH,	/* admission by cache.c */
};

/* Mount options */
struct dsfs_options {
	u64 wholefile;		/* files of up to this many bytes are read whole */
	u64 generation;		/* generation to mount; 0: the newest */
	u64 meta;		/* bytes of metadata that may be resident */
	enum dsfs_cache_policy cache;
	bool verify;		/* data checksums */
};

/* Of dsfs_options.meta. What is resident is read and verified at mount, and kept. */
#define DSFS_META_RESIDENT	U64_MAX
/* Read and verified on demand, reclaimable */
#define DSFS_META_LAZY		0
/* Of a size: it is shown in KiB, with ten digits at most */
#define DSFS_META_BUDGET_MAX	BIT_ULL(40)

#define DSFS_WHOLEFILE_DEFAULT	SZ_1M
#define DSFS_WHOLEFILE_MAX	SZ_1G

/* Users whose hints are limited apart: 2^6, or less where hashes are equal */
#define DSFS_HINT_BITS		6

/* Kinds of rate-limited messages: see dsfs_error_limited() */
enum {
	DSFS_LIMIT_DATA,
	DSFS_LIMIT_META,
	DSFS_LIMIT_STRUCT,
	DSFS_LIMITS
};

/* A mount */
struct dsfs_sb_info {
	struct dsfs_source src;		/* metadata */
	struct dsfs_options opt;	/* a remount changes wholefile and cache */
	unsigned long ra_pages;		/* window of reads in order, above wholefile */
	unsigned long ra_default;	/* what the block layer may set for the device */
	struct workqueue_struct *read_wq; /* finishes reads that no task waits for */
	struct workqueue_struct *send_wq; /* sends those of tasks that have to give way */
	struct dsfs_cache *cache;	/* with any cache= */
	/* Written by each hint, so not beside what every read needs */
	atomic_long_t hinted ____cacheline_aligned_in_smp; /* MiB in flight because of hints */
	atomic_long_t hinted_by[1 << DSFS_HINT_BITS];	/* bytes, by a hash of the user */
	atomic64_t sum_errors;		/* of chunks, and of metadata not resident */
	atomic64_t io_errors;		/* of reads of the same */
	atomic64_t struct_errors;	/* structures that broke a rule */
	u64 __percpu *stats;		/* by enum dsfs_counter */
	struct ratelimit_state limits[DSFS_LIMITS];
	struct kobject kobj;		/* /sys/fs/dsfs/<device> */
	struct completion kobj_gone;	/* nobody uses it any more */
};

/*
 * i_private of a directory is a struct dsfs_dir_state; of a regular file, the bits
 * DSFS_FILE_*, and above them, for the epoch cache, the time of its last use.
 *
 * i_version, which nobody else uses of a file system that never changes, is the place of the
 * row, or DSFS_NO_PLACE of the root. So an inode needs no more than the VFS has: of a slab of
 * larger ones each 16 KiB would hold one less.
 */
static inline void dsfs_inode_set_place(struct inode *inode, u64 place)
{
	inode_set_iversion_raw(inode, place);
}

static inline u64 dsfs_inode_get_place(const struct inode *inode)
{
	return inode_peek_iversion_raw(inode);
}

enum {
	DSFS_FILE_TRANSIENT,	/* has pages that the epoch cache did not admit */
	DSFS_FILE_CLOSED,	/* these are to be dropped */
	DSFS_FILE_BITS
};

#define DSFS_FILE_FLAGS		(BIT(DSFS_FILE_BITS) - 1)

static inline struct dsfs_sb_info *DSFS_SB(const struct super_block *sb)
{
	return sb->s_fs_info;
}

static inline struct dsfs_source *dsfs_src(const struct super_block *sb)
{
	return &DSFS_SB(sb)->src;
}

static inline const struct dsfs_geo *dsfs_geo(const struct super_block *sb)
{
	return &DSFS_SB(sb)->src.geo;
}

/* Of a regular file */
static inline unsigned long *dsfs_file_state(struct inode *inode)
{
	return (unsigned long *)&inode->i_private;
}

/**
 * struct dsfs_dir_state - i_private of a directory
 * @info: its decoded directory record
 * @first_good: bit 0: dsfs_names_good() is true for its first name block; see dir.c
 */
struct dsfs_dir_state {
	struct dsfs_dir_info info;
	unsigned long first_good;
};

static inline struct dsfs_dir_state *dsfs_dir_state(const struct inode *dir)
{
	return dir->i_private;
}

/* Decoded directory record */
static inline const struct dsfs_dir_info *dsfs_dir(const struct inode *dir)
{
	return &dsfs_dir_state(dir)->info;
}

/*
 * True if nobody has changed read_ahead_kb of the device. The block layer sets twice
 * the device's optimal request or, without one, on some devices the largest, or this
 * constant.
 */
static inline bool dsfs_ra_default(const struct super_block *sb)
{
	const unsigned long pages = READ_ONCE(sb->s_bdi->ra_pages);

	return pages == VM_READAHEAD_PAGES || pages == DSFS_SB(sb)->ra_default;
}

static inline bool dsfs_verifies(const struct super_block *sb)
{
	return dsfs_geo(sb)->chunk_bits && DSFS_SB(sb)->opt.verify;
}

/* True if access to metadata may wait for the device */
static inline bool dsfs_meta_may_block(const struct super_block *sb)
{
	return !DSFS_SB(sb)->src.all;
}

/*
 * Largest folio of readahead, unless chunks are larger: larger folios save
 * little, and are harder to allocate.
 */
#define DSFS_FOLIO_MAX	SZ_256K

/* log2 of the size of a folio that is allocated with little effort */
#define DSFS_FOLIO_EASY_BITS	15

/* log2 of the pages of a unit, which is the block of a compressed file; 0 of other files */
static inline unsigned int dsfs_unit_order(const struct inode *inode)
{
	return inode->i_blkbits > PAGE_SHIFT ? inode->i_blkbits - PAGE_SHIFT : 0;
}

/* Order of the folios of a file: a unit of a compressed one, otherwise of 2^@bits bytes */
static inline unsigned int dsfs_order(const struct inode *inode, unsigned int bits)
{
	return dsfs_unit_order(inode) ? : max_t(unsigned int, bits, PAGE_SHIFT) - PAGE_SHIFT;
}

/*
 * Order of the folios of a file that is read whole: a unit, or a chunk of large files, or
 * more if that is easy to allocate. A small file may be one larger chunk.
 */
static inline unsigned int dsfs_whole_order(const struct inode *inode)
{
	return dsfs_order(inode, max(dsfs_geo(inode->i_sb)->chunk_bits ? : 16,
				     DSFS_FOLIO_EASY_BITS));
}

/* The bytes that are stored, also of a file with holes */
static inline u64 dsfs_stored(const struct inode *inode)
{
	return (u64)inode->i_blocks << SECTOR_SHIFT;
}

/*
 * Largest order of a folio that must be either good or bad as a whole: a chunk or a unit,
 * so that a bad one does not affect others. Of a file with holes this is a guess, as
 * chunks are counted in stored data.
 */
static inline unsigned int dsfs_chunk_order(const struct inode *inode)
{
	return dsfs_order(inode, dsfs_chunk_bits(dsfs_geo(inode->i_sb), dsfs_stored(inode)) ? : 16);
}

/*
 * log2 of how many times its stored data a compressed file is, rounded, up to 4 times.
 * What bounds requests counts stored data; what bounds memory counts contents.
 */
static inline unsigned int dsfs_ratio_bits(const struct inode *inode)
{
	const u64 stored = dsfs_stored(inode);

	if (!dsfs_unit_order(inode))
		return 0;
	return (2 * i_size_read(inode) >= 3 * stored) + (i_size_read(inode) >= 3 * stored);
}

/* Pages of a window of reads in order */
static inline pgoff_t dsfs_window(const struct inode *inode)
{
	return DSFS_SB(inode->i_sb)->ra_pages << dsfs_ratio_bits(inode);
}

/* Pages that are read together to verify or to unpack one of them */
static inline pgoff_t dsfs_chunk_pages(const struct inode *inode)
{
	return dsfs_unit_order(inode) || dsfs_verifies(inode->i_sb) ?
	       1UL << dsfs_chunk_order(inode) : 1;
}

#define dsfs_fc_error(fc, sb, fmt, ...) \
	dsfs_fc_log(fc, sb, 'e', fmt, ##__VA_ARGS__)
#define dsfs_fc_warn(fc, sb, fmt, ...) \
	dsfs_fc_log(fc, sb, 'w', fmt, ##__VA_ARGS__)

/* error.c */
__printf(4, 5)
void dsfs_fc_log(struct fs_context *fc, struct super_block *sb, char level,
		 const char *fmt, ...);
__printf(3, 4)
void dsfs_error_limited(struct super_block *sb, unsigned int kind, const char *fmt, ...);
int dsfs_corrupt(struct super_block *sb, u64 ino, const struct dsfs_err *err, int ret);

/* options.c */
extern const struct fs_parameter_spec dsfs_parameters[];
int dsfs_parse_param(struct fs_context *fc, struct fs_parameter *param);
int dsfs_show_options(struct seq_file *seq, struct dentry *root);

/* sb.c */
int dsfs_read_super(struct super_block *sb, struct fs_context *fc,
		    u64 generation, struct dsfs_geo *geo);

/* bdev.c */

/* Fail the mount rather than invoke the OOM killer. */
#define DSFS_MEM_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Most bytes of a read, and of each of its requests, which succeed or fail apart */
#define DSFS_BATCH_BYTES		SZ_16M
#define DSFS_PIECE_BYTES	SZ_256K
/* Metadata that is read together when it is not resident; see meta.c */
#define DSFS_LAZY_BYTES		SZ_16K

/**
 * struct dsfs_mem - memory that is read from the device at mount
 * @p: the memory
 * @bdev: the device, open as long as there are requests
 * @refs: of the owner, and one for each request in flight
 * @rcu: frees it when the owner did not wait
 * @piece: requests of the last read; @failed: the bytes must not be used
 */
struct dsfs_mem {
	void *p;
	struct file *bdev;
	atomic_t refs;
	struct rcu_head rcu;
	struct dsfs_piece {
		struct dsfs_mem *mem;
		bool failed;
	} piece[DSFS_BATCH_BYTES / DSFS_PIECE_BYTES];
};

/* True if the request for byte @at of the last read failed */
static inline bool dsfs_mem_failed(const struct dsfs_mem *mem, size_t at)
{
	return mem->piece[at / DSFS_PIECE_BYTES].failed;
}

struct dsfs_mem *dsfs_mem_new(struct super_block *sb, u64 bytes);
void dsfs_mem_put(struct dsfs_mem *mem);
int dsfs_mem_read(struct dsfs_mem *mem, struct super_block *sb, u64 pos, size_t off,
		  size_t len);

/* metaload.c */
bool dsfs_meta_block_good(const struct dsfs_source *src, u64 block, const void *p);
int dsfs_meta_open(struct dsfs_source *src, struct fs_context *fc, u64 budget);
void dsfs_meta_close(struct dsfs_source *src);

/* attr.c */
int dsfs_inode_attr(const struct inode *inode, struct dsfs_attr *attr,
		    struct dsfs_err *err);
bool dsfs_dio_direct(const struct inode *inode, struct dsfs_attr *attr);
int dsfs_getattr(struct mnt_idmap *idmap, const struct path *path,
		 struct kstat *stat, u32 request_mask, unsigned int flags);
int dsfs_fileattr_get(struct dentry *dentry, struct file_kattr *fa);

/* inode.c */
extern const struct inode_operations dsfs_symlink_iops;
extern const struct inode_operations dsfs_special_iops;
struct inode *dsfs_iget(struct super_block *sb, u32 ino, u64 place);
void dsfs_free_inode(struct inode *inode);

/* namei.c */
extern const struct inode_operations dsfs_dir_iops;
struct dentry *dsfs_get_parent(struct dentry *child);

/* dir.c */
extern const struct file_operations dsfs_dir_fops;

/* data.c */
extern const struct address_space_operations dsfs_aops;

/* ahead.c */
unsigned int dsfs_around_fault(const struct inode *inode);
vm_fault_t dsfs_fault(struct vm_fault *vmf);
void dsfs_range_hint(struct file *file, loff_t pos, loff_t len);

/* whole.c */
void dsfs_whole_read(struct file *file);
bool dsfs_whole_fault(struct vm_fault *vmf);
bool dsfs_whole_hint(struct file *file);

/* file.c */
extern const struct inode_operations dsfs_file_iops;
extern const struct file_operations dsfs_file_fops;
long dsfs_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* xattr.c */
extern const struct xattr_handler * const dsfs_xattr_handlers[];
ssize_t dsfs_listxattr(struct dentry *dentry, char *buffer, size_t size);
struct posix_acl *dsfs_get_acl(struct inode *inode, int type, bool rcu);

/* export.c */
extern const struct export_operations dsfs_export_ops;

/* sysfs.c */
int dsfs_sysfs_add(struct super_block *sb);
void dsfs_sysfs_remove(struct super_block *sb);
int dsfs_sysfs_init(void);
void dsfs_sysfs_exit(void);

#endif /* DSFS_INTERNAL_H */
