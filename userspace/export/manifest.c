// SPDX-License-Identifier: GPL-2.0
/*
 * The tree as a manifest of mkfs.dsfs: JSON, a line an object.  Contents are not in
 * it: they come from a copy of the tree, by their paths, so that names, attributes and
 * what is there at all can be changed by programs that edit text.
 */
#include "export.h"
#include "nsec.h"

/* Write a time as a decimal number: its sign is that of the whole, fraction included. */
static void put_time(struct json *j, s64 ns)
{
	const u64 v = ns < 0 ? -(u64)ns : ns;

	json_strf(j, "mtime", "%s%llu.%09llu", ns < 0 ? "-" : "", v / NSEC_PER_SEC,
		  v % NSEC_PER_SEC);
}

static void put_content(struct view *v, struct json *j, const struct walk_entry *e)
{
	const struct dsfs_attr *attr = &e->node.attr;
	char target[DSFS_SYMLINK_MAX + 1];

	if (S_ISREG(attr->mode) && attr->size)
		json_str(j, "source", e->path + 1);
	if (S_ISCHR(attr->mode) || S_ISBLK(attr->mode)) {
		json_u64(j, "major", attr->rdev >> 20);
		json_u64(j, "minor", attr->rdev & 0xfffff);
	}
	if (S_ISLNK(attr->mode) && !view_target(v, e->path, &e->node, target))
		json_str(j, "target", target);
}

static void put_attrs(struct view *v, struct json *j, const struct walk_entry *e)
{
	const struct dsfs_attr *attr = &e->node.attr;
	struct node_xattrs list;

	json_str(j, "type", listing_type(attr->mode)->name);
	json_strf(j, "mode", "%04o", attr->mode & 07777);
	json_u64(j, "uid", e->node.uid);
	json_u64(j, "gid", e->node.gid);
	put_time(j, attr->mtime);
	put_content(v, j, e);
	view_xattrs(v, e->path, &e->node, &list);
	xattr_list_json(&list, j);
	xattr_list_free(&list);
}

struct manifest_out {
	struct view *v;
	struct json *j;
};

static int put_entry(void *arg, const struct walk_entry *e)
{
	struct manifest_out *m = arg;
	struct json *j = m->j;

	json_begin_object(j, NULL);
	json_str(j, "path", e->path);
	if (e->first) {
		json_str(j, "type", "link");
		json_str(j, "target", e->first);
	} else {
		put_attrs(m->v, j, e);
	}
	json_end(j);
	return ferror(stdout) ? -EIO : 0;
}

int export_manifest(struct view *v, struct json *report, void *arg)
{
	static const struct walk_ops ops = { .enter = put_entry };
	struct json j;
	struct manifest_out m = { .v = v, .j = &j };
	int ret;

	json_init(&j, stdout);
	j.lines = true;
	ret = view_walk(v, NULL, &ops, &m);
	if (ret && !ferror(stdout))
		view_error(v, v->img.path, "manifest", ret, NULL);
	return ret || v->errors->count ? -1 : 0;
}
