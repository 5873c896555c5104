// SPDX-License-Identifier: GPL-2.0
/*
 * Hard-link entries: the inodes that they refer to, and how many each inode has.
 */
#include "fsck.h"

static int hardlink_cmp(const void *a, const void *b)
{
	const struct fhardlink *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* First hard-link entry of a target that is not below @target. */
static size_t lower_bound(const struct fsck *f, u64 target)
{
	const struct fhardlink *s = f->hardlinks.p;
	size_t lo = 0, hi = f->hardlinks.n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s[mid].target < target)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

u32 hardlinks_of(const struct fsck *f, u32 ino)
{
	if (!f->hardlinks.n)
		return 0;
	return lower_bound(f, (u64)ino + 1) - lower_bound(f, ino);
}

static void check_hardlink(struct fsck *f, const struct fhardlink *s)
{
	const u64 pos = inode_pos(f, s->ino);
	struct dsfs_attr hardlink, attr;
	struct dsfs_err err;

	if (dsfs_inode_get(f->src, s->ino, &hardlink, &err) ||
	    dsfs_inode_get(f->src, s->target, &attr, &err))
		return;		/* reported with the inode */
	if (dsfs_attr_is_hardlink(&attr))
		problem(f, "hard-link entry that refers to another", s->ino, pos,
			"inode %u", s->target);
	else if ((attr.mode ^ hardlink.mode) & S_IFMT)
		problem(f, "type of a hard-link entry", s->ino, pos, "%#o, expected %#o",
			hardlink.mode & S_IFMT, attr.mode & S_IFMT);
	if (s->target >= s->ino)
		problem(f, "hard-link entry below its inode", s->ino, pos, "inode %u", s->target);
}

int check_hardlinks(struct fsck *f)
{
	const struct fhardlink *s;
	size_t i;

	array_sort(&f->hardlinks, hardlink_cmp);
	s = f->hardlinks.p;
	for (i = 0; i < f->hardlinks.n && !stop_asked(); i++)
		check_hardlink(f, &s[i]);
	return 0;
}
