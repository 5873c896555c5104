// SPDX-License-Identifier: GPL-2.0
/*
 * Hard-link entries: the inodes that they refer to, and how many each inode has.  Numbers are
 * kept of inodes that have one alone.
 */
#include "fsck.h"

u32 hardlinks_of(const struct fsck *f, u32 ino)
{
	const struct links *at = f->links.p;
	size_t lo = 0, hi = f->links.n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (at[mid].ino < ino)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->links.n && at[lo].ino == ino ? at[lo].more : 0;
}

static void check_hardlink(struct fsck *f, u32 ino, u32 target)
{
	const u64 pos = inode_pos(f, ino);
	struct dsfs_attr hardlink, attr;
	struct dsfs_err err;

	if (dsfs_inode_get(f->src, ino, &hardlink, &err) ||
	    dsfs_inode_get(f->src, target, &attr, &err))
		return;		/* reported with the inode */
	if (dsfs_attr_is_hardlink(&attr))
		problem(f, "hard-link entry that refers to another", ino, pos,
			"inode %u", target);
	else if ((attr.mode ^ hardlink.mode) & S_IFMT)
		problem(f, "type of a hard-link entry", ino, pos, "%#o, expected %#o",
			hardlink.mode & S_IFMT, attr.mode & S_IFMT);
	if (target >= ino)
		problem(f, "hard-link entry below its inode", ino, pos, "inode %u", target);
}

/* Count a hard-link entry for the inode that it refers to; they come in the order of these. */
static int count_hardlink(struct fsck *f, u32 target)
{
	const struct links links = { .ino = target, .more = 1 };
	struct links *at = f->links.p;
	const size_t n = f->links.n;

	if (!n || at[n - 1].ino != target)
		return array_append(&f->links, &links);
	at[n - 1].more++;
	return 0;
}

int check_hardlinks(struct fsck *f)
{
	const struct place *p;
	struct share s;
	int ret = 0, fail = 0;
	size_t i;

	share_begin(&s, &f->hardlinks, f->src);
	while (!fail && !stop_asked() && (ret = share_next(&s)) > 0) {
		for (i = 0; !fail && i < s.at.n && !stop_asked(); i++) {
			p = share_at(&s, i);
			check_hardlink(f, p->ino, p->pos);
			fail = count_hardlink(f, p->pos);
		}
	}
	share_end(&s);
	return ret < 0 ? ret : fail;
}
