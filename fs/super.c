// SPDX-License-Identifier: GPL-2.0
/*
 * Mount, unmount and remount; module init and exit.
 *
 * The file system is always read-only. SB_RDONLY is set before the device is
 * opened, because read-only devices, such as a mapped RBD snapshot, do not open
 * otherwise.
 */
#include "cache.h"
#include "stats.h"
#include "unpack.h"

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/statfs.h>

static int dsfs_statfs(struct dentry *dentry, struct kstatfs *st)
{
	const struct dsfs_geo *geo = dsfs_geo(dentry->d_sb);

	st->f_type = DSFS_SUPER_MAGIC;
	st->f_bsize = DSFS_BLOCK_SIZE;
	st->f_blocks = geo->image_bytes >> DSFS_BLOCK_BITS;
	st->f_files = geo->inodes - 1;
	st->f_namelen = DSFS_NAME_MAX;
	/* Generations and copies of an image have its UUID. */
	st->f_fsid = u64_to_fsid(huge_encode_dev(dentry->d_sb->s_bdev->bd_dev));
	return 0;
}

/* Free what dsfs_fill_super() has set up, when there are no readers any more. */
static void dsfs_put_super(struct super_block *sb)
{
	struct dsfs_sb_info *sbi = DSFS_SB(sb);

	dsfs_sysfs_remove(sb);
	dsfs_meta_close(&sbi->src);
	/* A send, or a completion, may still be running. */
	if (sbi->send_wq)
		destroy_workqueue(sbi->send_wq);
	if (sbi->read_wq)
		destroy_workqueue(sbi->read_wq);
	dsfs_cache_exit(sb);
}

static const struct super_operations dsfs_sops = {
	.free_inode	= dsfs_free_inode,
	.statfs		= dsfs_statfs,
	.put_super	= dsfs_put_super,
	.show_options	= dsfs_show_options,
};

/* Reject a device whose logical blocks are larger than the alignment of the image. */
static int dsfs_check_device(struct super_block *sb, struct fs_context *fc,
			     unsigned int align)
{
	unsigned int lbs = bdev_logical_block_size(sb->s_bdev);

	if (lbs <= align)
		return 0;
	dsfs_fc_error(fc, sb,
		      "logical block size of the device is %u, more than the image's alignment of %u",
		      lbs, align);
	return -EINVAL;
}

/*
 * Readahead window of large files: what the queue of the device holds, up to 4 MiB.
 * Requests may be small and far, as on a network block device, whose latency is only
 * hidden by many of them.
 */
static void dsfs_set_window(struct super_block *sb)
{
	struct request_queue *q = bdev_get_queue(sb->s_bdev);
	const u64 request = (u64)queue_max_sectors(q) << SECTOR_SHIFT;
	const u64 bytes = clamp_t(u64, request * q->nr_requests, SZ_128K, SZ_4M);
	struct dsfs_sb_info *sbi = DSFS_SB(sb);

	sbi->ra_default = max_t(u64, VM_READAHEAD_PAGES,
				2 * (queue_io_opt(q) ? : request) >> PAGE_SHIFT);
	sbi->ra_pages = bytes >> PAGE_SHIFT;
}

#define DSFS_READS_WAITING	4	/* on a CPU; with more it has fallen behind */

/*
 * One queue for each mount, so that neither work nor an unmount waits for the
 * device of another mount. It has a rescuer, because memory may be short just
 * while tasks wait for these reads.
 *
 * Bound to the CPU that took the interrupt, if it has not fallen behind, so that no other CPU is
 * woken, and one work item at a time runs there. Normal priority: hints
 * and readahead must not take more than a task's share from other
 * tasks. An unbound or CPU-intensive queue runs many workers at once,
 * which take as much as high priority does (design.rst).
 *
 * What a task leaves to be sent takes microseconds, and does not wait in line behind that.
 */
static int dsfs_make_queues(struct super_block *sb)
{
	struct dsfs_sb_info *sbi = DSFS_SB(sb);

	sbi->read_wq = alloc_workqueue("dsfs-%s", WQ_PERCPU | WQ_MEM_RECLAIM,
				       DSFS_READS_WAITING, sb->s_id);
	sbi->send_wq = alloc_workqueue("dsfs-send-%s", WQ_UNBOUND | WQ_MEM_RECLAIM, 0, sb->s_id);
	return sbi->read_wq && sbi->send_wq ? 0 : -ENOMEM;
}

static int dsfs_may_unpack(struct super_block *sb, struct fs_context *fc)
{
	if (IS_ENABLED(CONFIG_DSFS_COMPRESSION) ||
	    !(dsfs_geo(sb)->incompat & DSFS_INCOMPAT_COMPRESSED))
		return 0;
	dsfs_fc_error(fc, sb,
		      "the image has compressed files, and dsfs was built without CONFIG_DSFS_COMPRESSION");
	return -EOPNOTSUPP;
}

