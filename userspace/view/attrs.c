// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes.  Inodes of an image share whole sets.  In the view each attribute of a set
 * is a shared one, at the place that it has in XATTRS: an entry of EROFS is 4 bytes shorter than
 * one of DSFS.  So no table is needed that leads from a set to the numbers of its attributes.
 */
#include "maker.h"
#include "memory.h"

/* As EROFS numbers what names begin with */
static const u8 erofs_prefix[] = {
	[DSFS_XATTR_USER] = 1, [DSFS_XATTR_ACL_ACCESS] = 2, [DSFS_XATTR_ACL_DEFAULT] = 3,
	[DSFS_XATTR_TRUSTED] = 4, [DSFS_XATTR_SECURITY] = 6,
};

void attrs_free(struct maker *m)
{
	free(m->attrs.set);
	memory_free(m->attrs.seen);
	memory_free(m->attrs.used);
}

/* Count the attributes of the set; an attribute that EROFS has no room for is the caller's. */
static int count_attrs(struct attrs *a, bool *fits, struct dsfs_err *err)
{
	struct dsfs_xattr_info info;
	u32 said, cursor;
	int ret = dsfs_xattr_first(a->set, a->bytes, &said, &cursor, err);

	a->count = 0;
	*fits = true;
	if (ret)
		return ret;
	while ((ret = dsfs_xattr_next(a->set, a->bytes, &cursor, &info, err)) > 0) {
		a->count++;
		*fits &= info.value_len <= EROFS_VALUE_MAX && a->count <= EROFS_SHARED_MAX;
	}
	if (!ret && a->count != said)
		ret = dsfs_bad(err, "attributes in an xattr set", a->count, said, -EUCLEAN);
	return ret;
}

int attrs_load(struct maker *m, const struct image_node *node, struct dsfs_err *err)
{
	struct attrs *a = &m->attrs;
	bool fits = true;
	int ret;

	if (a->set && a->at == node->extra.xattrs)
		return 0;
	free(a->set);
	a->count = 0;
	a->at = node->extra.xattrs;
	ret = image_xattr_set(m->src, &node->extra, &a->set, &a->bytes, err);
	if (!ret)
		ret = count_attrs(a, &fits, err);
	if (!ret && a->at % 4)
		ret = dsfs_bad(err, "place of an xattr set", a->at, 4, -EUCLEAN);
	m->refused.attrs += !ret && !fits;
	return ret;
}

static bool bit(const u64 *bits, u64 n)
{
	return bits[n / 64] >> n % 64 & 1;
}

/* Take the place of a set.  Return: 1: it was written before; -EUCLEAN: by another one. */
static int claim(struct maker *m, struct dsfs_err *err)
{
	struct attrs *a = &m->attrs;
	const u64 region = m->src->geo.regions[DSFS_REGION_XATTRS].bytes;
	const u64 from = a->at / 4, to = from + a->bytes / 4;
	const size_t bytes = (region / 4 / 64 + 1) * sizeof(u64);

	if (!a->seen)
		a->seen = memory_alloc(bytes);
	if (!a->used)
		a->used = memory_alloc(bytes);
	if (!a->seen || !a->used)
		return dsfs_bad(err, "memory for xattrs", bytes, 0, -ENOMEM);
	if (bit(a->seen, from))
		return 1;
	a->seen[from / 64] |= 1ULL << from % 64;
	for (u64 n = from; n < to; n++) {
		if (bit(a->used, n))
			return dsfs_bad(err, "xattr set that lies in another one", a->at, 0,
					-EUCLEAN);
		a->used[n / 64] |= 1ULL << n % 64;
	}
	return 0;
}

static void put_attr(struct out *o, const struct dsfs_xattr_info *info)
{
	const struct erofs_xattr raw = {
		.name_len = info->name_len,
		.prefix = erofs_prefix[info->prefix],
		.value_len = cpu_to_le16(info->value_len),
	};

	out_put(o, &raw, sizeof(raw));
	out_put(o, info->name, info->name_len);
	out_put(o, info->value, info->value_len);
}

/* Write numbers of attributes, or the attributes themselves. */
static int put_all(struct maker *m, bool numbers, struct dsfs_err *err)
{
	const struct attrs *a = &m->attrs;
	struct dsfs_xattr_info info;
	u32 count, cursor, at;
	int ret = dsfs_xattr_first(a->set, a->bytes, &count, &cursor, err);

	for (at = cursor; !ret; at = cursor) {
		const __le32 number = cpu_to_le32((a->at + at) / 4);

		ret = dsfs_xattr_next(a->set, a->bytes, &cursor, &info, err);
		if (ret <= 0)
			return ret;
		ret = 0;
		if (numbers) {
			out_put(m->to, &number, sizeof(number));
			continue;
		}
		out_seek(&m->xattrs, m->xattrs_at + a->at + at);
		put_attr(&m->xattrs, &info);
	}
	return ret;
}

int attrs_write(struct maker *m, const struct image_node *node, struct dsfs_err *err)
{
	struct erofs_xattrs head = { 0 };
	int ret;

	if (!(node->attr.flags & DSFS_INODE_XATTRS))
		return 0;
	ret = attrs_load(m, node, err);
	if (ret)
		return ret;
	head.shared = m->attrs.count;
	out_put(m->to, &head, sizeof(head));
	ret = put_all(m, true, err);
	if (!ret)
		ret = claim(m, err);
	return ret ? ret < 0 ? ret : 0 : put_all(m, false, err);
}
