// SPDX-License-Identifier: GPL-2.0
/*
 * Calls every function of libdsfs and of the image reader for every inode:
 * attributes, names, lookups, targets, xattrs, maps and contents.  A promise that
 * they make for any image and do not keep is a finding.
 *
 * An image counts as broken if the kernel would not mount it, or any call would
 * fail: what fs/ checks besides libdsfs is checked here, too.
 */
#include <stdlib.h>

#include "imagemsg.h"
#include "memory.h"

/**
 * struct walk - of one image
 * @broken: something gave an error
 * @next: offset in the file that the next piece of content must have
 * @names: of all directories so far
 */
struct walk {
	struct dsfs_source *src;
	const struct dsfs_geo *geo;
	bool broken;
	u64 next;
	u64 names;
};

/* Whether a call went well; its errno must be one of those that are promised. */
static bool good(struct walk *w, int ret)
{
	if (!ret)
		return true;
	if (ret != -EUCLEAN && ret != -EBADMSG && ret != -EIO && ret != -ESTALE)
		finding("an errno that nobody promised");
	w->broken = true;
	return false;
}

static int got_piece(void *arg, u64 pos, const void *data, u64 len)
{
	struct walk *w = arg;

	if (pos != w->next || !len)
		finding("contents with a gap");
	w->next = pos + len;
	/* every byte must be there */
	if (data && len)
		dsfs_crc32c(0, data, len);
	return 0;
}

static void walk_runs(struct walk *w, const struct image_node *n)
{
	struct dsfs_err err = { 0 };
	struct dsfs_mapping map;
	u64 pos, stored = 0;

	for (pos = 0; pos < n->attr.size; pos += map.len) {
		if (!good(w, dsfs_map(w->src, &n->attr, &n->extra, pos, &map, &err)))
			return;
		if (map.logical != pos || !map.len || map.len > n->attr.size - pos)
			finding("a mapping outside of its file");
		if (!map.hole && (map.stored > image_stored_bytes(&n->attr, &n->extra) ||
				  map.len > image_stored_bytes(&n->attr, &n->extra) - map.stored))
			finding("a mapping outside of the stored bytes");
		/* what a window of them needs is read in one piece */
		if (map.stored != stored)
			w->broken = true;
		stored = map.stored + (map.hole ? 0 : map.len);
	}
}

static void walk_units(struct walk *w, const struct image_node *n)
{
	const u64 count = dsfs_units(&n->attr);
	struct dsfs_err err = { 0 };
	u32 from, to;
	u64 i;

	for (i = 0; i < count; i++) {
		if (!good(w, dsfs_units_get(w->src, &n->attr, i, &from, &to, &err)))
			return;
		if (from >= to || to > n->attr.stored)
			finding("a frame outside of the stored bytes");
		if (dsfs_unit_bytes(&n->attr, i) > (to - from) * DSFS_RATIO_MAX)
			finding("a frame with too large a unit");
	}
}

static void walk_file(struct walk *w, const struct image_node *n)
{
	struct dsfs_err err = { 0 };

	if (n->attr.flags & DSFS_INODE_COMPRESSED)
		walk_units(w, n);
	else
		walk_runs(w, n);
	w->next = 0;
	if (good(w, image_stream(w->src, &n->attr, &n->extra, true, got_piece, w,
				 &err)) && w->next != n->attr.size)
		finding("contents that end early");
}

static void walk_xattrs(struct walk *w, const struct image_node *n)
{
	struct dsfs_xattr_info info;
	u32 bytes, count, cursor, found = 0;
	struct dsfs_err err = { 0 };
	void *set;
	int ret;

	if (!good(w, image_xattr_set(w->src, &n->extra, &set, &bytes, &err)))
		return;
	ret = dsfs_xattr_first(set, bytes, &count, &cursor, &err);
	while (!ret) {
		ret = dsfs_xattr_next(set, bytes, &cursor, &info, &err);
		if (ret <= 0)
			break;
		found++;
		if ((const u8 *)info.value + info.value_len > (const u8 *)set + bytes)
			finding("an xattr outside of its set");
		ret = 0;
	}
	if (good(w, ret) && found != count)
		w->broken = true;
	free(set);
}

/* What only a directory and its entry together can tell. */
static void walk_entry(struct walk *w, const struct dsfs_dir_iter *it, u32 self,
		       const struct dsfs_name *name)
{
	u32 ino = it->dir->first + name->pos;
	struct dsfs_err err = { 0 };
	struct dsfs_dir_info child;
	struct image_node n;
	u8 type = name->type;

	if (!good(w, dsfs_hardlink_follow(w->src, dsfs_iter_place(it, name), &ino, &type, &err)) ||
	    !good(w, image_node_get(w->src, ino, &n, &err)))
		return;
	if (type != dsfs_mode_to_dt(n.attr.mode))
		w->broken = true;
	if (S_ISDIR(n.attr.mode) &&
	    good(w, dsfs_dir_get(w->src, &n.attr, &child, &err)) &&
	    child.parent != self)
		w->broken = true;
}

/* Look a name up: it is there, or it is in a broken index. */
static void walk_name(struct walk *w, const struct dsfs_dir_info *dir,
		      const struct dsfs_name *name)
{
	struct dsfs_err err = { 0 };
	char other[DSFS_NAME_MAX];
	u32 pos;
	u8 type;
	int ret;

	if (!dsfs_name_valid(name->name, name->len) || name->pos >= dir->count)
		finding("a name that no directory may hold");
	ret = dsfs_dir_lookup(w->src, dir, name->name, name->len, &pos, &type,
			      &err);
	if (ret == -ENOENT)
		w->broken = true;
	else if (good(w, ret) && pos >= dir->count)
		finding("a position outside of its directory");
	else if (!ret && (pos != name->pos || type != name->type))
		w->broken = true;
	memcpy(other, name->name, name->len);
	other[name->len - 1] ^= 1;
	ret = dsfs_dir_lookup(w->src, dir, other, name->len, &pos, &type, &err);
	if (ret != -ENOENT)
		good(w, ret);
}