static int dsfs_make_root(struct super_block *sb, struct fs_context *fc)
{
	struct inode *root = dsfs_iget(sb, DSFS_ROOT_INO, DSFS_NO_PLACE);

	if (IS_ERR(root)) {
		dsfs_fc_error(fc, sb, "root directory: error %ld", PTR_ERR(root));
		return PTR_ERR(root) == -ESTALE ? -EUCLEAN : PTR_ERR(root);
	}
	if (!S_ISDIR(root->i_mode)) {
		dsfs_fc_error(fc, sb, "root directory: mode is %o", root->i_mode);
		iput(root);
		return -EUCLEAN;
	}
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}

static void dsfs_log_mount(struct super_block *sb)
{
	const struct dsfs_source *src = dsfs_src(sb);
	const struct dsfs_geo *geo = &src->geo;

	pr_info("dsfs (%s): mounted generation %llu, %llu files, %llu KiB of metadata (%llu KiB in memory), data checksums %s\n",
		sb->s_id, geo->generation, geo->files, geo->meta_bytes >> 10,
		src->resident_bytes >> 10,
		!geo->chunk_bits ? "absent" :
		dsfs_verifies(sb) ? "verified" : "ignored");
}

static int dsfs_fill_super(struct super_block *sb, struct fs_context *fc)
{
	struct dsfs_sb_info *sbi = DSFS_SB(sb);
	const struct dsfs_geo *geo = &sbi->src.geo;
	int ret;

	sbi->src.sb = sb;
	sb->s_flags |= SB_RDONLY | SB_NOATIME | SB_POSIXACL;
	sb->s_magic = DSFS_SUPER_MAGIC;
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_blocksize = DSFS_BLOCK_SIZE;
	sb->s_blocksize_bits = DSFS_BLOCK_BITS;
	sb->s_time_gran = 1;
	sb->s_time_min = div_s64(S64_MIN, NSEC_PER_SEC) - 1;
	sb->s_time_max = div_s64(S64_MAX, NSEC_PER_SEC);
	sb->s_op = &dsfs_sops;
	sb->s_export_op = &dsfs_export_ops;
	sb->s_xattr = dsfs_xattr_handlers;

	sbi->stats = __alloc_percpu(DSFS_COUNTERS * sizeof(u64), sizeof(u64));
	if (!sbi->stats)
		return -ENOMEM;
	/* Superblocks and metadata have this alignment; data is checked below. */
	ret = dsfs_check_device(sb, fc, DSFS_BLOCK_SIZE);
	if (!ret)
		ret = dsfs_read_super(sb, fc, sbi->opt.generation, &sbi->src.geo);
	if (!ret)
		ret = dsfs_check_device(sb, fc, 1U << geo->align_bits);
	if (ret)
		return ret;
	super_set_uuid(sb, geo->uuid, sizeof(geo->uuid));
	super_set_sysfs_name_bdev(sb);
	dsfs_set_window(sb);

	ret = dsfs_may_unpack(sb, fc);
	if (!ret)
		ret = dsfs_make_queues(sb);
	if (!ret)
		ret = dsfs_meta_open(&sbi->src, fc, sbi->opt.meta);
	if (!ret)
		ret = dsfs_cache_init(sb);
	if (!ret)
		ret = dsfs_sysfs_add(sb);
	/* Last: with a root the VFS calls dsfs_put_super(), too. */
	if (!ret)
		ret = dsfs_make_root(sb, fc);
	if (ret)
		dsfs_put_super(sb);
	else
		dsfs_log_mount(sb);
	return ret;
}

/* Check whether a mount with options @opt of the image @asked may share a super block. */
static int dsfs_may_share(struct super_block *sb, struct fs_context *fc,
			  const struct dsfs_options *opt, const struct dsfs_geo *asked)
{
	const struct dsfs_options *have = &DSFS_SB(sb)->opt;
	const struct dsfs_geo *mounted = dsfs_geo(sb);

	if (have->meta != opt->meta || have->verify != opt->verify ||
	    have->wholefile != opt->wholefile || have->cache != opt->cache)
		dsfs_fc_error(fc, sb, "already mounted with other options");
	else if (asked->generation != mounted->generation)
		dsfs_fc_error(fc, sb,
			      "generation %llu is mounted, generation %llu was asked for: it needs a device of its own, such as a loop device",
			      mounted->generation, asked->generation);
	/* igeneration covers the whole superblock. */
	else if (asked->igeneration != mounted->igeneration ||
		 memcmp(asked->uuid, mounted->uuid, sizeof(asked->uuid)))
		dsfs_fc_error(fc, sb,
			      "the device holds another image than the one that is mounted: unmount that first");
	else
		return 0;
	return -EBUSY;
}

/*
 * A second mount of a device shares the super block of the first one. On shared storage,
 * another node may have updated or replaced the image, so it is read again: without s_umount,
 * which sync(2) of anybody takes. The mount that is being made keeps the super block.
 */
