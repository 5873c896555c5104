// SPDX-License-Identifier: GPL-2.0
/*
 * The plan: names and sizes, and every error that can be found before data is
 * read.  It does no I/O, so it can be tested without files.
 *
 * The plan does not place data, because equal contents are stored once and zeros are left out,
 * which only reading can find.  So it has a lower and an upper bound of the size of the image.
 */
#include "format.h"
#include "index.h"
#include "msg.h"
#include "place.h"
#include "plan.h"
#include "rows.h"

unsigned int plan_bucket(u64 size)
{
	unsigned int b = size ? 64 - __builtin_clzll(size) : 0;

	return b < PLAN_BUCKETS ? b : PLAN_BUCKETS - 1;
}

static u64 round_up_to(u64 v, u64 unit)
{
	return (v + unit - 1) & ~(unit - 1);
}

/* Bytes of checksums in CHUNKSUMS at most: a file may store less than its @size. */
static u64 most_sums(const struct draft *draft, u64 size)
{
	const u64 large = 1ULL << DSFS_LARGE_BITS;
	u64 chunks, few = size < large ? size : large;

	if (!draft->chunk_bits || size <= 1ULL << draft->small_bits)
		return 0;
	few >>= draft->chunk_bits;
	chunks = size > large ? size >> draft->large_bits : 0;
	return ((chunks > few ? chunks : few) + 1) * sizeof(__le32);
}

/* Add a regular file. */
static void plan_file(struct plan *p, const struct node *n, const struct draft *draft)
{
	u64 size = n->size, room;

	p->bytes += size;
	p->buckets[plan_bucket(size)]++;
	if (!size)
		return;
	if (n->flags & NODE_KEPT) {
		p->kept++;
		p->kept_bytes += size;
	} else {
		p->data++;
	}
	p->upper += most_sums(draft, size);
	if (size >= HOLE_MIN)
		p->upper += sizeof(struct dsfs_extra) +
			    (size / HOLE_MIN + 1) * sizeof(struct dsfs_extent_record);
	if (draft->compressed)
		p->upper += packed_units(size) * sizeof(__le32);
	if (n->flags & NODE_KEPT)
		return;
	room = round_up_to(size, 1ULL << draft->align_bits);
	/* with --align below 4K, a file of up to a block may be moved to the next one */
	if (draft->align_bits < DSFS_BLOCK_BITS && size <= DSFS_BLOCK_SIZE)
		room += DSFS_BLOCK_SIZE;
	p->padding += room - size;
	p->upper += room;
	if (draft->no_dedup && !draft->packs && size < HOLE_MIN)
		p->lower += size;
}

static void plan_node(struct plan *p, const struct node *n, const struct draft *draft)
{
	p->names++;
	p->name_bytes += node_len(n);
	if (n->flags & NODE_HARDLINK) {
		p->links++;
		return;
	}
	p->types[dsfs_mode_to_dt(n->mode)]++;
	if (S_ISREG(n->mode))
		plan_file(p, n, draft);
	if (n->xattrs || n->flags & NODE_LINK)
		p->upper += sizeof(struct dsfs_extra);
}

/**
 * struct guess - what rows will have, as far as that is known before contents are
 * @place: of data, if all files are stored whole; @any stands for each of them there
 * @regions: bytes so far, by region
 */
struct guess {
	const struct draft *draft;
	struct place place;
	struct node any;
	u64 files;
	u64 dirs;
	u64 regions[DSFS_REGIONS_USED];
};

/* A compressed file: the size that is stored is any, and so is what differs from it. */
static void guess_packed(struct guess *g, const struct node *n, s64 *row)
{
	const u64 units = packed_units(n->size);

	row[DSFS_COLUMN_STORED] = (n->size + 1) / 2 + g->files % (n->size / 4 + 1);
	if (units < 2)
		return;
	row[DSFS_COLUMN_UNITS] = g->regions[DSFS_REGION_UNITS] / sizeof(__le32);
	g->regions[DSFS_REGION_UNITS] += units * sizeof(__le32);
}

static void guess_file(struct guess *g, const struct node *n, s64 *row)
{
	const struct draft *draft = g->draft;
	u64 stored = n->size, chunks;
	unsigned int bits;

	if (!n->size)
		return;
	g->files++;
	if (draft->compressed) {
		guess_packed(g, n, row);
		stored = row[DSFS_COLUMN_STORED];
	}
	g->any.size = n->size;
	/* A file that is kept is anywhere in front of the others. */
	row[DSFS_COLUMN_START] = n->flags & NODE_KEPT ? g->files << draft->align_bits :
				 place_file(&g->place, &g->any, stored);
	if (!draft->chunk_bits)
		return;
	/* A checksum is any number: a hash of its own, by the golden ratio. */
	row[DSFS_COLUMN_SUM] = (u32)(g->files * 0x9e3779b1);
	bits = dsfs_chunk_choose(draft->chunk_bits, draft->small_bits, draft->large_bits,
				 stored);
	if (stored <= 1ULL << bits)
		return;
	chunks = ((stored - 1) >> bits) + 1;
	row[DSFS_COLUMN_SUM] = g->regions[DSFS_REGION_CHUNKSUMS] / sizeof(__le32);
	g->regions[DSFS_REGION_CHUNKSUMS] += chunks * sizeof(__le32);
}

