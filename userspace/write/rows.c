// SPDX-License-Identifier: GPL-2.0
/*
 * Name blocks with rows: sorted names, and behind them the inodes of their nodes, in blocks of at
 * most 4 KiB, so that a reader checks and searches a bounded number of bytes.  The names of a
 * directory begin where those before them end, so that a directory of any size leaves no rest of a
 * block unused.  Its first name block has what is left of those 4 KiB, and each other one begins on
 * a boundary, so a block number is enough for the index.
 *
 * How many names a block has depends on the bytes that the rows need, and these on all inodes of
 * the block: the next name may make a column wider for all of them.
 */
#include "format.h"
#include "layout.h"

/* No name block has as many names: at most 256 middles have one byte or none. */
#define ENTRIES_MAX	(DSFS_BLOCK_SIZE / 2)

/* Columns of a row */
struct row_entry {
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
 * struct rows - a directory whose name blocks are filled
 * @from: position of the first name of the block that is filled
 * @entries: @n of the names from there on, of which the block has @count
 * @names, @spreads: of the names of the block
 */
struct rows {
	row_fn *make;
	void *arg;
	struct dir *dir;
	u32 from;
	u32 count;
	u32 n;
	struct names_sum names;
	struct spread spreads[DSFS_COLUMNS];
	struct row_entry entries[ENTRIES_MAX];
};

struct rows *rows_new(row_fn *make, void *arg)
{
	struct rows *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->make = make;
	r->arg = arg;
	r->spreads[DSFS_COLUMN_MTIME].time = true;
	return r;
}

void rows_free(struct rows *r)
{
	free(r);
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

/* Bytes of the block with its names so far, and with rows of @row bytes */
static u32 block_bytes(const struct names_sum *names, u32 row)
{
	u32 bytes;

	names_form(names, &bytes);
	return bytes + sizeof(struct dsfs_rows) + names->count * row;
}

/* Fill a block of @room bytes.  Return: its names, or -errno. */
static int fill_block(struct rows *r, u32 room)
{
	struct spread more[DSFS_COLUMNS];
	struct names_sum names;
	int ret;

	names_begin(&r->names, r->dir, r->from);
	for (r->count = 0; r->from + r->count < r->dir->count; r->count++, r->names = names) {
		if (r->count == r->n) {
			ret = r->make(r->arg, &r->dir->nodes[r->from + r->n], r->entries[r->n].v);
			if (ret)
				return ret;
			r->n++;
		}
		names = r->names;
		names_add(&names);
		memcpy(more, r->spreads, sizeof(more));
		for (unsigned int i = 0; i < DSFS_COLUMNS; i++)
			spread_add(&more[i], r->entries[r->count].v[i], !r->count);
		if (block_bytes(&names, row_bytes(more)) > room)
			break;
		memcpy(r->spreads, more, sizeof(more));
	}
	return r->count;
}

int rows_begin(struct rows *r, struct dir *dir, u64 end)
{
	const u64 mask = DSFS_BLOCK_SIZE - 1;
	int count;

	r->dir = dir;
	r->from = 0;
	r->count = 0;
	r->n = 0;
	dir->names = 0;
	dir->name_blocks = 0;
	if (!dir->count)
		return 0;
	dir->names = (end + 3) & ~3ULL;
	count = fill_block(r, DSFS_BLOCK_SIZE - (dir->names & mask));
	if (count >= 0 && count < (int)dir->count &&
	    (!count || dir->count < DSFS_INDEX_MIN_NAMES)) {
		dir->names = (dir->names + mask) & ~mask;
		count = fill_block(r, DSFS_BLOCK_SIZE);
	}
	dir->name_blocks = 1;
	return count;
}

int rows_next(struct rows *r)
{
	r->from += r->count;
	r->n -= r->count;
	memmove(r->entries, r->entries + r->count, r->n * sizeof(*r->entries));
	if (r->from >= r->dir->count)
		return 0;
	r->dir->name_blocks++;
	return fill_block(r, DSFS_BLOCK_SIZE);
}

u64 rows_at(const struct rows *r, u32 *bytes)
{
	const u64 block = r->dir->name_blocks - 1;

	*bytes = block_bytes(&r->names, row_bytes(r->spreads));
	return block ? (r->dir->names & ~(u64)(DSFS_BLOCK_SIZE - 1)) + block * DSFS_BLOCK_SIZE :
	       r->dir->names;
}

static void put_value(u8 **at, u64 v, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++, v >>= 8)
		*(*at)++ = v;
}

void rows_write(const struct rows *r, void *block)
{
	u8 *at = (u8 *)block + names_write(&r->names, block);
	struct dsfs_rows raw = { 0 };

	for (unsigned int i = 0; i < DSFS_COLUMNS; i++) {
		raw.base[i] = cpu_to_le64(r->spreads[i].least);
		raw.width[i] = spread_width(&r->spreads[i]);
		raw.shift[i] = spread_shift(&r->spreads[i]) |
			       spread_unit(&r->spreads[i]) << DSFS_MTIME_UNIT_SHIFT;
	}
	at = mempcpy(at, &raw, sizeof(raw));
	for (u32 k = 0; k < r->count; k++)
		for (unsigned int i = 0; i < DSFS_COLUMNS; i++)
			put_value(&at, spread_bits(&r->spreads[i], r->entries[k].v[i]),
				  raw.width[i]);
}
