// SPDX-License-Identifier: GPL-2.0
/*
 * A view in three passes over the inodes of an image, in the order of their numbers: which time
 * most of them have, where each one lies in the view, and the view itself.  An inode is 4 + 4 + 1
 * bytes in memory; all else is read again.
 */
#include <unistd.h>

#include "io.h"
#include "maker.h"
#include "memory.h"
#include "msg.h"
#include "nsec.h"

typedef int (*inode_fn)(struct maker *m, const struct image_node *node, struct dsfs_err *err);

/*
 * Go through the inodes, and through hard-link entries, whose node has only @attr.
 * Return: 0, or -1 after a message.
 */
static int each_inode(struct maker *m, inode_fn fn)
{
	struct dsfs_err err = { 0 };
	u64 place = DSFS_NO_PLACE;
	struct image_node node = { };
	char text[256];
	int ret = 0;
	u32 ino;

	for (ino = DSFS_ROOT_INO; !ret && ino < m->count; ino++) {
		ret = dsfs_inode_next(m->src, ino, &place, &node.attr, &err);
		if (!ret && !dsfs_attr_is_hardlink(&node.attr)) {
			node.nlink = node.attr.nlink;
			ret = dsfs_extra_get(m->src, &node.attr, &node.extra, &err);
		}
		if (!ret && !dsfs_attr_is_hardlink(&node.attr))
			ret = dsfs_owner_get(m->src, &node.attr, &node.uid, &node.gid, &err);
		if (!ret)
			ret = fn(m, &node, &err);
	}
	if (!ret)
		return 0;
	err_text(&err, ret, text, sizeof(text));
	return msg_error(m->path, "inode %u: %s", ino - 1, text);
}

/* The time that most inodes have, if more than half of them have the same one */
static void find_time(struct maker *m)
{
	struct dsfs_err err = { 0 };
	u64 place = DSFS_NO_PLACE;
	struct dsfs_attr attr;
	u64 votes = 0;
	int ret = 0;

	for (u32 ino = DSFS_ROOT_INO; !ret && ino < m->count; ino++) {
		ret = dsfs_inode_next(m->src, ino, &place, &attr, &err);
		if (ret || dsfs_attr_is_hardlink(&attr))
			continue;
		if (!votes)
			m->time = attr.mtime;
		votes += m->time == attr.mtime ? 1 : -1;
	}
	/* the next pass meets an error again */
}

/* What hard-link entries lead to was placed before. */
static int place_link(struct maker *m, const struct dsfs_attr *attr, u32 ino, struct dsfs_err *err)
{
	const u64 to = attr->start;

	if (to >= ino || !m->kind[to] || m->kind[to] & KIND_LINK || m->kind[to] == DT_DIR ||
	    (m->kind[to] & KIND_TYPE) != dsfs_mode_to_dt(attr->mode))
		return dsfs_bad(err, "inode of a hard-link entry", to, ino, -EUCLEAN);
	m->nid[ino] = m->nid[to];
	m->kind[ino] = m->kind[to] | KIND_LINK;
	return 0;
}

/* Take a place; that of an inode with its tail is followed by what fits in front of it. */
static u64 take(struct maker *m, const struct shape *s, bool apart)
{
	u64 *end = &m->ends[apart], bytes = shape_bytes(s), at;

	if (!apart && bytes <= m->gap_end - m->gap) {
		m->gap += bytes;
		return m->gap - bytes;
	}
	at = shape_place(s, *end);
	if (!apart && at - *end > m->gap_end - m->gap) {
		m->gap = *end;
		m->gap_end = at;
	}
	*end = at + bytes;
	return at;
}

