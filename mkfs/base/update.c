// SPDX-License-Identifier: GPL-2.0
/*
 * An update keeps the data of every file that has not changed where it is and
 * writes a whole new generation of metadata.  So each file that stays must be
 * found in the image by its path, before anything is read, and afterwards get
 * its place and its checksums from there.
 *
 * Directories of both trees are walked side by side; names are sorted in both,
 * so each record of the image is looked at once, in the order of the image.
 */
#include <stdlib.h>

#include "../data/stream.h"
#include "libdsfs.h"
#include "msg.h"
#include "update.h"

static int damaged(const struct update *u, const char *what,
		   const struct dsfs_err *err, int ret)
{
	char text[256];

	image_err_text(err, ret, text, sizeof(text));
	msg_error(u->img.path, "cannot be built on: %s: %s: run fsck.dsfs", what,
		  text);
	return ret;
}

/* Nothing is built on what a reader would refuse. */
static int check_image(struct update *u)
{
	const struct dsfs_region_info *r;
	struct dsfs_err err = { 0 };
	int use, ret = dsfs_super_choose(u->img.slots, &use, &err);
	u32 sum;

	image_report_slots(&u->img);
	if (image_is_foreign(&u->img))
		return ret;
	if (ret)
		return damaged(u, "superblock", &err, ret);
	r = &u->img.geo->regions[DSFS_REGION_BLOCKSUMS];
	ret = image_region_sum(&u->img, DSFS_REGION_BLOCKSUMS, &sum);
	if (!ret && sum != r->checksum)
		ret = dsfs_bad(&err, "checksum", sum, r->checksum, -EBADMSG);
	if (!ret && u->img.geo->generation == UINT64_MAX)
		ret = dsfs_bad(&err, "generation", UINT64_MAX, UINT64_MAX - 1,
			       -EOVERFLOW);
	return ret ? damaged(u, "block checksums", &err, ret) : 0;
}

/* What the files that stay were laid out by. */
static void take_options(const struct update *u, struct options *o)
{
	const struct dsfs_geo *geo = u->img.geo;

	o->align_bits = geo->align_bits;
	o->chunk_bits = geo->chunk_bits;
	if (!o->object_set && geo->object_bits)
		o->object_bits = geo->object_bits;
	if (!o->label_set)
		memcpy(o->label, geo->label, sizeof(o->label));
	memcpy(o->uuid, geo->uuid, sizeof(o->uuid));
	o->uuid_set = true;
}

int update_open(struct source *src, struct options *o, const char *path)
{
	struct update *u = calloc(1, sizeof(*u));
	u64 unit;
	int ret;

	if (!u) {
		msg_error(NULL, "out of memory");
		return -ENOMEM;
	}
	ret = image_open(&u->img, path);
	if (ret) {
		free(u);
		return ret;
	}
	src->base = u;
	ret = check_image(u);
	if (ret)
		return ret;
	u->past = image_source(&u->img, 0);
	if (!u->past) {
		msg_error(NULL, "out of memory");
		return -ENOMEM;
	}
	take_options(u, o);
	/* An object that a snapshot has is not written to: it would be copied. */
	unit = 1ULL << (o->object_bits ? o->object_bits : DSFS_BLOCK_BITS);
	u->start = (u->img.geo->image_bytes + unit - 1) & ~(unit - 1);
	return 0;
}

void update_free(struct source *src)
{
	struct update *u = src->base;

	if (!u)
		return;
	image_source_free(u->past);
	image_close(&u->img);
	free(u->old);
	free(u->contents);
	free(u);
	src->base = NULL;
}

/* Whether size and time say that the content is that of before. */
static bool time_tells(const struct source *src, const struct node *n,
		       const struct dsfs_attr *attr)
{
	if (src->o->checksum || src->o->fixed_time ||
	    n->flags & (NODE_NO_TIME | NODE_ZERO | NODE_PATTERN))
		return false;
	/* what did not fit was clamped */
	return n->mtime == attr->mtime && n->mtime != INT64_MIN &&
	       n->mtime != INT64_MAX;
}

