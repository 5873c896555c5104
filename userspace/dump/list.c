// SPDX-License-Identifier: GPL-2.0
/*
 * The canonical listing of an image.  Checksums of contents are computed from
 * the data, not taken from the image.
 */
#include "dump.h"

struct list {
	struct view *v;
	struct json *j;
	bool no_data;
};

static int sum_piece(void *arg, u64 pos, const void *data, u64 len)
{
	u32 *sum = arg;

	(void)pos;
	*sum = data ? dsfs_crc32c(*sum, data, len) : listing_crc_zeros(*sum, len);
	return 0;
}

static void list_content(const struct list *list, const struct walk_entry *e,
			 struct listing_entry *l)
{
	struct dsfs_err err = { 0 };
	int ret;

	if (list->no_data) {
		l->sum_error = -1;
		return;
	}
	ret = image_stream(list->v->src, &e->node.attr, &e->node.extra, true, sum_piece,
			   &l->sum, &err);
	if (ret) {
		view_error(list->v, e->path, "content", ret, &err);
		l->sum_error = -ret;
	}
}

static void list_json(struct json *j, const struct listing_entry *l, u32 ino,
		      const struct xattr_list *xattrs)
{
	char type[2] = { listing_type(l->mode) };

	json_begin_object(j, NULL);
	json_str(j, "path", l->path);
	json_u64(j, "inode", ino);
	json_str(j, "type", type);
	json_strf(j, "mode", "%04o", l->mode & 07777);
	json_u64(j, "uid", l->uid);
	json_u64(j, "gid", l->gid);
	json_u64(j, "nlink", l->nlink);
	json_u64(j, "size", l->size);
	json_s64(j, "mtime", l->mtime_sec);
	json_u64(j, "mtime_nsec", l->mtime_nsec);
	if (S_ISCHR(l->mode) || S_ISBLK(l->mode))
		json_strf(j, "rdev", "%u:%u", l->rdev_major, l->rdev_minor);
	if (l->link)
		json_str(j, "link", l->link);
	if (S_ISREG(l->mode) && !l->sum_error)
		json_strf(j, "crc32c", "%08x", l->sum);
	if (S_ISLNK(l->mode) && !l->target_error)
		json_str(j, "target", l->target);
	xattr_list_json(xattrs, j);
	json_end(j);
}

static int list_entry(void *arg, const struct walk_entry *e)
{
	struct list *list = arg;
	const struct dsfs_attr *attr = &e->node.attr;
	const struct nsec_time mtime = nsec_split(attr->mtime);
	struct listing_entry l = {
		.path = e->path, .mode = attr->mode, .size = attr->size,
		.uid = e->node.uid, .gid = e->node.gid, .nlink = e->node.nlink,
		.mtime_sec = mtime.sec, .mtime_nsec = mtime.nsec,
		.rdev_major = attr->rdev >> 20, .rdev_minor = attr->rdev & 0xfffff,
		.link = e->first,
	};
	char target[DSFS_SYMLINK_MAX + 1];
	struct xattr_list xattrs;

	l.xattrs_error = -view_xattrs(list->v, e->path, &e->node, &xattrs);
	l.xattrs = xattrs.v;
	l.nr_xattrs = xattrs.count;
	if (S_ISLNK(attr->mode)) {
		l.target_error = -view_target(list->v, e->path, &e->node, target);
		l.target = target;
	}
	if (S_ISREG(attr->mode))
		list_content(list, e, &l);
	if (list->j)
		list_json(list->j, &l, e->ino, &xattrs);
	else
		listing_print(stdout, &l);
	xattr_list_free(&xattrs);
	return ferror(stdout) ? -EIO : 0;
}

int dump_list(struct view *v, struct json *j, bool no_data)
{
	static const struct walk_ops ops = { .enter = list_entry };
	struct list list = { .v = v, .j = j, .no_data = no_data };
	int ret;

	json_begin_array(j, "list");
	ret = view_walk(v, NULL, &ops, &list);
	json_end(j);
	if (ret && !ferror(stdout))
		view_error(v, v->img.path, "list", ret, NULL);
	return ret || v->errors->count ? -1 : 0;
}
