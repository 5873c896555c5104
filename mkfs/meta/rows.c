// SPDX-License-Identifier: GPL-2.0
/*
 * The region NAMES: name blocks with the rows of their inodes, which are known at the end.
 */
#include "../plan/rows.h"
#include "format.h"
#include "meta.h"

static int make_row(void *arg, struct node *n, s64 *row)
{
	struct meta *m = arg;
	struct inode i;
	int ret = inode_make(m, n, &i);

	if (ret)
		return ret;
	row[DSFS_COLUMN_KIND] = (u64)i.nlink << 32 | (u64)i.flags << 16 | i.mode;
	row[DSFS_COLUMN_OWNER] = (u64)i.extra << 32 | i.owner;
	row[DSFS_COLUMN_SIZE] = i.size;
	row[DSFS_COLUMN_START] = i.start;
	row[DSFS_COLUMN_MTIME] = i.mtime;
	row[DSFS_COLUMN_SUM] = i.sum;
	row[DSFS_COLUMN_STORED] = i.stored;
	row[DSFS_COLUMN_UNITS] = i.units;
	return 0;
}

/* The block of @count names from name @from of a directory on */
static int put_block(struct meta *m, const struct rows *r, u32 first, int count)
{
	__le32 block[DSFS_BLOCK_SIZE / sizeof(__le32)];
	const __le32 number = cpu_to_le32(first);
	const u16 fill = count;
	u32 bytes;
	const u64 at = rows_at(r, &bytes);
	int ret = meta_pad(m, at);

	if (ret)
		return ret;
	if (!(at & (DSFS_BLOCK_SIZE - 1)) && array_append(&m->numbers, &number))
		return -ENOMEM;
	rows_write(r, block);
	return array_append(&m->fills, &fill) ? -ENOMEM : meta_put(m, block, bytes);
}

static int put_dir(struct meta *m, struct rows *r, struct dir *d)
{
	int count = rows_begin(r, d, m->bytes[DSFS_REGION_NAMES]), ret;
	u32 from = 0;

	for (; count > 0; count = rows_next(r)) {
		ret = put_block(m, r, d->first + from, count);
		if (ret)
			return ret;
		from += count;
	}
	return count;
}

int meta_rows(struct meta *m)
{
	const struct tree *t = m->store->tree;
	struct rows *r = rows_new(make_row, m);
	int ret;

	if (!r || table_init(&m->extras, sizeof(struct dsfs_extra), sizeof(struct dsfs_extra))) {
		rows_free(r);
		return -ENOMEM;
	}
	m->fills.size = sizeof(u16);
	m->numbers.size = sizeof(__le32);
	ret = meta_root(m);
	meta_begin(m, DSFS_REGION_NAMES);
	for (u64 i = 0; !ret && i < t->ndirs; i++)
		ret = put_dir(m, r, tree_dir(t, i));
	rows_free(r);
	return ret ? ret : meta_end(m);
}
