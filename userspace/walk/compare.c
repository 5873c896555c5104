// SPDX-License-Identifier: GPL-2.0
/*
 * Comparison of an object in two generations.  An update appends, and an
 * unchanged file keeps its data in place.  So data at the same place need not
 * be read.  Different checksums mean different data.  Equal checksums of data
 * at different places prove nothing, so such data is read.
 */
#include "diff.h"
#include "stored.h"

#define PIECE	65536

enum difference { SAME, OTHER, UNKNOWN };

static int verify(const struct compare_side *s, struct dsfs_err *err)
{
	return image_stream(s->v->src, &s->node->attr, &s->node->extra, true, NULL, NULL, err);
}

static int map_both(const struct compare_side *a, const struct compare_side *b, u64 pos,
		    struct dsfs_mapping *x, struct dsfs_mapping *y, struct dsfs_err *err)
{
	return dsfs_map(a->v->src, &a->node->attr, &a->node->extra, pos, x, err) ?:
	       dsfs_map(b->v->src, &b->node->attr, &b->node->extra, pos, y, err);
}

/* Read bytes from the start of a mapping; holes are zeros. */
static int read_mapping(const struct compare_side *s, const struct dsfs_mapping *map, void *buf,
			size_t len, struct dsfs_err *err)
{
	const u64 pos = s->node->attr.start + map->stored;
	const struct units u = { .of = { s->v->src, &s->node->attr, s->node->attr.stored } };
	int ret = 0;

	if (s->node->attr.flags & DSFS_INODE_COMPRESSED)
		return units_read(&u, buf, len, map->logical, err);
	if (map->hole)
		memset(buf, 0, len);
	else
		ret = image_pread(&s->v->img, buf, len, pos);
	return ret ? dsfs_bad(err, "data at", pos, pos + len, ret) : 0;
}

/* Compare two files.  A range that is a hole in both is not read, whatever its length. */
static int compare_bytes(const struct compare_side *a, const struct compare_side *b,
			 enum difference *answer, struct dsfs_err *err)
{
	u8 have_a[PIECE], have_b[PIECE];
	struct dsfs_mapping x, y;
	u64 pos, len;
	int ret;

	*answer = SAME;
	for (pos = 0; *answer == SAME && pos < a->node->attr.size; pos += len) {
		ret = map_both(a, b, pos, &x, &y, err);
		if (ret)
			return ret;
		len = x.len < y.len ? x.len : y.len;
		if (x.hole && y.hole)
			continue;
		if (len > PIECE)
			len = PIECE;
		ret = read_mapping(a, &x, have_a, len, err) ?:
		      read_mapping(b, &y, have_b, len, err);
		if (ret)
			return ret;
		if (memcmp(have_a, have_b, len))
			*answer = OTHER;
	}
	return 0;
}

static int read_both(const struct compare_side *a, const struct compare_side *b,
		     enum difference *answer, struct dsfs_err *err)
{
	return verify(a, err) ?: verify(b, err) ?: compare_bytes(a, b, answer, err);
}

/* Whether both files have the same holes; a writer may have stored zeros. */
static int compare_maps(const struct compare_side *a, const struct compare_side *b,
			bool *same, struct dsfs_err *err)
{
	const u64 size = a->node->attr.size;
	struct dsfs_mapping x, y;
	int ret = 0;

	*same = true;
	if (!((a->node->attr.flags | b->node->attr.flags) & DSFS_INODE_HOLES))
		return 0;
	for (u64 pos = 0; *same && pos < size; pos += x.len) {
		ret = map_both(a, b, pos, &x, &y, err);
		if (ret)
			return ret;
		*same = x.len == y.len && x.hole == y.hole &&
			(x.hole || x.stored == y.stored);
	}
	return 0;
}

static int compare_sums(const struct compare_side *a, const struct compare_side *b,
			enum difference *answer, struct dsfs_err *err)
{
	const u64 stored = image_stored_bytes(&a->node->attr, &a->node->extra);
	const unsigned int bits = dsfs_chunk_bits(a->v->img.geo, stored);
	u32 x, y;
	int ret;

	*answer = a->node->attr.start == b->node->attr.start ? SAME : UNKNOWN;
	if (!bits || bits != dsfs_chunk_bits(b->v->img.geo, stored))
		return 0;
	for (u64 at = 0; at < stored; at += 1ULL << bits) {
		ret = dsfs_chunk_sum(a->v->src, &a->node->attr, stored, at >> bits, &x, err) ?:
		      dsfs_chunk_sum(b->v->src, &b->node->attr, stored, at >> bits, &y, err);
		if (ret)
			return ret;
		if (x != y) {
			*answer = OTHER;
			return 0;
		}
	}
	return 0;
}

