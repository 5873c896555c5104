// SPDX-License-Identifier: GPL-2.0
/*
 * Name blocks with rows: names, and behind them the inodes of their nodes.
 *
 * How many names a block has depends on the bytes that the rows need, and these on all inodes of
 * the block: the next name may make a column wider for all of them.  So blocks are filled when
 * inodes are known, at the end, and the places of names are not planned before.
 */
#include <stdlib.h>

#include "../plan/index.h"
#include "../plan/names.h"
#include "format.h"
#include "meta.h"

/* No name block has as many names: at most 256 middles have one byte or none. */
#define ENTRIES_MAX	(DSFS_BLOCK_SIZE / 2)

/* Columns of a row.  Signed, as times may be before 1970. */
struct entry {
	s64 v[DSFS_COLUMNS];
};

/**
 * struct spread - the values of a column so far
 * @first: of the first name
 * @differ: by how much any of them differs from it: bits that one of the differences has
 * @time: these are times, and @unit is the largest of dsfs_mtime_units that divides all differences
 */
struct spread {
	s64 first;
	s64 least;
	s64 most;
	u64 differ;
	bool time;
	u8 unit;
};

/**
 * struct rows - a directory whose name blocks are written
 * @from: position of the first name that is not written
 * @entries: @n of these, from there on
 * @names, @spreads: of the names of the block that is filled
 */
struct rows {
	struct meta *m;
	struct dir *dir;
	u32 from;
	u32 n;
	struct names_sum names;
	struct spread spreads[DSFS_COLUMNS];
	struct entry entries[ENTRIES_MAX];
};

/* Make the entry of the next node that has none. */
static int add_entry(struct rows *r)
{
	struct node *n = &r->dir->nodes[r->from + r->n];
	struct entry *e = &r->entries[r->n];
	struct inode i;
	int ret = inode_make(r->m, n, &i);

	if (ret)
		return ret;
	e->v[DSFS_COLUMN_KIND] = (u64)i.nlink << 32 | (u64)i.flags << 16 | i.mode;
	e->v[DSFS_COLUMN_OWNER] = (u64)i.extra << 32 | i.owner;
	e->v[DSFS_COLUMN_SIZE] = i.size;
	e->v[DSFS_COLUMN_START] = i.start;
	e->v[DSFS_COLUMN_MTIME] = i.mtime;
	e->v[DSFS_COLUMN_SUM] = i.sum;
	e->v[DSFS_COLUMN_STORED] = i.stored;
	e->v[DSFS_COLUMN_UNITS] = i.units;
	r->n++;
	return 0;
}

static void spread_add(struct spread *s, s64 v, bool first)
{
	u64 by;

	if (first)
		*s = (struct spread){ .first = v, .least = v, .most = v, .time = s->time,
				      .unit = s->time ? DSFS_MTIME_UNITS - 1 : 0 };
	by = v > s->first ? (u64)v - (u64)s->first : (u64)s->first - (u64)v;
	if (v < s->least)
		s->least = v;
	if (v > s->most)
		s->most = v;
	s->differ |= by;
	while (s->unit && by % dsfs_mtime_units[s->unit])
		s->unit--;
}

static unsigned int spread_unit(const struct spread *s)
{
	return s->differ ? s->unit : 0;
}

/* Zero bits that all differences end in: as many as that to the least value, in units */
static unsigned int spread_shift(const struct spread *s)
{
	/* A unit is a power of 10, and as many of 2. */
	return s->differ ? __builtin_ctzll(s->differ) - 3 * s->unit : 0;
}

/* What is stored of a value */
static u64 spread_bits(const struct spread *s, s64 v)
{
	return ((u64)v - (u64)s->least) / dsfs_mtime_units[spread_unit(s)] >> spread_shift(s);
}

static unsigned int spread_width(const struct spread *s)
{
	const u64 most = spread_bits(s, s->most);

	return most ? (64 - __builtin_clzll(most) + 7) / 8 : 0;
}

static u32 row_bytes(const struct spread *spreads)
{
	u32 bytes = 0;

	for (unsigned int i = 0; i < DSFS_COLUMNS; i++)
		bytes += spread_width(&spreads[i]);
	return bytes;
}

/* Fill a block of @room bytes.  Return: its names, -errno. */
static int fill_block(struct rows *r, u32 room)
{
	struct spread more[DSFS_COLUMNS];
	struct names_sum names;
	u32 count = 0, used;
	int ret;

	names_begin(&r->names, r->dir, r->from);
	for (; r->from + count < r->dir->count; count++, r->names = names) {
		if (count == r->n) {
			ret = add_entry(r);
			if (ret)
				return ret;
		}
		names = r->names;
		names_add(&names);
		names_form(&names, &used);
		memcpy(more, r->spreads, sizeof(more));
		for (unsigned int i = 0; i < DSFS_COLUMNS; i++)
			spread_add(&more[i], r->entries[count].v[i], !count);
		if (used + sizeof(struct dsfs_rows) + (count + 1) * row_bytes(more) > room)
			break;
		memcpy(r->spreads, more, sizeof(more));
	}
	return count;
}

