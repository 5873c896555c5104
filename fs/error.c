// SPDX-License-Identifier: GPL-2.0
/*
 * Error reporting: messages of a mount attempt, and rate-limited messages of a
 * mounted image.
 *
 * Every other file reports errors, and this one depends on none of them.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"

/*
 * dsfs_fc_log - report an error (@level 'e') or a warning ('w') of a mount attempt, to the
 * kernel log, and to that of the mount context if userspace holds it open
 */
void dsfs_fc_log(struct fs_context *fc, struct super_block *sb, char level,
		 const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	if (level == 'e')
		pr_err("dsfs (%s): %pV\n", sb->s_id, &vaf);
	else
		pr_warn("dsfs (%s): %pV\n", sb->s_id, &vaf);
	if (fc->log.log)
		logfc(fc->log.log, fc->log.prefix, level, "%pV", &vaf);
	va_end(args);
}

/*
 * dsfs_error_limited - report an error that can repeat, with a rate limit
 *
 * Each mount has one limit for each kind, DSFS_LIMIT_*, so that the first
 * message is not suppressed by messages of another mount or of another kind.
 */
void dsfs_error_limited(struct super_block *sb, unsigned int kind, const char *fmt, ...)
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

/* dsfs_corrupt - report and count a structure that broke the rule @err; returns @ret */
int dsfs_corrupt(struct super_block *sb, u64 ino, const struct dsfs_err *err, int ret)
{
	if (ret == -ENOMEM || ret == -EINTR)
		return ret;
	/* Errors of metadata blocks were counted when the block was read. */
	if (ret != -EIO && ret != -EBADMSG)
		atomic64_inc(&DSFS_SB(sb)->struct_errors);
	dsfs_error_limited(sb, DSFS_LIMIT_STRUCT,
			   "inode %llu: %s: value %llu, limit %llu (error %d)",
			   ino, err->what ? err->what : "unreadable metadata",
			   err->value, err->limit, ret);
	return ret;
}
