// SPDX-License-Identifier: GPL-2.0
/*
 * Further names of hard-linked files: what they stand for, and how many each
 * inode has.
 */
#include "fsck.h"

static int stub_cmp(const void *a, const void *b)
{
	const struct fstub *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* First stub of a target that is not below @target. */
static size_t lower_bound(const struct fsck *f, u64 target)
{
	const struct fstub *s = f->stubs.v;
	size_t lo = 0, hi = f->stubs.n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s[mid].target < target)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/**
 * stubs_of - names that an inode has besides the first
 * @f: the run, behind check_stubs()
 * @ino: the inode
 */
u32 stubs_of(const struct fsck *f, u32 ino)
{
	if (!f->stubs.n)
		return 0;
	return lower_bound(f, (u64)ino + 1) - lower_bound(f, ino);
}

static void check_stub(struct fsck *f, const struct fstub *s)
{
	const u64 pos = meta_pos(f, DSFS_REGION_INODES,
				 (u64)s->ino * sizeof(struct dsfs_inode));
	struct dsfs_attr stub, attr;
	struct dsfs_err err;

	if (dsfs_inode_get(f->src, s->ino, &stub, &err) ||
	    dsfs_inode_get(f->src, s->target, &attr, &err))
		return;		/* reported with the inode */
	if (dsfs_attr_is_stub(&attr))
		problem(f, "stub that stands for a stub", s->ino, pos,
			"inode %u", s->target);
	else if ((attr.mode ^ stub.mode) & S_IFMT)
		problem(f, "type of a stub", s->ino, pos, "%#o, expected %#o",
			stub.mode & S_IFMT, attr.mode & S_IFMT);
	if (s->target >= s->ino)
		problem(f, "stub below what it stands for", s->ino, pos,
			"inode %u", s->target);
}

int check_stubs(struct fsck *f)
{
	const struct fstub *s;
	size_t i;

	vec_sort(&f->stubs, stub_cmp);
	s = f->stubs.v;
	for (i = 0; i < f->stubs.n && !fsck_stop; i++)
		check_stub(f, &s[i]);
	return 0;
}
