// SPDX-License-Identifier: GPL-2.0
/*
 * One inode: its attributes in one piece, its target, and the way to it.
 */
#include "image.h"

int image_node_at(struct dsfs_source *src, u32 ino, u64 place, struct image_node *node,
		  struct dsfs_err *err)
{
	int ret = dsfs_inode_at(src, ino, place, &node->attr, err);

	if (!ret && dsfs_attr_is_hardlink(&node->attr)) {
		const u32 to = node->attr.start, type = dsfs_mode_to_dt(node->attr.mode);

		ret = dsfs_inode_get(src, to, &node->attr, err);
		if (!ret && (dsfs_attr_is_hardlink(&node->attr) || S_ISDIR(node->attr.mode)))
			ret = dsfs_bad(err, "inode of a hard-link entry", to,
				       node->attr.mode, -EUCLEAN);
		else if (!ret && dsfs_mode_to_dt(node->attr.mode) != type)
			ret = dsfs_bad(err, "type of an entry", type,
				       dsfs_mode_to_dt(node->attr.mode), -EUCLEAN);
	}
	if (!ret)
		ret = dsfs_extra_get(src, &node->attr, &node->extra, err);
	if (!ret)
		ret = dsfs_owner_get(src, &node->attr, &node->uid, &node->gid, err);
	node->nlink = node->attr.nlink;
	return ret;
}

int image_node_get(struct dsfs_source *src, u32 ino, struct image_node *node, struct dsfs_err *err)
{
	return image_node_at(src, ino, DSFS_NO_PLACE, node, err);
}

int image_stored_get(struct dsfs_source *src, u32 ino, struct dsfs_attr *attr, u64 *stored,
		     struct dsfs_err *err)
{
	struct dsfs_extra_info extra;
	int ret = dsfs_inode_get(src, ino, attr, err);

	*stored = 0;
	if (ret || dsfs_attr_is_hardlink(attr) || !S_ISREG(attr->mode))
		return ret;
	ret = dsfs_extra_get(src, attr, &extra, err);
	if (ret)
		return ret;
	*stored = image_stored_bytes(attr, &extra);
	return *stored ? dsfs_extent_check(&src->geo, attr->start, *stored, err) : 0;
}

int image_entry_check(u32 dir, u32 ino, u8 type, const struct image_node *node,
		      struct dsfs_err *err)
{
	const bool hardlink = node->attr.ino != ino;
	const bool named_hardlink = type == DSFS_DT_HARDLINK;
	const u32 dt = dsfs_mode_to_dt(node->attr.mode);

	if (hardlink != named_hardlink || (!hardlink && dt != type))
		return dsfs_bad(err, "type of a directory entry", type, dt, -EUCLEAN);
	if (type == DT_DIR && ino <= dir)
		return dsfs_bad(err, "number of a subdirectory", ino, dir, -EUCLEAN);
	return 0;
}

int image_step(struct dsfs_source *src, struct image_node *at, const char *name, size_t len,
	       struct dsfs_err *err)
{
	const u32 self = at->attr.ino;
	struct dsfs_dir_info dir;
	struct dsfs_found found;
	int ret;

	if (!S_ISDIR(at->attr.mode))
		return -ENOTDIR;
	ret = dsfs_dir_get(src, &at->attr, &dir, err) ?:
	      dsfs_dir_find(src, &dir, name, len, &found, err) ?:
	      image_node_at(src, dir.first + found.pos, found.place, at, err) ?:
	      image_entry_check(self, dir.first + found.pos, found.type, at, err);
	if (ret || !S_ISDIR(at->attr.mode))
		return ret;
	return dsfs_dir_get(src, &at->attr, &dir, err) ?: dsfs_dir_in(&dir, self, err);
}

int image_lookup(struct dsfs_source *src, const char *path,
		 struct image_node *node, struct dsfs_err *err)
{
	size_t len;
	int ret;

	*err = (struct dsfs_err){ 0 };
	ret = image_node_get(src, DSFS_ROOT_INO, node, err);
	for (path += strspn(path, "/"); !ret && *path; path += strspn(path, "/")) {
		len = strcspn(path, "/");
		ret = len > DSFS_NAME_MAX ? -ENOENT : image_step(src, node, path, len, err);
		path += len;
	}
	return ret;
}

int image_symlink(struct dsfs_source *src, const struct dsfs_attr *attr,
		  char *buf, struct dsfs_err *err)
{
	struct dsfs_mref ref;
	int ret = dsfs_symlink_get(src, attr, &ref, err);

	if (ret)
		return ret;
	memcpy(buf, ref.p, attr->size);
	buf[attr->size] = '\0';
	dsfs_meta_put(&ref);
	return 0;
}
