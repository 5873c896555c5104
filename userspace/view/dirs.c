// SPDX-License-Identifier: GPL-2.0
/*
 * Directories.  EROFS sorts names as DSFS does, but has "." and ".." among them, and looks one up
 * by a binary search of blocks: each has entries, then their names.
 */
#include "maker.h"

/* Entries that a block may have: names have a byte at least. */
#define ENTRIES		(EROFS_BLOCK / (sizeof(struct erofs_dirent) + 1))

/**
 * struct dirpack - a directory that is packed into blocks
 * @tail: as of dir_size()
 * @count: entries of the current block
 * @bytes: of its names
 * @whole: bytes of the blocks in front of it
 */
struct dirpack {
	struct maker *m;
	u8 *tail;
	u32 count;
	u32 bytes;
	u64 whole;
	struct erofs_dirent entries[ENTRIES];
	char names[EROFS_BLOCK];
};

/* As EROFS numbers types; by that of an inode, which was checked */
static const u8 file_type[] = {
	[DT_REG] = 1, [DT_DIR] = 2, [DT_CHR] = 3, [DT_BLK] = 4, [DT_FIFO] = 5, [DT_SOCK] = 6,
	[DT_LNK] = 7,
};

/* The current block, zero behind its names */
static void block_get(struct dirpack *p, u8 *block)
{
	const u32 names = p->count * sizeof(*p->entries);

	for (u32 i = 0; i < p->count; i++)
		p->entries[i].name_at = cpu_to_le16(le16_to_cpu(p->entries[i].name_at) + names);
	memcpy(block, p->entries, names);
	memcpy(block + names, p->names, p->bytes);
	memset(block + names + p->bytes, 0, EROFS_BLOCK - names - p->bytes);
}

static void add(struct dirpack *p, const char *name, u32 len, u32 ino)
{
	const u32 used = p->count * sizeof(*p->entries) + p->bytes;

	if (used + sizeof(*p->entries) + len > EROFS_BLOCK) {
		if (p->tail) {
			block_get(p, p->tail);
			out_put(&p->m->blocks, p->tail, EROFS_BLOCK);
		}
		p->whole += EROFS_BLOCK;
		p->count = 0;
		p->bytes = 0;
	}
	if (p->tail) {
		p->entries[p->count] = (struct erofs_dirent){
			.nid = cpu_to_le32(p->m->nid[ino]),
			.name_at = cpu_to_le16(p->bytes),
			.type = file_type[p->m->kind[ino] & KIND_TYPE],
		};
		memcpy(p->names + p->bytes, name, len);
	}
	p->count++;
	p->bytes += len;
}

/* A name leads to an inode that no other name leads to, and that is what the name says. */
static int take(struct maker *m, const struct dsfs_dir_info *dir, const struct dsfs_name *name,
		struct dsfs_err *err)
{
	const u64 ino = (u64)dir->first + name->pos;
	u8 type;

	if (ino <= dir->self || ino >= m->count)
		return dsfs_bad(err, "inode of a name", ino, m->count, -EUCLEAN);
	type = m->kind[ino] & KIND_LINK ? DSFS_DT_HARDLINK : m->kind[ino] & KIND_TYPE;
	if (name->type != type)
		return dsfs_bad(err, "type of an entry", name->type, m->kind[ino], -EUCLEAN);
	if (m->parent[ino])
		return dsfs_bad(err, "inode of two directories", ino, m->parent[ino], -EUCLEAN);
	m->parent[ino] = dir->self;
	return 0;
}

static int pack(struct dirpack *p, const struct dsfs_dir_info *dir, struct dsfs_err *err)
{
	const u32 dots[] = { dir->self, dir->parent };
	struct dsfs_name name, last = { .len = 0 };
	struct dsfs_dir_iter it;
	u32 dot = 0;
	int ret;

	dsfs_dir_iter_init(&it, p->m->src, dir, 0);
	do {
		ret = dsfs_dir_iter_next(&it, &name, err);
		if (ret > 0 && dsfs_name_cmp(last.name, last.len, name.name, name.len) >= 0)
			ret = dsfs_bad(err, "order of names", name.pos, dir->count, -EUCLEAN);
		for (; ret >= 0 && dot < 2 &&
		     (!ret || dsfs_name_cmp("..", dot + 1, name.name, name.len) < 0); dot++)
			add(p, "..", dot + 1, dots[dot]);
		if (ret > 0 && p->tail && take(p->m, dir, &name, err))
			ret = -EUCLEAN;
		if (ret > 0)
			add(p, name.name, name.len, dir->first + name.pos);
		last.len = ret > 0 ? name.len : 0;
		memcpy(last.name, name.name, last.len);
	} while (ret > 0);
	dsfs_dir_iter_end(&it);
	return ret;
}

/* Whether a directory, which its parent was met before, is where it says. */
static int check(const struct maker *m, const struct dsfs_dir_info *dir, u32 ino,
		 struct dsfs_err *err)
{
	const u32 parent = ino == DSFS_ROOT_INO ? DSFS_ROOT_INO : m->parent[ino];

	if (dir->self != ino)
		return dsfs_bad(err, "number of a directory", dir->self, ino, -EUCLEAN);
	if (dir->parent != parent)
		return dsfs_bad(err, "parent of a directory", dir->parent, parent, -EUCLEAN);
	return 0;
}

int dir_size(struct maker *m, const struct dsfs_attr *attr, u8 *tail, u64 *size,
	     struct dsfs_err *err)
{
	struct dirpack p = { .m = m, .tail = tail };
	struct dsfs_dir_info dir;
	int ret = dsfs_dir_get(m->src, attr, &dir, err);

	if (!ret && tail)
		ret = check(m, &dir, attr->ino, err);
	m->names += ret || tail ? 0 : dir.count;
	if (!ret && m->names > m->count)
		ret = dsfs_bad(err, "names of all directories", m->names, m->count, -EUCLEAN);
	if (!ret)
		ret = pack(&p, &dir, err);
	if (ret)
		return ret;
	*size = p.whole + p.count * sizeof(*p.entries) + p.bytes;
	if (tail)
		block_get(&p, tail);
	/* a block that is full is a whole one */
	if (tail && !(*size % EROFS_BLOCK))
		out_put(&m->blocks, tail, EROFS_BLOCK);
	return 0;
}
