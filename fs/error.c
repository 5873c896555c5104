// SPDX-License-Identifier: GPL-2.0
/*
 * Error reporting: messages of a mount attempt, and rate-limited messages of a mounted
 * image.
 *
 * It is a file of its own because every other file reports errors, and this one needs
 * none of them.
 */
#include "internal.h"

/**
 * dsfs_fc_error - say why a mount fails
 * @fc: its context: whoever holds it open can read the message there
 * @sb: named in the kernel log, where the message goes as well
 * @fmt: as for printk(), without the end of line
 */
void dsfs_fc_error(struct fs_context *fc, struct super_block *sb,
		   const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	pr_err("dsfs (%s): %pV\n", sb->s_id, &vaf);
	if (fc->log.log)
		errorf(fc, "%pV", &vaf);
	va_end(args);
}

/**
 * dsfs_fc_warn - say what is wrong with an image that is mounted all the same
 * @fc: see dsfs_fc_error()
 * @sb: likewise
 * @fmt: likewise
 */
void dsfs_fc_warn(struct fs_context *fc, struct super_block *sb,
		  const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	pr_warn("dsfs (%s): %pV\n", sb->s_id, &vaf);
	if (fc->log.log)
		warnf(fc, "%pV", &vaf);
	va_end(args);
}

/**
 * dsfs_error_limited - say what an image or a device can cause again and again
 * @sb: the image
 * @kind: DSFS_LIMIT_*
 * @fmt: message without newline
 *
 * Each mount has its own limits, one for each kind: neither another image nor a
 * storm of another kind keeps the first message from being seen.
 */
void dsfs_error_limited(struct super_block *sb, unsigned int kind,
			const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	if (!__ratelimit(&DSFS_SB(sb)->limits[kind]))
		return;
	va_start(args, fmt);
	vaf.va = &args;
	pr_err("dsfs (%s): %pV\n", sb->s_id, &vaf);
	va_end(args);
}

/**
 * dsfs_corrupt - say that a structure broke a rule
 * @sb: the image
 * @ino: inode that led there
 * @err: what is wrong
 * @ret: errno of the failure
 *
 * Return: @ret.
 */
int dsfs_corrupt(struct super_block *sb, u64 ino, const struct dsfs_err *err,
		 int ret)
{
	if (ret == -ENOMEM || ret == -EINTR)
		return ret;
	/* Metadata that could not be had was counted where it was read. */
	if (ret != -EIO && ret != -EBADMSG)
		atomic64_inc(&DSFS_SB(sb)->struct_errors);
	dsfs_error_limited(sb, DSFS_LIMIT_STRUCT,
			   "inode %llu: %s: value %llu, limit %llu (error %d)",
			   ino, err->what ? err->what : "unreadable metadata",
			   err->value, err->limit, ret);
	return ret;
}