static void walk_dir(struct walk *w, const struct image_node *n)
{
	struct dsfs_err err = { 0 };
	struct dsfs_dir_info dir;
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	u32 found = 0;
	int ret;

	if (!good(w, dsfs_dir_get(w->src, &n->attr, &dir, &err)))
		return;
	/* Directories that share entries: a small image could take hours. */
	w->names += dir.count;
	if (!good(w, w->names > 2 * w->geo->inodes ? -EUCLEAN : 0))
		return;
	dsfs_dir_iter_init(&it, w->src, &dir, 0);
	while ((ret = dsfs_dir_iter_next(&it, &name, &err)) > 0) {
		walk_name(w, &dir, &name);
		walk_entry(w, &it, n->attr.ino, &name);
		found++;
	}
	dsfs_dir_iter_end(&it);
	if (good(w, ret) && found != dir.count)
		finding("a directory with another number of names");
	/* a walk may begin anywhere */
	dsfs_dir_iter_init(&it, w->src, &dir, dir.count / 2);
	good(w, dsfs_dir_iter_next(&it, &name, &err) < 0 ? -EUCLEAN : 0);
	dsfs_dir_iter_end(&it);
}

static void walk_inode(struct walk *w, u32 ino)
{
	char target[DSFS_SYMLINK_MAX + 1];
	struct dsfs_err err = { 0 };
	struct image_node n;

	if (!good(w, image_node_get(w->src, ino, &n, &err)))
		return;
	if (dsfs_attr_is_hardlink(&n.attr))
		finding("a hard-link entry that was followed to a hard-link entry");
	if (n.attr.flags & DSFS_INODE_XATTRS)
		walk_xattrs(w, &n);
	if (S_ISREG(n.attr.mode))
		walk_file(w, &n);
	else if (S_ISDIR(n.attr.mode))
		walk_dir(w, &n);
	else if (S_ISLNK(n.attr.mode) &&
		 good(w, image_symlink(w->src, &n.attr, target, &err)) &&
		 strlen(target) != n.attr.size)
		finding("a target with a zero byte");
}

/* Regions as bytes. */
static void walk_regions(struct walk *w, const struct image *img)
{
	const struct dsfs_region_info *r = w->geo->regions;
	struct dsfs_mref ref;
	u64 off, n;
	u32 sum;
	int id;

	if (good(w, image_sums(img, &sum)) && sum != w->geo->sums_checksum)
		w->broken = true;
	w->src = image_source(img, 0);
	for (id = 0; id < DSFS_REGIONS_USED; id++) {
		if (!r[id].bytes)
			continue;
		for (off = 0; off < r[id].bytes; off += n) {
			n = r[id].bytes - off;
			if (n > DSFS_BLOCK_SIZE)
				n = DSFS_BLOCK_SIZE;
			if (!good(w, dsfs_meta_get(w->src, id, off, n, &ref)))
				continue;
			dsfs_crc32c(0, ref.p, n);
			dsfs_meta_put(&ref);
		}
	}
	image_source_free(w->src);
}

static void walk_inodes(struct walk *w)
{
	struct dsfs_err err = { 0 };
	struct image_node n;
	u64 ino;
	int ret;

	w->names = 0;
	for (ino = DSFS_ROOT_INO; ino < w->geo->inodes; ino++)
		walk_inode(w, ino);
	if (!image_node_get(w->src, w->geo->inodes, &n, &err))
		finding("an inode behind the last one");
	ret = image_lookup(w->src, "/dir/sub/leaf", &n, &err);
	if (ret != -ENOENT && ret != -ENOTDIR)
		good(w, ret);
}

/* Nothing depends on the note, but fsck.dsfs has to find what is wrong with it. */
static void walk_note(struct walk *w)
{
	struct dsfs_err err = { 0 };
	struct dsfs_note note;
	int ret = image_note(w->src, &note, &err);

	if (ret < 0)
		good(w, ret);
	else if (ret && strnlen((char *)note.message, sizeof(note.message)) !=
			le16_to_cpu(note.message_bytes))
		finding("a message of another length");
}

/*
 * All generations that the image keeps, from the newest on.  A source stays with
 * the generation that it was made for.
 */
static void walk_generations(struct walk *w, struct image *img)
{
	struct dsfs_slot older;
	struct dsfs_geo geo;
	int ret;

	do {
		geo = *img->geo;
		w->geo = &geo;
		walk_regions(w, img);
		w->src = image_source(img, 0);
		walk_note(w);
		ret = image_older(img, &geo, &older);
		if (ret == 1 && older.geo.generation >= geo.generation)
			finding("a history that does not go back");
		if (ret == 1) {
			img->older = older;
			img->geo = &img->older.geo;
		}
		walk_inodes(w);
		image_source_free(w->src);
	} while (ret == 1);
	if (ret)
		w->broken = true;
}

bool walk_all(void)
{
	struct dsfs_err err = { 0 };
	struct walk w = { 0 };
	struct image img;
	int use;

	if (image_open(&img, "image"))
		return false;
	w.broken = dsfs_super_choose(img.slots, &use, &err);
	if (img.geo)
		walk_generations(&w, &img);
	image_close(&img);
	return img.use >= 0 && !w.broken;
}