static int dsfs_share(struct super_block *sb, struct fs_context *fc,
		      const struct dsfs_options *opt)
{
	struct dsfs_geo asked;
	int ret;

	up_write(&sb->s_umount);
	ret = dsfs_read_super(sb, fc, opt->generation, &asked);
	down_write(&sb->s_umount);
	return ret ? : dsfs_may_share(sb, fc, opt, &asked);
}

static int dsfs_get_tree(struct fs_context *fc)
{
	const struct dsfs_sb_info *ours;
	struct super_block *sb;
	int ret;

	fc->sb_flags |= SB_RDONLY;
	ret = get_tree_bdev(fc, dsfs_fill_super);
	if (ret)
		return ret;
	/* A new super block took over s_fs_info. */
	ours = fc->s_fs_info;
	if (!ours)
		return 0;

	sb = fc->root->d_sb;
	ret = dsfs_share(sb, fc, &ours->opt);
	if (!ret)
		return 0;
	dput(fc->root);
	fc->root = NULL;
	deactivate_locked_super(sb);
	return ret;
}

static int dsfs_reconfigure(struct fs_context *fc)
{
	const struct dsfs_sb_info *asked = fc->s_fs_info;
	struct super_block *sb = fc->root->d_sb;
	struct dsfs_sb_info *sbi = DSFS_SB(sb);
	const char *fixed = NULL;

	fc->sb_flags |= SB_RDONLY;
	if (asked->opt.meta != sbi->opt.meta)
		fixed = "meta";
	if (asked->opt.generation && asked->opt.generation != sbi->src.geo.generation)
		fixed = "generation";
	/* Cached data was read with the old setting. */
	if (asked->opt.verify != sbi->opt.verify)
		fixed = "verify";
	if (fixed) {
		dsfs_fc_error(fc, sb, "%s= cannot be changed by a remount", fixed);
		return -EINVAL;
	}
	WRITE_ONCE(sbi->opt.wholefile, asked->opt.wholefile);
	WRITE_ONCE(sbi->opt.cache, asked->opt.cache);
	return 0;
}

static void dsfs_free_fc(struct fs_context *fc)
{
	kfree(fc->s_fs_info);
}

static const struct fs_context_operations dsfs_context_ops = {
	.parse_param	= dsfs_parse_param,
	.get_tree	= dsfs_get_tree,
	.reconfigure	= dsfs_reconfigure,
	.free		= dsfs_free_fc,
};

static int dsfs_init_fs_context(struct fs_context *fc)
{
	struct dsfs_sb_info *sbi = kzalloc_obj(*sbi);
	int i;

	if (!sbi)
		return -ENOMEM;
	for (i = 0; i < DSFS_LIMITS; i++)
		ratelimit_default_init(&sbi->limits[i]);
	sbi->opt.meta = DSFS_META_RESIDENT;
	sbi->opt.verify = true;
	sbi->opt.wholefile = DSFS_WHOLEFILE_DEFAULT;
	/* A remount changes only the options that it names. */
	if (fc->purpose == FS_CONTEXT_FOR_RECONFIGURE)
		sbi->opt = DSFS_SB(fc->root->d_sb)->opt;
	fc->s_fs_info = sbi;
	fc->ops = &dsfs_context_ops;
	return 0;
}

static void dsfs_kill_sb(struct super_block *sb)
{
	struct dsfs_sb_info *sbi = DSFS_SB(sb);

	kill_block_super(sb);
	free_percpu(sbi->stats);
	kfree(sbi);
}

static struct file_system_type dsfs_fs_type = {
	.owner			= THIS_MODULE,
	.name			= "dsfs",
	.init_fs_context	= dsfs_init_fs_context,
	.parameters		= dsfs_parameters,
	.kill_sb		= dsfs_kill_sb,
	.fs_flags		= FS_REQUIRES_DEV | FS_ALLOW_IDMAP,
};
MODULE_ALIAS_FS("dsfs");

static int __init dsfs_init(void)
{
	int ret = dsfs_sysfs_init();

	if (ret)
		return ret;
	ret = register_filesystem(&dsfs_fs_type);
	if (ret)
		dsfs_sysfs_exit();
	return ret;
}

static void __exit dsfs_exit(void)
{
	unregister_filesystem(&dsfs_fs_type);
	/* dsfs_free_inode() and dsfs_mem_free(), which may run after the unmount */
	rcu_barrier();
	if (IS_ENABLED(CONFIG_DSFS_COMPRESSION))
		dsfs_unpack_free();
	dsfs_sysfs_exit();
}

module_init(dsfs_init);
module_exit(dsfs_exit);

MODULE_DESCRIPTION("Dataset file system");
MODULE_AUTHOR("DSFS developers");
MODULE_LICENSE("GPL");
MODULE_SOFTDEP("pre: crc32c");
