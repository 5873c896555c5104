// SPDX-License-Identifier: GPL-2.0
/* An inode of the view with its attributes, and the bytes that are copied into it. */
#include "maker.h"
#include "nsec.h"

/* As kernels give device numbers to programs: 32 bits */
static u32 device_number(u32 rdev)
{
	const u32 major = rdev >> 20, minor = rdev & 0xfffff;

	return (minor & 0xff) | major << 8 | (minor & ~0xffu) << 12;
}

/* The member of an inode that tells where its data is */
static u32 place_of(const struct maker *m, const struct image_node *node, const struct shape *s,
		    u32 block)
{
	const struct dsfs_attr *a = &node->attr;

	if (S_ISCHR(a->mode) || S_ISBLK(a->mode))
		return device_number(a->rdev);
	if (s->layout == EROFS_CHUNKS)
		return s->chunk_bits - EROFS_BLOCK_BITS;
	if (!s->size)
		return EROFS_NO_BLOCK;
	if (S_ISREG(a->mode) && !s->own && s->tail < s->size)
		return m->base + (a->start >> EROFS_BLOCK_BITS);
	return block;
}

static void put_large(struct maker *m, const struct image_node *node, const struct erofs_small *i,
		      u64 size)
{
	const struct nsec_time time = nsec_split(node->attr.mtime);

	out_put(m->to, &(struct erofs_large){
		.format = i->format | cpu_to_le16(EROFS_LARGE),
		.xattrs = i->xattrs,
		.mode = i->mode,
		.size = cpu_to_le64(size),
		.place = i->place,
		.ino = i->ino,
		.uid = cpu_to_le32(node->uid),
		.gid = cpu_to_le32(node->gid),
		.time = cpu_to_le64(time.sec),
		.time_nsec = cpu_to_le32(time.nsec),
		.nlink = cpu_to_le32(node->nlink),
	}, sizeof(struct erofs_large));
}

static void put_inode(struct maker *m, const struct image_node *node, const struct shape *s,
		      u32 block)
{
	const struct erofs_small i = {
		.format = cpu_to_le16(s->layout << EROFS_LAYOUT_SHIFT),
		.xattrs = cpu_to_le16(s->attrs ? (s->attrs - sizeof(struct erofs_xattrs)) / 4 + 1 :
				      0),
		.mode = cpu_to_le16(node->attr.mode),
		.nlink = cpu_to_le16(node->nlink),
		.size = cpu_to_le32(s->size),
		.place = cpu_to_le32(place_of(m, node, s, block)),
		.ino = cpu_to_le32(node->attr.ino),
		.uid = cpu_to_le16(node->uid),
		.gid = cpu_to_le16(node->gid),
	};

	if (s->large)
		put_large(m, node, &i, s->size);
	else
		out_put(m->to, &i, sizeof(i));
}

/* The bytes of a file or a link that are in the view.  @tail has room for a block. */
static int get_tail(struct maker *m, const struct image_node *node, const struct shape *s,
		    u8 *tail, u32 *bytes, struct dsfs_err *err)
{
	const struct dsfs_attr *a = &node->attr;
	u64 at;
	int ret;

	*bytes = 0;
	if (!s->tail && !s->own)
		return 0;
	if (S_ISLNK(a->mode)) {
		*bytes = s->size;
		return image_symlink(m->src, a, (char *)tail, err);
	}
	*bytes = s->size <= EROFS_BLOCK ? s->size : s->size % EROFS_BLOCK;
	at = a->start + image_stored_bytes(a, &node->extra) - *bytes;
	ret = image_pread(m->src->img, tail, *bytes, at);
	if (ret)
		dsfs_bad(err, "data", at, *bytes, ret);
	m->made.copied += *bytes;
	return ret;
}

int inode_write(struct maker *m, const struct image_node *node, struct dsfs_err *err)
{
	const u64 at = (u64)m->nid[node->attr.ino] << EROFS_NID_BITS;
	const u32 block = m->blocks.at >> EROFS_BLOCK_BITS;
	u8 tail[EROFS_BLOCK] = { 0 };
	u64 size = S_ISDIR(node->attr.mode) ? 0 : node->attr.size;
	struct shape s;
	u32 bytes;
	int ret = 0;

	if (dsfs_attr_is_hardlink(&node->attr))
		return 0;
	if (S_ISDIR(node->attr.mode))
		ret = dir_size(m, &node->attr, tail, &size, err);
	bytes = size % EROFS_BLOCK;
	if (!ret)
		ret = shape_get(m, node, size, &s, err);
	if (!ret && !S_ISDIR(node->attr.mode))
		ret = get_tail(m, node, &s, tail, &bytes, err);
	if (ret)
		return ret;
	m->to = m->kind[node->attr.ino] & KIND_APART ? &m->apart :
		at < m->inodes.at ? &m->gaps : &m->inodes;
	out_seek(m->to, at);
	put_inode(m, node, &s, block);
	ret = attrs_write(m, node, err);
	if (!ret && s.layout == EROFS_CHUNKS)
		ret = chunks_write(m, node, &s, err);
	if (s.tail)
		out_put(m->to, tail, s.tail);
	else if (bytes)
		out_put(&m->blocks, tail, EROFS_BLOCK);
	return ret;
}
