// SPDX-License-Identifier: GPL-2.0
/*
 * The VFS's own floor of a lookup: a file system without a device whose lookup
 * makes an inode from nothing.  Any name like img_12345678.jpg is a file, and
 * the digits are its inode number.
 *
 * No file system with file handles and hard links can have a cheaper stat on this kernel: it
 * hashes its inodes, as iget_locked() does here.
 */
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/module.h>

#include "compat.h"

#define FLOOR_MAGIC	0x464c4f52
#define FLOOR_ROOT_INO	1

/* img_12345678.jpg */
#define FLOOR_NAME_LEN		16
#define FLOOR_DIGITS		4
#define FLOOR_DIGITS_END	12

/* Files begin behind the root; 0: no file has this name. */
static unsigned long floor_ino(const struct qstr *name)
{
	unsigned long ino = 0;
	unsigned int i;

	if (name->len != FLOOR_NAME_LEN)
		return 0;
	for (i = FLOOR_DIGITS; i < FLOOR_DIGITS_END; i++)
		ino = ino * 10 + (name->name[i] - '0');
	return ino + FLOOR_ROOT_INO + 1;
}

static const struct inode_operations floor_file_iops;
static const struct file_operations floor_file_fops;

static void floor_fill(struct inode *inode)
{
	inode->i_mode = S_IFREG | 0644;
	inode->i_op = &floor_file_iops;
	inode->i_fop = &floor_file_fops;
	set_nlink(inode, 1);
	i_uid_write(inode, 0);
	i_gid_write(inode, 0);
	i_size_write(inode, 10);
	inode->i_blocks = 1;
	inode_set_atime_to_ts(inode, ns_to_timespec64(1700000000000000000));
	inode_set_mtime_to_ts(inode, ns_to_timespec64(1700000000000000000));
	inode_set_ctime_to_ts(inode, ns_to_timespec64(1700000000000000000));
}

static struct inode *floor_get(struct super_block *sb, unsigned long ino)
{
	struct inode *inode = iget_locked(sb, ino);

	if (inode && inode_state_read_once(inode) & I_NEW) {
		floor_fill(inode);
		unlock_new_inode(inode);
	}
	return inode;
}

static struct dentry *floor_lookup(struct inode *dir, struct dentry *dentry,
				   unsigned int flags)
{
	const unsigned long ino = floor_ino(&dentry->d_name);
	struct inode *inode;

	if (!ino)
		return ERR_PTR(-ENOENT);
	inode = floor_get(dir->i_sb, ino);
	if (!inode)
		return ERR_PTR(-ENOMEM);
	return d_splice_alias(inode, dentry);
}

static const struct inode_operations floor_dir_iops = {
	.lookup	= floor_lookup,
};

static const struct file_operations floor_dir_fops = {
	.read	= generic_read_dir,
};

static const struct super_operations floor_sops = {
	.statfs	= simple_statfs,
};

static int floor_fill_super(struct super_block *sb, struct fs_context *fc)
{
	struct inode *root;

	sb->s_flags |= SB_RDONLY | SB_NOATIME;
	sb->s_magic = FLOOR_MAGIC;
	sb->s_op = &floor_sops;
	sb->s_time_gran = 1;
	root = new_inode(sb);
	if (!root)
		return -ENOMEM;
	root->i_ino = FLOOR_ROOT_INO;
	root->i_mode = S_IFDIR | 0755;
	root->i_op = &floor_dir_iops;
	root->i_fop = &floor_dir_fops;
	set_nlink(root, 2);
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}

static int floor_get_tree(struct fs_context *fc)
{
	return get_tree_nodev(fc, floor_fill_super);
}

static const struct fs_context_operations floor_context_ops = {
	.get_tree	= floor_get_tree,
};

static int floor_init_fs_context(struct fs_context *fc)
{
	fc->ops = &floor_context_ops;
	return 0;
}

static struct file_system_type floor_type = {
	.owner			= THIS_MODULE,
	.name			= "floor",
	.init_fs_context	= floor_init_fs_context,
	.kill_sb		= kill_anon_super,
};

static int __init floor_init(void)
{
	return register_filesystem(&floor_type);
}

static void __exit floor_exit(void)
{
	unregister_filesystem(&floor_type);
}

module_init(floor_init);
module_exit(floor_exit);

MODULE_DESCRIPTION("What a lookup costs without a file system");
MODULE_AUTHOR("DSFS developers");
MODULE_LICENSE("GPL");
MODULE_ALIAS_FS("floor");