static int place_inode(struct maker *m, const struct image_node *node, struct dsfs_err *err)
{
	const u32 ino = node->attr.ino;
	u64 size = node->attr.size;
	struct shape s;
	bool apart;
	u64 at;
	int ret;

	if (dsfs_attr_is_hardlink(&node->attr))
		return place_link(m, &node->attr, ino, err);
	if (ino == DSFS_ROOT_INO && !S_ISDIR(node->attr.mode))
		return dsfs_bad(err, "type of the root", node->attr.mode, S_IFDIR, -EUCLEAN);
	ret = S_ISDIR(node->attr.mode) ? dir_size(m, &node->attr, NULL, &size, err) : 0;
	if (!ret)
		ret = shape_get(m, node, size, &s, err);
	if (ret)
		return ret;
	if (s.chunks > m->chunks) {
		m->refused.chopped++;
		s.chunks = 0;
	}
	m->chunks -= s.chunks;
	apart = S_ISREG(node->attr.mode) && s.layout == EROFS_INLINE;
	at = take(m, &s, apart);
	if ((m->ends[0] + m->ends[1]) >> EROFS_NID_BITS > U32_MAX - EROFS_BLOCK)
		return dsfs_bad(err, "bytes of inodes", at, U32_MAX, -EFBIG);
	m->nid[ino] = at >> EROFS_NID_BITS;
	m->kind[ino] = dsfs_mode_to_dt(node->attr.mode) | (apart ? KIND_APART : 0);
	m->base += s.own;
	m->made.inodes++;
	return 0;
}

static void refuse(const struct maker *m, u64 n, const char *what)
{
	if (n)
		msg_error(m->path, "%llu file%s %s", n, msg_s(n), what);
}

/* Say what EROFS cannot describe.  Return: 0, or -1 after a message. */
static int tell_refused(const struct maker *m)
{
	const struct refused *r = &m->refused;

	refuse(m, r->compressed,
	       "compressed: pack anew with --compress=none, or mount by dsfs-fuse(8)");
	refuse(m, r->moved,
	       "of more than 4096 bytes at no multiple of 4096: pack anew with --align=4K and without --tar-index, or mount by dsfs-fuse(8)");
	refuse(m, r->chopped, "with holes too small for the size: mount by dsfs-fuse(8)");
	refuse(m, r->attrs,
	       "with more than 255 attributes, or a long one: mount by dsfs-fuse(8)");
	return r->compressed || r->moved || r->chopped || r->attrs ? -1 : 0;
}

/* Where the parts of the view lie.  Return: 0, or -1 after a message. */
static int lay_out(struct maker *m)
{
	const struct dsfs_geo *geo = &m->src->geo;
	const u64 attrs = geo->regions[DSFS_REGION_XATTRS].bytes, blocks = m->base;

	m->apart_at = in_blocks(m->ends[0]) << EROFS_BLOCK_BITS;
	for (u32 ino = DSFS_ROOT_INO; ino < m->count; ino++)
		m->nid[ino] += m->kind[ino] & KIND_APART ? m->apart_at >> EROFS_NID_BITS : 0;
	m->xattrs_at = m->apart_at + (in_blocks(m->ends[1]) << EROFS_BLOCK_BITS);
	m->blocks_at = m->xattrs_at + (in_blocks(attrs) << EROFS_BLOCK_BITS);
	m->base = in_blocks(m->blocks_at) + blocks;
	m->made.bytes = m->base << EROFS_BLOCK_BITS;
	if (attrs / 4 <= U32_MAX && m->base + in_blocks(geo->data_end) < EROFS_NO_BLOCK)
		return 0;
	return msg_error(m->path, "%llu bytes of data and %llu of the view: EROFS ends at 16 TiB",
			 geo->data_end, m->made.bytes);
}