/* Whether a file is compressed: its checksums say nothing of other frames of the same content. */
static bool any_compressed(const struct compare_side *a, const struct compare_side *b)
{
	return (a->node->attr.flags | b->node->attr.flags) & DSFS_INODE_COMPRESSED;
}

/* Whether both files are the same frames at the same place. */
static bool same_frames(const struct compare_side *a, const struct compare_side *b)
{
	const struct dsfs_attr *x = &a->node->attr, *y = &b->node->attr;

	return x->start == y->start && x->stored == y->stored &&
	       dsfs_attr_codec(x) == dsfs_attr_codec(y);
}

static int compare_content(const struct compare_side *a, const struct compare_side *b,
			   unsigned int *changed, struct dsfs_err *err)
{
	enum difference answer = UNKNOWN;
	bool same_map;
	int ret;

	if (a->node->attr.size != b->node->attr.size) {
		*changed |= CHANGED_CONTENT;
		return 0;
	}
	if (!a->node->attr.size)
		return 0;
	ret = compare_maps(a, b, &same_map, err);
	if (any_compressed(a, b))
		answer = same_frames(a, b) ? SAME : UNKNOWN;
	else if (!ret && same_map)
		ret = compare_sums(a, b, &answer, err);
	if (!ret && answer == UNKNOWN)
		ret = read_both(a, b, &answer, err);
	if (!ret && answer == OTHER)
		*changed |= CHANGED_CONTENT;
	return ret;
}

static int compare_targets(const struct compare_side *a, const struct compare_side *b,
			   unsigned int *changed, struct dsfs_err *err)
{
	char x[DSFS_SYMLINK_MAX + 1], y[DSFS_SYMLINK_MAX + 1];
	int ret = image_symlink(a->v->src, &a->node->attr, x, err) ?:
		  image_symlink(b->v->src, &b->node->attr, y, err);

	if (!ret && strcmp(x, y))
		*changed |= CHANGED_TARGET;
	return ret;
}

/* Whether two sets are equal; both are in the order of the format. */
static bool same_xattrs(const struct node_xattrs *x, const struct node_xattrs *y)
{
	if (x->count != y->count)
		return false;
	for (size_t i = 0; i < x->count; i++) {
		if (strcmp(x->v[i].name, y->v[i].name) || x->v[i].len != y->v[i].len ||
		    memcmp(x->v[i].value, y->v[i].value, x->v[i].len))
			return false;
	}
	return true;
}

static int compare_xattrs(const struct compare_side *a, const struct compare_side *b,
			  unsigned int *changed, struct dsfs_err *err)
{
	struct node_xattrs x, y;
	int ret;

	if (!((a->node->attr.flags | b->node->attr.flags) & DSFS_INODE_XATTRS))
		return 0;
	ret = xattr_list_get(a->v->src, a->node, &x, err);
	if (ret)
		return ret;
	ret = xattr_list_get(b->v->src, b->node, &y, err);
	if (!ret) {
		if (!same_xattrs(&x, &y))
			*changed |= CHANGED_XATTRS;
		xattr_list_free(&y);
	}
	xattr_list_free(&x);
	return ret;
}

int compare_nodes(const struct compare_side *a, const struct compare_side *b,
		  unsigned int *changed, const char **what, struct dsfs_err *err)
{
	const struct dsfs_attr *x = &a->node->attr, *y = &b->node->attr;
	int ret = 0;

	*changed = 0;
	if ((x->mode ^ y->mode) & 07777)
		*changed |= CHANGED_MODE;
	if (a->node->uid != b->node->uid || a->node->gid != b->node->gid)
		*changed |= CHANGED_OWNER;
	if (x->mtime != y->mtime)
		*changed |= CHANGED_MTIME;
	if ((S_ISCHR(x->mode) || S_ISBLK(x->mode)) && x->rdev != y->rdev)
		*changed |= CHANGED_DEVICE;
	*what = "xattrs";
	ret = compare_xattrs(a, b, changed, err);
	if (ret)
		return ret;
	*what = "content";
	if (S_ISREG(x->mode))
		return compare_content(a, b, changed, err);
	*what = "target";
	return S_ISLNK(x->mode) ? compare_targets(a, b, changed, err) : 0;
}
