// SPDX-License-Identifier: GPL-2.0
/*
 * The note of the mounted generation: its digest, for sysfs.
 *
 * It is read at mount, so that nobody who reads sysfs waits for the device. No
 * object of the tree depends on it, so a broken note is reported and does not
 * fail the mount.
 */
#include "internal.h"

static int dsfs_note_get(struct dsfs_source *src, struct dsfs_mref *ref)
{
	const u64 at = src->geo.meta_bytes - DSFS_BLOCK_SIZE;

	ref->p = dsfs_resident(src, at >> DSFS_BLOCK_BITS);
	ref->priv = NULL;
	return ref->p ? 0 : dsfs_lazy_get(src, at, ref);
}

/**
 * dsfs_note_read - read the digest that the mounted generation keeps
 * @sb: the mount, with its metadata
 *
 * Return: 0, also for a bad note; -ENOMEM or -EINTR.
 */
int dsfs_note_read(struct super_block *sb)
{
	struct dsfs_sb_info *sbi = DSFS_SB(sb);
	const struct dsfs_note *note;
	struct dsfs_err err = {};
	struct dsfs_mref ref;
	int ret;

	if (!(dsfs_geo(sb)->compat & DSFS_COMPAT_NOTE))
		return 0;
	ret = dsfs_note_get(&sbi->src, &ref);
	/* A bad block was reported and counted when it was read. */
	if (ret)
		return ret == -EIO || ret == -EBADMSG ? 0 : ret;
	note = ref.p;
	if (dsfs_note_check(note, &err)) {
		atomic64_inc(&sbi->struct_errors);
		dsfs_error_limited(sb, DSFS_LIMIT_STRUCT,
				   "note at %llu: %s: value %llu, limit %llu",
				   dsfs_note_pos(dsfs_geo(sb)), err.what,
				   err.value, err.limit);
	} else {
		sbi->digest_kind = note->digest_kind;
		memcpy(sbi->digest, note->digest, sizeof(sbi->digest));
	}
	dsfs_meta_put(&ref);
	return 0;
}
