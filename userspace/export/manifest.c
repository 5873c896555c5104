// SPDX-License-Identifier: GPL-2.0
/*
 * The tree as a manifest of mkfs.dsfs: JSON, a line an object.  Contents are not in
 * it: they come from a copy of the tree, by their paths, so that names, attributes and
 * what is there at all can be changed by programs that edit text.
 */
#include "dump.h"
#include "nsec.h"

static const char *type_name(u32 mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "dir";
	case S_IFLNK:
		return "symlink";
	case S_IFCHR:
		return "char";
	case S_IFBLK:
		return "block";
	case S_IFIFO:
		return "fifo";
	case S_IFSOCK:
		return "socket";
	default:
		return "file";
	}
}

/* The sign is that of seconds and of their parts. */
static void put_time(struct json *j, s64 ns)
{
	const u64 v = ns < 0 ? -(u64)ns : ns;

	json_strf(j, "mtime", "%s%llu.%09llu", ns < 0 ? "-" : "", v / NSEC_PER_SEC,
		  v % NSEC_PER_SEC);
}

static void put_xattrs(struct dump *d, const struct walk_entry *e)
{
	struct dsfs_err err = { 0 };
	struct xattr_list list;
	int ret = xattr_list_get(d, &e->node, &list, &err);

	if (ret)
		dump_error(d, e->path, "xattrs", ret, &err);
	if (list.count)
		json_begin_object(&d->j, "xattrs");
	for (size_t i = 0; i < list.count; i++)
		json_hex(&d->j, list.v[i].name, list.v[i].value, list.v[i].len);
	if (list.count)
		json_end(&d->j);
	xattr_list_free(&list);
}

static void put_content(struct dump *d, const struct walk_entry *e)
{
	const struct dsfs_attr *attr = &e->node.attr;
	char target[DSFS_SYMLINK_MAX + 1] = "";
	struct dsfs_err err = { 0 };
	int ret;

	if (S_ISREG(attr->mode) && attr->size)
		json_str(&d->j, "source", e->path + 1);
	if (S_ISCHR(attr->mode) || S_ISBLK(attr->mode)) {
		json_u64(&d->j, "major", attr->rdev >> 20);
		json_u64(&d->j, "minor", attr->rdev & 0xfffff);
	}
	if (!S_ISLNK(attr->mode))
		return;
	ret = image_symlink(d->src, attr, target, &err);
	if (ret)
		dump_error(d, e->path, "target", ret, &err);
	else
		json_str(&d->j, "target", target);
}

static void put_attrs(struct dump *d, const struct walk_entry *e)
{
	const struct dsfs_attr *attr = &e->node.attr;

	json_str(&d->j, "type", type_name(attr->mode));
	json_strf(&d->j, "mode", "%04o", attr->mode & 07777);
	json_u64(&d->j, "uid", e->node.uid);
	json_u64(&d->j, "gid", e->node.gid);
	put_time(&d->j, attr->mtime);
	put_content(d, e);
	put_xattrs(d, e);
}

struct manifest {
	struct dump *d;
	struct listing_links links;
};

static int put_entry(void *arg, const struct walk_entry *e)
{
	struct manifest *m = arg;
	struct dump *d = m->d;
	const char *first = NULL;
	int ret = 0;

	if (!S_ISDIR(e->node.attr.mode))
		ret = listing_link(&m->links, 0, e->node.attr.ino, e->node.nlink, e->path,
				   &first);
	if (ret)
		return ret;
	json_begin_object(&d->j, NULL);
	json_str(&d->j, "path", e->path);
	if (first) {
		json_str(&d->j, "type", "link");
		json_str(&d->j, "target", first);
	} else {
		put_attrs(d, e);
	}
	json_end(&d->j);
	return ferror(stdout) ? -EIO : 0;
}

int dump_manifest(struct dump *d)
{
	static const struct walk_ops ops = { .enter = put_entry };
	struct manifest m = { .d = d };
	int ret;

	d->j.lines = true;
	ret = walk(d, &ops, &m);
	listing_links_free(&m.links);
	if (ret && !ferror(stdout))
		dump_error(d, d->img.path, "manifest", ret, &(struct dsfs_err){ 0 });
	return ret || d->errors ? -1 : 0;
}