static void put_value(u8 **at, u64 v, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++, v >>= 8)
		*(*at)++ = v;
}

/* Write the rows of the first @count names.  Return: where they end. */
static u8 *rows_write(const struct rows *r, u32 count, u8 *at)
{
	struct dsfs_rows raw = { 0 };

	for (unsigned int i = 0; i < DSFS_COLUMNS; i++) {
		raw.base[i] = cpu_to_le64(r->spreads[i].least);
		raw.width[i] = spread_width(&r->spreads[i]);
		raw.shift[i] = spread_shift(&r->spreads[i]) |
			       spread_unit(&r->spreads[i]) << DSFS_MTIME_UNIT_SHIFT;
	}
	memcpy(at, &raw, sizeof(raw));
	at += sizeof(raw);
	for (u32 k = 0; k < count; k++)
		for (unsigned int i = 0; i < DSFS_COLUMNS; i++)
			put_value(&at, spread_bits(&r->spreads[i], r->entries[k].v[i]),
				  raw.width[i]);
	return at;
}

static int put_block(struct rows *r, u32 count)
{
	__le32 block[DSFS_BLOCK_SIZE / sizeof(__le32)];
	const __le32 number = cpu_to_le32(r->dir->first + r->from);
	const u16 fill = count;
	u8 *end = (u8 *)block + names_write(&r->names, block);

	end = rows_write(r, count, end);
	r->from += count;
	r->n -= count;
	memmove(r->entries, r->entries + count, r->n * sizeof(*r->entries));
	r->dir->name_blocks++;
	if (!(r->m->bytes[DSFS_REGION_NAMES] & (DSFS_BLOCK_SIZE - 1)) &&
	    array_append(&r->m->numbers, &number))
		return -ENOMEM;
	return array_append(&r->m->fills, &fill) ? -ENOMEM :
	       meta_put(r->m, block, end - (u8 *)block);
}

/*
 * Fill the first block of a directory, and decide where it begins: as names_place() does.
 * Return: its names, or -errno.
 */
static int first_block(struct rows *r)
{
	const u64 mask = DSFS_BLOCK_SIZE - 1, end = r->m->bytes[DSFS_REGION_NAMES];
	struct dir *d = r->dir;
	int count;

	d->names = (end + 3) & ~3ULL;
	count = fill_block(r, DSFS_BLOCK_SIZE - (d->names & mask));
	if (count < 0 || count == (int)d->count || (count && d->count >= DSFS_INDEX_MIN_NAMES))
		return count;
	d->names = (d->names + mask) & ~mask;
	return fill_block(r, DSFS_BLOCK_SIZE);
}

static int put_dir(struct rows *r)
{
	struct dir *d = r->dir;
	int count, ret;

	r->from = 0;
	r->n = 0;
	d->names = 0;
	d->name_blocks = 0;
	if (!d->count)
		return 0;
	count = first_block(r);
	ret = count < 0 ? count : meta_pad(r->m, d->names) ?: put_block(r, count);
	while (!ret && r->from < d->count) {
		const u64 end = r->m->bytes[DSFS_REGION_NAMES];

		count = fill_block(r, DSFS_BLOCK_SIZE);
		ret = count < 0 ? count :
		      meta_pad(r->m, (end + DSFS_BLOCK_SIZE - 1) & ~(u64)(DSFS_BLOCK_SIZE - 1)) ?:
		      put_block(r, count);
	}
	return ret;
}

int meta_rows(struct meta *m)
{
	const struct tree *t = m->store->tree;
	struct rows *r = calloc(1, sizeof(*r));
	int ret;

	if (!r || table_init(&m->extras, sizeof(struct dsfs_extra), sizeof(struct dsfs_extra))) {
		free(r);
		return -ENOMEM;
	}
	r->m = m;
	r->spreads[DSFS_COLUMN_MTIME].time = true;
	m->fills.size = sizeof(u16);
	m->numbers.size = sizeof(__le32);
	ret = meta_root(m);
	meta_begin(m, DSFS_REGION_NAMES);
	for (u64 i = 0; !ret && i < t->ndirs; i++) {
		r->dir = tree_dir(t, i);
		ret = put_dir(r);
	}
	free(r);
	return ret ? ret : meta_end(m);
}