static void put_super(struct maker *m, u8 *first)
{
	const struct dsfs_geo *geo = &m->src->geo;
	const struct nsec_time time = nsec_split(m->time);
	struct erofs_super *sb = (void *)(first + EROFS_SUPER_AT);
	struct erofs_device *dev = (void *)(first + EROFS_DEVICE_AT);

	*sb = (struct erofs_super){
		.magic = cpu_to_le32(EROFS_MAGIC),
		.compat = cpu_to_le32(EROFS_COMPAT_SUM | EROFS_COMPAT_MTIME),
		.block_bits = EROFS_BLOCK_BITS,
		.root = cpu_to_le16(m->nid[DSFS_ROOT_INO]),
		.inodes = cpu_to_le64(m->made.inodes),
		.time = cpu_to_le64(time.sec),
		.time_nsec = cpu_to_le32(time.nsec),
		.blocks = cpu_to_le32(m->base),
		.xattrs_block = cpu_to_le32(geo->regions[DSFS_REGION_XATTRS].bytes ?
					    m->xattrs_at >> EROFS_BLOCK_BITS : 0),
		.incompat = cpu_to_le32(EROFS_INCOMPAT_CHUNKS | EROFS_INCOMPAT_DEVICES),
		.devices = cpu_to_le16(1),
		.device_slot = cpu_to_le16(EROFS_DEVICE_AT / EROFS_DEVICE_SLOT),
	};
	memcpy(sb->uuid, geo->uuid, sizeof(sb->uuid));
	for (unsigned int i = 0; i < 8; i++)	/* no two generations have the same one */
		sb->uuid[15 - i] ^= (geo->generation - 1) >> (8 * i);
	if (strlen((const char *)geo->label) < sizeof(sb->label))
		memcpy(sb->label, geo->label, strlen((const char *)geo->label));
	dev->blocks = cpu_to_le32(in_blocks(geo->data_end));
	dev->base = cpu_to_le32(m->base);
	/* without the inversion at the end that others have */
	sb->checksum = cpu_to_le32(~dsfs_crc32c(0, sb, EROFS_BLOCK - EROFS_SUPER_AT));
}

static int write_all(struct maker *m, int fd)
{
	u8 first[EROFS_BLOCK] = { 0 };
	struct out *const parts[] = { &m->inodes, &m->gaps, &m->apart, &m->xattrs, &m->blocks };
	int ret = 0, end, err = 0;

	if (ftruncate(fd, m->made.bytes))
		err = errno;
	if (!err && (out_init(&m->inodes, fd, first, 0) || out_init(&m->gaps, fd, first, 0) ||
		     out_init(&m->apart, fd, NULL, m->apart_at) ||
		     out_init(&m->xattrs, fd, NULL, m->xattrs_at) ||
		     out_init(&m->blocks, fd, NULL, m->blocks_at)))
		err = ENOMEM;
	if (!err)
		ret = each_inode(m, inode_write);
	for (int i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		end = out_end(parts[i]);
		err = err ? err : -end;
	}
	put_super(m, first);
	errno = 0;
	if (!err && !ret && io_pwrite(fd, first, sizeof(first), 0) != sizeof(first))
		err = errno ? errno : EIO;
	if (err)
		msg_error(m->path, "the view cannot be written: %s", msg_why(err));
	return ret || err ? -1 : 0;
}

static int make(struct maker *m, int fd)
{
	int ret;

	find_time(m);
	ret = each_inode(m, place_inode);
	if (!ret)
		ret = tell_refused(m);
	if (!ret)
		ret = lay_out(m);
	return ret ? ret : write_all(m, fd);
}

int view_make(struct dsfs_source *src, const char *path, int fd, struct view_made *made)
{
	struct maker m = {
		.src = src, .path = path, .count = src->geo.inodes, .ends = { EROFS_INODES_AT, 0 },
		.chunks = VIEW_CHUNKS_MAX + in_blocks(src->geo.data_end) / 16,
	};
	int ret;

	/* bytes of files that share blocks lie one behind the other */
	reader_file_hold(src->img->reader);
	m.nid = memory_alloc((u64)m.count * sizeof(*m.nid));
	m.parent = memory_alloc((u64)m.count * sizeof(*m.parent));
	m.kind = memory_alloc(m.count);
	ret = m.nid && m.parent && m.kind ? make(&m, fd) : no_memory();
	*made = m.made;
	memory_free(m.nid);
	memory_free(m.parent);
	memory_free(m.kind);
	attrs_free(&m);
	return ret ? -1 : 0;
}
