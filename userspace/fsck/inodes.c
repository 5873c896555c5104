// SPDX-License-Identifier: GPL-2.0
/*
 * The inodes one by one, in the order of numbers, with the structures that they
 * refer to.  Later passes compare inodes with each other: for these,
 * it is collected here where places lie (refs.h), and records are read again.
 */
#include "fsck.h"
#include "msg.h"

bool get_data(struct dsfs_source *src, const struct dsfs_attr *attr, struct ref *p)
{
	struct dsfs_extra_info extra = { 0 };
	struct dsfs_err err;

	if (dsfs_attr_is_hardlink(attr) || !S_ISREG(attr->mode))
		return false;
	if (attr->flags & DSFS_INODE_HOLES && dsfs_extra_get(src, attr, &extra, &err))
		return false;
	p->pos = attr->start;
	p->len = image_stored_bytes(attr, &extra);
	p->flag = !!(attr->flags & DSFS_INODE_SHARED);
	return p->len;
}

bool get_set(struct dsfs_source *src, const struct dsfs_attr *attr, struct ref *p)
{
	struct dsfs_extra_info extra;
	struct dsfs_err err;

	if (!(attr->flags & DSFS_INODE_XATTRS) || dsfs_extra_get(src, attr, &extra, &err))
		return false;
	p->pos = extra.xattrs;
	p->flag = !!(attr->flags & DSFS_INODE_ACL);
	return true;
}

bool get_target(struct dsfs_source *src, const struct dsfs_attr *attr, struct ref *p)
{
	if (dsfs_attr_is_hardlink(attr) || !S_ISLNK(attr->mode))
		return false;
	p->pos = attr->start;
	p->len = attr->size;
	return true;
}

bool get_hardlink(struct dsfs_source *src, const struct dsfs_attr *attr, struct ref *p)
{
	p->pos = attr->start;
	return dsfs_attr_is_hardlink(attr);
}

/* Note the place of a kind that an inode refers to, if it does. */
static int collect(struct fsck *f, struct refs *of, const struct dsfs_attr *attr)
{
	struct ref p = { .ino = attr->ino };

	return of->get(f->src, attr, &p) ? refs_add(of, &p) : 0;
}

u64 inode_pos(struct fsck *f, u64 ino)
{
	u64 place = DSFS_NO_PLACE;
	struct dsfs_err err;

	if (ino <= DSFS_ROOT_INO)
		return DSFS_SB_POS(f->img.use) + offsetof(struct dsfs_super, root);
	if (dsfs_inode_place(f->src, ino, &place, &err))
		return NO_POS;
	return meta_pos(f, DSFS_REGION_NAMES, dsfs_row_block(place));
}

static void no_filesum(struct fsck *f, const struct dsfs_attr *attr)
{
	if (attr->sum)
		problem(f, "checksum of what stores no bytes", attr->ino,
			inode_pos(f, attr->ino), "%#x, expected 0", attr->sum);
}

/* Check all extents and holes of a file; the extents must add up to the stored data. */
static bool check_extents(struct fsck *f, const struct dsfs_attr *attr,
			  const struct dsfs_extra_info *extra)
{
	struct dsfs_err err = { 0 };
	struct dsfs_mapping map;
	u64 pos, stored = 0, where;
	u32 extents = 0;
	int ret;

	where = meta_pos(f, DSFS_REGION_EXTENTS,
			 (u64)extra->first_extent * sizeof(struct dsfs_extent_record));
	for (pos = 0; pos < attr->size && !stop_asked(); pos += map.len) {
		ret = dsfs_map(f->src, attr, extra, pos, &map, &err);
		if (ret) {
			problem_err(f, attr->ino, where, &err, ret);
			return false;
		}
		if (map.hole)
			continue;
		stored += map.len;
		extents++;
	}
	/* An offset does not lead to a record without bytes. */
	if (extents != extra->extents && !stop_asked()) {
		problem(f, "extent records without stored bytes", attr->ino, where,
			"%u of %u", extra->extents - extents, extra->extents);
		return false;
	}
	if (stored != extra->stored && !stop_asked()) {
		problem(f, "stored bytes of all extents", attr->ino, where, "%llu, expected %llu",
			stored, extra->stored);
		return false;
	}
	return true;
}

/* Check the places of all frames of a compressed file. */
static bool check_units(struct fsck *f, const struct dsfs_attr *attr)
{
	const u64 count = dsfs_units(attr);
	struct dsfs_err err = { 0 };
	u32 from, to;
	int ret = 0;
	u64 i;

	for (i = 0; !ret && i < count && !stop_asked(); i++)
		ret = dsfs_units_get(f->src, attr, i, &from, &to, &err);
	if (ret)
		problem_err(f, attr->ino,
			    count == 1 ? attr->start :
			    meta_pos(f, DSFS_REGION_UNITS, (attr->units + i - 1) * sizeof(__le32)),
			    &err, ret);
	return !ret;
}