static int guess_row(void *arg, struct node *n, s64 *row)
{
	struct guess *g = arg;

	memset(row, 0, DSFS_COLUMNS * sizeof(*row));
	row[DSFS_COLUMN_KIND] = n->mode;
	if (n->flags & NODE_HARDLINK)
		return 0;
	row[DSFS_COLUMN_KIND] |= 1ULL << 32;
	row[DSFS_COLUMN_OWNER] = n->owner;
	row[DSFS_COLUMN_MTIME] = n->mtime;
	row[DSFS_COLUMN_SIZE] = S_ISDIR(n->mode) ? 0 : n->size;
	if (S_ISREG(n->mode)) {
		guess_file(g, n, row);
	} else if (S_ISDIR(n->mode)) {
		row[DSFS_COLUMN_START] = ++g->dirs;
	} else if (S_ISLNK(n->mode)) {
		row[DSFS_COLUMN_START] = g->regions[DSFS_REGION_SYMLINKS];
		g->regions[DSFS_REGION_SYMLINKS] += n->size;
	}
	return 0;
}

/* The name blocks and the index of a directory */
static int plan_dir(struct guess *g, struct rows *r, struct dir *d)
{
	u64 *names = &g->regions[DSFS_REGION_NAMES];
	int count = rows_begin(r, d, *names), most = 0;
	u8 slot, block;
	u32 bytes;

	for (; count > 0; count = rows_next(r)) {
		most = count > most ? count : most;
		*names = rows_at(r, &bytes);
		*names += bytes;
	}
	if (!count && index_bits(d->count, most, d->name_blocks, &slot, &block))
		g->regions[DSFS_REGION_INDEX] += index_buckets(d->count) *
						 sizeof(struct dsfs_bucket);
	return count;
}

static int plan_dirs(struct plan *p, const struct tree *t, struct guess *g)
{
	struct rows *r = rows_new(guess_row, g);
	int ret = r ? 0 : -ENOMEM;

	for (u64 i = 0; !ret && i < t->ndirs; i++) {
		struct dir *d = tree_dir(t, i);

		ret = plan_dir(g, r, d);
		for (u32 k = 0; k < d->count; k++)
			plan_node(p, &d->nodes[k], g->draft);
	}
	rows_free(r);
	return ret;
}

/* All metadata: each region has blocks of its own, and each block a checksum. */
static void plan_meta(struct plan *p, const struct tree *t, struct guess *g)
{
	u64 *regions = g->regions;

	regions[DSFS_REGION_DIRS] = t->ndirs * sizeof(struct dsfs_dir);
	regions[DSFS_REGION_OWNERS] = t->owners.table.list.n * sizeof(struct dsfs_owner);
	for (u32 i = 1; i <= t->xsets.list.n; i++)
		regions[DSFS_REGION_XATTRS] += xsets_at(&t->xsets, i)->bytes;
	regions[DSFS_REGION_NUMBERS] = round_up_to(regions[DSFS_REGION_NAMES], DSFS_BLOCK_SIZE) /
				       DSFS_BLOCK_SIZE * sizeof(__le32);
	for (unsigned int i = 0; i < DSFS_REGIONS_USED; i++)
		p->meta_bytes += round_up_to(regions[i], DSFS_BLOCK_SIZE);
	p->meta_bytes += round_up_to(p->meta_bytes / DSFS_BLOCK_SIZE * sizeof(__le32),
				     DSFS_BLOCK_SIZE);
	if (g->draft->has_note || g->draft->compressed)
		p->meta_bytes += DSFS_BLOCK_SIZE;
	p->lower += regions[DSFS_REGION_DIRS] + p->names;
	/* an index that fails at first gets up to half as many buckets more */
	p->upper += regions[DSFS_REGION_INDEX] / 2;
}

/*
 * Add the unused bytes of objects.  An object is left only for a file that is larger than its rest,
 * so no more bytes are unused than used.
 */
static void plan_objects(struct plan *p, const struct guess *g)
{
	if (!g->draft->object_bits)
		return;
	p->object_padding = place_object_padding(&g->place);
	p->upper += p->bytes + p->padding + (2ULL << g->draft->object_bits);
}

/* Add the inodes.  Rows have as many bytes as they need, which is known at the end. */
static void plan_inodes(struct plan *p, const struct tree *t)
{
	p->upper += t->inodes * DSFS_COLUMNS * DSFS_COLUMN_MAX +
		    2 * (t->ndirs + p->name_bytes / DSFS_NAME_MAX + 1) * sizeof(struct dsfs_rows);
}

int plan_make(struct plan *p, const struct tree *t, const struct draft *draft)
{
	struct guess g = { .draft = draft };
	int ret;

	place_init(&g.place, draft->start, draft->align_bits, draft->object_bits);
	memset(p, 0, sizeof(*p));
	p->types[DT_DIR] = 1;
	ret = plan_dirs(p, t, &g);
	if (ret)
		return ret;
	plan_meta(p, t, &g);
	plan_inodes(p, t);
	plan_objects(p, &g);
	/* What contents decide, and symlinks and sets that cross no block, waste less than half. */
	p->upper += draft->start + 2 * p->meta_bytes +
		    DSFS_REGIONS_USED * DSFS_BLOCK_SIZE +
		    (1ULL << draft->align_bits);
	p->upper = round_up_to(p->upper, DSFS_BLOCK_SIZE);
	p->lower += draft->start;
	p->lower = round_up_to(p->lower, DSFS_BLOCK_SIZE);
	if (p->lower >= DSFS_MAX_OFFSET) {
		msg_error(t->source, "image of %llu bytes or more: the limit is %llu",
			  p->lower, DSFS_MAX_OFFSET);
		return -EFBIG;
	}
	return 0;
}
