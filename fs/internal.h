/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel side keeps in memory, and who calls whom across files.
 */
#ifndef DSFS_INTERNAL_H
#define DSFS_INTERNAL_H

#include "libdsfs.h"

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/kobject.h>
#include <linux/printk.h>
#include <linux/sizes.h>

#include "compat.h"

enum dsfs_meta_mode {
	DSFS_META_RESIDENT,	/* read and verified at mount, kept to the end */
	DSFS_META_LAZY,		/* read and verified when needed, reclaimable */
};

/**
 * struct dsfs_options - mount options
 * @wholefile: files up to this many bytes are brought in whole by a first read
 * @meta: where metadata is kept
 * @verify: data is checked against its checksums
 */
struct dsfs_options {
	u64 wholefile;
	enum dsfs_meta_mode meta;
	bool verify;
};

#define DSFS_WHOLEFILE_DEFAULT	SZ_1M
#define DSFS_WHOLEFILE_MAX	SZ_1G

/* Metadata is kept in groups of 512 blocks: a page of pointers each. */
#define DSFS_GROUP_BITS		9
#define DSFS_GROUP_BLOCKS	512U
static_assert(DSFS_GROUP_BLOCKS == 1U << DSFS_GROUP_BITS);

struct dsfs_group {
	void *block[DSFS_GROUP_BLOCKS];
};

/**
 * struct dsfs_source - the metadata of a mounted generation
 * @sb: its superblock
 * @geo: geometry
 * @groups: resident blocks; a missing group or block is read through @lazy.
 *	Written at mount alone.
 * @nr_groups: how many
 * @lazy: its page cache holds what is not resident
 * @resident_bytes: memory that resident blocks take
 * @bad_blocks: blocks that could not be read or verified at mount
 */
struct dsfs_source {
	struct super_block *sb;
	struct dsfs_geo geo;
	struct dsfs_group **groups;
	unsigned long nr_groups;
	struct inode *lazy;
	u64 resident_bytes;
	u64 bad_blocks;
};

/**
 * struct dsfs_sb_info - a mounted image
 * @src: its metadata
 * @opt: options; wholefile may change by remount
 * @ra_pages: readahead window of files above the wholefile limit, in pages
 * @sum_errors: data chunks whose checksum was wrong
 * @io_errors: data reads that the device failed
 * @struct_errors: structures that broke a rule
 * @kobj: /sys/fs/dsfs/<device>
 * @kobj_gone: completed when nobody reads there any more
 */
struct dsfs_sb_info {
	struct dsfs_source src;
	struct dsfs_options opt;
	unsigned long ra_pages;
	atomic64_t sum_errors;
	atomic64_t io_errors;
	atomic64_t struct_errors;
	struct kobject kobj;
	struct completion kobj_gone;
};

/**
 * struct dsfs_inode_info - an inode in memory
 * @start: of a regular file: byte offset of its data; of a directory: index of
 *	its record; of a symlink: offset of its target
 * @ext: index of its side record plus one, or 0
 * @flags: DSFS_INODE_*
 *
 * All else that is ever needed is an addition away in resident metadata.
 */
struct dsfs_inode_info {
	u64 start;
	u32 ext;
	u16 flags;
	struct inode vfs_inode;
};

static inline struct dsfs_sb_info *DSFS_SB(const struct super_block *sb)
{
	return sb->s_fs_info;
}

static inline struct dsfs_inode_info *DSFS_I(const struct inode *inode)
{
	return container_of(inode, struct dsfs_inode_info, vfs_inode);
}

static inline struct dsfs_source *dsfs_src(const struct super_block *sb)
{
	return &DSFS_SB(sb)->src;
}

static inline const struct dsfs_geo *dsfs_geo(const struct super_block *sb)
{
	return &DSFS_SB(sb)->src.geo;
}

/* The part of an inode record that libdsfs needs to find data and xattrs. */
static inline void dsfs_inode_attr(const struct inode *inode,
				   struct dsfs_attr *attr)
{
	const struct dsfs_inode_info *di = DSFS_I(inode);

	memset(attr, 0, sizeof(*attr));
	attr->ino = inode->i_ino;
	attr->mode = inode->i_mode;
	attr->size = i_size_read(inode);
	attr->start = di->start;
	attr->ext = di->ext;
	attr->flags = di->flags;
}

static inline bool dsfs_verifies(const struct super_block *sb)
{
	return dsfs_geo(sb)->chunk_bits && DSFS_SB(sb)->opt.verify;
}

#define dsfs_info(sb, fmt, ...) \
	pr_info("dsfs (%s): " fmt "\n", (sb)->s_id, ##__VA_ARGS__)
#define dsfs_error_limited(sb, fmt, ...) \
	pr_err_ratelimited("dsfs (%s): " fmt "\n", (sb)->s_id, ##__VA_ARGS__)

/* super.c */
__printf(3, 4)
void dsfs_fc_error(struct fs_context *fc, struct super_block *sb,
		   const char *fmt, ...);
__printf(3, 4)
void dsfs_fc_warn(struct fs_context *fc, struct super_block *sb,
		  const char *fmt, ...);
int dsfs_corrupt(struct super_block *sb, u64 ino, const struct dsfs_err *err,
		 int ret);

/* options.c */
extern const struct fs_parameter_spec dsfs_parameters[];
int dsfs_parse_param(struct fs_context *fc, struct fs_parameter *param);
int dsfs_show_options(struct seq_file *seq, struct dentry *root);

/* sb.c */
int dsfs_read_super(struct super_block *sb, struct fs_context *fc);

/* meta.c */
int dsfs_bdev_read(struct super_block *sb, u64 pos, void *p, unsigned int len);
int dsfs_meta_open(struct dsfs_source *src, struct fs_context *fc,
		   enum dsfs_meta_mode mode);
void dsfs_meta_close(struct dsfs_source *src);

/* inode.c */
extern const struct inode_operations dsfs_symlink_iops;
extern const struct inode_operations dsfs_special_iops;
struct inode *dsfs_iget(struct super_block *sb, u32 ino);
int dsfs_getattr(struct mnt_idmap *idmap, const struct path *path,
		 struct kstat *stat, u32 request_mask, unsigned int flags);

/* namei.c */
extern const struct inode_operations dsfs_dir_iops;
struct dentry *dsfs_get_parent(struct dentry *child);

/* dir.c */
extern const struct file_operations dsfs_dir_fops;

/* data.c */
extern const struct address_space_operations dsfs_aops;

/* submit.c */
int dsfs_submit_init(void);
void dsfs_submit_flush(void);
void dsfs_submit_exit(void);

/* whole.c */
void dsfs_whole_read(struct file *file);

/* file.c */
extern const struct inode_operations dsfs_file_iops;
extern const struct file_operations dsfs_file_fops;
bool dsfs_dio_direct(const struct inode *inode);
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