static int collect_file(struct fsck *f, const struct dsfs_attr *attr,
			const struct dsfs_extra_info *extra)
{
	f->files++;
	f->content += attr->size;
	if (attr->flags & DSFS_INODE_HOLES && !check_extents(f, attr, extra))
		return refs_leave_out(&f->data, attr->ino);
	if (attr->flags & DSFS_INODE_COMPRESSED && !check_units(f, attr))
		return refs_leave_out(&f->data, attr->ino);
	if (image_stored_bytes(attr, extra))
		return collect(f, &f->data, attr);
	no_filesum(f, attr);
	if (attr->flags & DSFS_INODE_SHARED)
		problem(f, "flag of shared data", attr->ino, NO_POS, "the file stores no bytes");
	return 0;
}

static int collect_dir(struct fsck *f, const struct dsfs_attr *attr)
{
	struct dsfs_err err = { 0 };
	struct dsfs_dir_info dir;
	struct fdir d;
	int ret;

	f->dir_inodes++;
	no_filesum(f, attr);
	ret = dsfs_dir_get(f->src, attr, &dir, &err);
	if (ret) {
		problem_err(f, attr->ino, dir_pos(f, attr->start), &err, ret);
		return 0;
	}
	d = (struct fdir){ .self = dir.self, .first = dir.first };
	/* an empty directory has no entries; its place in the list keeps the order */
	if (!dir.count && f->dirs.n)
		d.first = f->entries_end;
	f->entries_end = d.first + dir.count;
	return array_append(&f->dirs, &d);
}

static int collect_symlink(struct fsck *f, const struct dsfs_attr *attr)
{
	struct dsfs_err err = { 0 };
	struct dsfs_mref ref;
	int ret;

	no_filesum(f, attr);
	ret = dsfs_symlink_get(f->src, attr, &ref, &err);
	if (!ret) {
		dsfs_meta_put(&ref);
		return collect(f, &f->targets, attr);
	}
	problem_err(f, attr->ino, meta_pos(f, DSFS_REGION_SYMLINKS, attr->start), &err, ret);
	return refs_leave_out(&f->targets, attr->ino);
}

/* An inode whose extra record or owner is wrong: nothing else of these is looked at. */
static int leave_out(struct fsck *f, const struct dsfs_attr *attr)
{
	int ret = 0;

	if (attr->flags & DSFS_INODE_XATTRS)
		ret = refs_leave_out(&f->sets, attr->ino);
	if (!ret && S_ISREG(attr->mode))
		ret = refs_leave_out(&f->data, attr->ino);
	return ret;
}

static int check_inode(struct fsck *f, u32 ino, u64 *place)
{
	struct dsfs_err err = { 0 };
	struct dsfs_extra_info extra;
	struct dsfs_attr attr;
	u32 uid, gid;
	int ret = dsfs_inode_next(f->src, ino, place, &attr, &err);

	if (ret) {
		problem_err(f, ino, inode_pos(f, ino), &err, ret);
		return 0;
	}
	if (dsfs_attr_is_hardlink(&attr)) {
		no_filesum(f, &attr);
		return collect(f, &f->hardlinks, &attr);
	}
	ret = dsfs_extra_get(f->src, &attr, &extra, &err) ?:
	      dsfs_owner_get(f->src, &attr, &uid, &gid, &err);
	if (ret) {
		problem_err(f, ino, inode_pos(f, ino), &err, ret);
		ret = leave_out(f, &attr);
		/* the checks below need the extra record for files only */
		if (ret || S_ISREG(attr.mode))
			return ret;
	} else {
		ret = collect(f, &f->sets, &attr);
		if (ret)
			return ret;
	}
	if (S_ISREG(attr.mode))
		return collect_file(f, &attr, &extra);
	if (S_ISDIR(attr.mode))
		return collect_dir(f, &attr);
	if (S_ISLNK(attr.mode))
		return collect_symlink(f, &attr);
	no_filesum(f, &attr);
	return 0;
}

int check_inodes(struct fsck *f)
{
	u64 ino, place = DSFS_NO_PLACE;
	int ret = 0;

	pass_begin(f, "inodes", f->geo->inodes, false);
	for (ino = DSFS_ROOT_INO; !ret && ino < f->geo->inodes && !stop_asked(); ino++) {
		ret = check_inode(f, ino, &place);
		if (!(ino & 1023))
			pass_add(f, 1024);
	}
	pass_end(f);
	if (ret || stop_asked())
		return ret;
	if (f->dir_inodes != f->geo->dirs)
		problem(f, "directory records", NO_INO, dir_pos(f, 0),
			"%u, but %llu directories", f->geo->dirs, f->dir_inodes);
	if (f->files != f->geo->files)
		problem(f, "number of files", NO_INO, DSFS_SB_POS(f->img.use),
			"%llu, found %llu", f->geo->files, f->files);
	if (f->content != f->geo->content_bytes)
		problem(f, "sum of file sizes", NO_INO, DSFS_SB_POS(f->img.use),
			"%llu, found %llu", f->geo->content_bytes, f->content);
	return 0;
}