void update_keep(struct update *u, struct node *n)
{
	n->flags |= NODE_KEPT;
	u->kept_files++;
	u->kept_bytes += n->size;
}

static int match_file(struct source *src, struct dir *dir, struct node *n,
		      u32 ino, u8 type, struct dsfs_err *err)
{
	struct update *u = src->base;
	struct dsfs_attr attr;
	int ret;

	if (n->flags & NODE_STUB) {
		dir = n->u.link->dir;
		n = n->u.link->first;
	}
	if (!node_is_data(n) || update_old(u, dir, n))
		return 0;
	ret = dsfs_stub_follow(u->past, &ino, &type, err);
	if (ret || type != DT_REG)
		return ret;
	ret = dsfs_inode_get(u->past, ino, &attr, err);
	if (ret || !S_ISREG(attr.mode) || dsfs_attr_is_stub(&attr) ||
	    attr.size != n->size)
		return ret;
	*update_slot_of(u, dir, n) = ino;
	if (time_tells(src, n, &attr))
		update_keep(u, n);
	return 0;
}

/* An entry of the same name in both directories. */
static int match_entry(struct source *src, struct dir *dir, struct node *n,
		       u32 ino, u8 type, struct dsfs_err *err)
{
	if (S_ISREG(n->mode))
		return match_file(src, dir, n, ino, type, err);
	if (S_ISDIR(n->mode) && type == DT_DIR)
		src->base->old[n->u.dir->ino] = ino;
	return 0;
}

static int match_names(struct source *src, struct dir *d,
		       const struct dsfs_dir_info *was, struct dsfs_err *err)
{
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	int ret, cmp = 0;
	u32 k = 0;

	dsfs_dir_iter_init(&it, src->base->past, was, 0);
	while ((ret = dsfs_dir_iter_next(&it, &name, err)) == 1) {
		for (; k < d->count; k++) {
			cmp = dsfs_name_cmp(node_name(&d->nodes[k]),
					    node_len(&d->nodes[k]), name.name,
					    name.len);
			if (cmp >= 0)
				break;
		}
		if (k == d->count)
			break;
		if (cmp)
			continue;
		ret = match_entry(src, d, &d->nodes[k++], was->first + name.pos,
				  name.type, err);
		if (ret)
			break;
	}
	dsfs_dir_iter_end(&it);
	return ret < 0 ? ret : 0;
}

static int match_dir(struct source *src, struct dir *d, struct dsfs_err *err)
{
	struct update *u = src->base;
	struct dsfs_dir_info was;
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(u->past, u->old[d->ino], &attr, err);

	if (!ret && !S_ISDIR(attr.mode))
		ret = dsfs_bad(err, "type of an entry", attr.mode, S_IFDIR,
			       -EUCLEAN);
	if (!ret)
		ret = dsfs_dir_get(u->past, &attr, &was, err);
	return ret ? ret : match_names(src, d, &was, err);
}

int update_match(struct source *src)
{
	struct tree *t = &src->tree;
	struct update *u = src->base;
	struct dsfs_err err = { 0 };
	int ret = tree_number(t);

	if (ret == -EFBIG)
		return 0;		/* the plan says so */
	u->old = ret ? NULL : calloc(t->inodes, sizeof(*u->old));
	if (!u->old) {
		msg_error(NULL, "out of memory");
		return -ENOMEM;
	}
	u->old[DSFS_ROOT_INO] = DSFS_ROOT_INO;
	for (u64 i = 0; !ret && i < t->ndirs; i++) {
		if (u->old[t->dirs[i]->ino])
			ret = match_dir(src, t->dirs[i], &err);
	}
	if (ret)
		return damaged(u, "metadata", &err, ret);
	return src->o->no_dedup || src->o->plan_only ? 0 : found_init(u);
}

u64 update_dead(const struct update *u, const struct dsfs_super *sb)
{
	u64 end = le64_to_cpu(sb->data_end);

	return end > u->packed ? end - u->packed : 0;
}
