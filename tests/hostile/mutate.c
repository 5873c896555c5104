// SPDX-License-Identifier: GPL-2.0
/*
 * Mutations of an image.  Everything is drawn from a seed, so a number is enough to
 * reproduce a finding.
 *
 * Values are not drawn evenly: code breaks at bounds, next to them, and where two
 * valid structures contradict each other.
 */
#include <stdarg.h>
#include <stdio.h>

#include "mutate.h"
#include "rows.h"

#define CHANGES_MAX	4
#define GROW_MAX	65536
#define FRAME_HEAD	24	/* bytes: the longest header of a frame and of its first block */

struct mutator {
	struct layout l;
	u64 state;
	u64 max;
	struct dsfs_mutation *what;
	size_t told;
};

/* --- chance ------------------------------------------------------------------ */

static u64 draw(struct mutator *m)
{
	u64 z = m->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static u64 below(struct mutator *m, u64 n)
{
	return n ? draw(m) % n : 0;
}

static void __printf(2, 3) tell(struct mutator *m, const char *fmt, ...)
{
	const size_t room = sizeof(m->what->text) - m->told;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(m->what->text + m->told, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		m->told += (size_t)n < room ? (size_t)n : room - 1;
}

/* --- places ------------------------------------------------------------------- */

/* Regions that are arrays of records. */
static const struct {
	u16 bytes;
	u8 weight;
	const struct field *fields;
} records[DSFS_REGIONS_USED] = {
	[DSFS_REGION_DIRS] = { sizeof(struct dsfs_dir), 12, dir_fields },
	[DSFS_REGION_INDEX] = { sizeof(struct dsfs_bucket), 8, bucket_fields },
	[DSFS_REGION_OWNERS] = { sizeof(struct dsfs_owner), 2, owner_fields },
	[DSFS_REGION_EXTRAS] = { sizeof(struct dsfs_extra), 9, extra_fields },
	[DSFS_REGION_SYMLINKS] = { 16, 3, byte_fields },
	[DSFS_REGION_EXTENTS] = { sizeof(struct dsfs_extent_record), 8, extent_fields },
	[DSFS_REGION_CHUNKSUMS] = { 4, 4, le32_fields },
	[DSFS_REGION_UNITS] = { 4, 6, le32_fields },
	[DSFS_REGION_HISTORY] = { sizeof(struct dsfs_super), 1, super_fields },
	[DSFS_REGION_NUMBERS] = { 4, 6, le32_fields },
};

/* What can be drawn besides: kinds behind the regions. */
enum { KIND_SUPER = DSFS_REGIONS_USED, KIND_ROOT, KIND_REGION, KIND_NAMES, KIND_SLOT,
	KIND_NAME, KIND_ROWS, KIND_ROW, KIND_XSET, KIND_XATTR, KIND_FRAME, KIND_DATA, KIND_ANY,
	KINDS };

static const struct { const char *name; u8 weight; } others[KINDS] = {
	[KIND_SUPER] = { "superblock", 8 }, [KIND_ROOT] = { "root", 6 },
	[KIND_REGION] = { "region", 5 },
	[KIND_NAMES] = { "names", 8 }, [KIND_SLOT] = { "slot", 8 },
	[KIND_NAME] = { "name", 5 }, [KIND_ROWS] = { "rows", 16 },
	[KIND_ROW] = { "row", 20 }, [KIND_XSET] = { "xattr set", 5 },
	[KIND_XATTR] = { "xattr", 8 }, [KIND_FRAME] = { "frame", 12 },
	[KIND_DATA] = { "data", 5 }, [KIND_ANY] = { "byte", 2 },
};

static const char *kind_name(int kind)
{
	return kind < DSFS_REGIONS_USED ? region_names[kind] : others[kind].name;
}

static int draw_kind(struct mutator *m)
{
	unsigned int sum = 0, kind, at;

	for (kind = 0; kind < KINDS; kind++)
		sum += kind < DSFS_REGIONS_USED ? records[kind].weight :
						  others[kind].weight;
	at = below(m, sum);
	for (kind = 0; kind < KINDS; kind++) {
		sum = kind < DSFS_REGIONS_USED ? records[kind].weight :
						 others[kind].weight;
		if (at < sum)
			break;
		at -= sum;
	}
	return kind;
}

/* The part of [@off, @off + @bytes) that lies in a region. */
static bool in_region(const struct layout *l, int id, u64 off, u64 bytes,
		      const struct field *fields, struct place *p)
{
	if (off >= l->regions[id].bytes)
		return false;
	if (bytes > l->regions[id].bytes - off)
		bytes = l->regions[id].bytes - off;
	*p = (struct place){ l->regions[id].pos + off, bytes, fields };
	return true;
}

static const u8 *draw_record(struct mutator *m, int id)
{
	const u64 n = m->l.regions[id].bytes / records[id].bytes;

	return n ? layout_record(&m->l, id, below(m, n), records[id].bytes) : NULL;
}

/* A name block of some directory, and its offset in NAMES. */
static bool draw_names(struct mutator *m, struct place *p, u64 *off)
{
	const u8 *dir = draw_record(m, DSFS_REGION_DIRS);

	if (!dir)
		return false;
	*off = layout_block(dir, below(m, GET(dir, dsfs_dir, name_blocks)));
	return in_region(&m->l, DSFS_REGION_NAMES, *off,
			 sizeof(struct dsfs_names), names_fields, p) &&
	       p->bytes == sizeof(struct dsfs_names);
}

/* A slot, or what is in its place: symbols, or the prefix; or bytes from there to the end */
static bool draw_slot(struct mutator *m, struct place *p, bool name)
{
	const u8 *raw;
	u64 off, end, count;

	if (!draw_names(m, p, &off))
		return false;
	raw = m->l.image + p->pos;
	off += sizeof(struct dsfs_names);
	end = GET(raw, dsfs_names, end);
	count = GET(raw, dsfs_names, form) ? 0 : GET(raw, dsfs_names, count);
	if (!name && count)
		return in_region(&m->l, DSFS_REGION_NAMES, off + 2 * below(m, count), 2,
				 le16_fields, p) && p->bytes == 2;
	return in_region(&m->l, DSFS_REGION_NAMES, off + (name ? below(m, end) : 0),
			 1 + below(m, DSFS_SYMBOLS), byte_fields, p);
}

/* The header of the rows of a name block, or one of them */
static bool draw_rows(struct mutator *m, struct place *p, struct rows *r, u64 *slot)
{
	u64 off;

	if (!draw_names(m, p, &off) || !layout_rows(&m->l, off, r))
		return false;
	*slot = below(m, r->count);
	*p = (struct place){ r->head - m->l.image, sizeof(struct dsfs_rows), rows_fields };
	return r->count;
}

/* A column of it is no field: columns have any width. */
static bool draw_row(struct mutator *m, struct place *p)
{
	struct rows r;
	u64 slot;

	if (!draw_rows(m, p, &r, &slot) || !r.bytes)
		return false;
	*p = (struct place){ r.first + slot * r.bytes - m->l.image, r.bytes,
			     below(m, 2) && r.bytes >= 4 ? le32_fields : byte_fields };
	return true;
}

static bool draw_xset(struct mutator *m, struct place *p)
{
	const u8 *extra = draw_record(m, DSFS_REGION_EXTRAS);

	return extra && in_region(&m->l, DSFS_REGION_XATTRS,
				  GET(extra, dsfs_extra, xattrs),
				  sizeof(struct dsfs_xattr_set), xset_fields, p);
}

static bool draw_xattr(struct mutator *m, struct place *p)
{
	const u64 base = m->l.regions[DSFS_REGION_XATTRS].pos;
	unsigned int skip = below(m, 4);
	const u8 *raw;
	u64 off;

	if (!draw_xset(m, p))
		return false;
	off = p->pos - base + sizeof(struct dsfs_xattr_set);
	for (;; skip--) {
		if (!in_region(&m->l, DSFS_REGION_XATTRS, off, 64, xattr_fields, p) ||
		    p->bytes < sizeof(struct dsfs_xattr))
			return false;
		raw = m->l.image + p->pos;
		if (!skip)
			return true;
		off += (sizeof(struct dsfs_xattr) + GET(raw, dsfs_xattr, name_len) +
			GET(raw, dsfs_xattr, value_len) + 3) & ~3ULL;
	}
}

/* The row of a compressed file */
static bool draw_compressed(struct mutator *m, u64 row[DSFS_COLUMNS])
{
	struct place p;
	struct rows r;
	u64 slot;
	int tries;

	for (tries = 0; tries < 16; tries++) {
		if (!draw_rows(m, &p, &r, &slot))
			continue;
		rows_get(&r, slot, row);
		if (ROW_FLAGS(row) & DSFS_INODE_COMPRESSED)
			return true;
	}
	return false;
}

/* What a frame begins with tells a decoder the most: the frame of a unit. */
static bool draw_frame(struct mutator *m, struct place *p)
{
	u64 row[DSFS_COLUMNS], off = 0;
	const u8 *end;

	if (!draw_compressed(m, row))
		return false;
	end = layout_record(&m->l, DSFS_REGION_UNITS, row[DSFS_COLUMN_UNITS] + below(m, 8), 4);
	if (end && below(m, 2))
		off = field_get(end, 4);
	*p = (struct place){ row[DSFS_COLUMN_START] + off, FRAME_HEAD, byte_fields };
	return p->pos < m->l.size && p->bytes <= m->l.size - p->pos;
}

static bool draw_place(struct mutator *m, int kind, struct place *p)
{
	struct layout *l = &m->l;
	struct rows rows;
	u64 off;

	if (kind < DSFS_REGIONS_USED)
		return in_region(l, kind, records[kind].bytes *
				 below(m, l->regions[kind].bytes / records[kind].bytes),
				 records[kind].bytes, records[kind].fields, p);
	switch (kind) {
	case KIND_NAMES:
		return draw_names(m, p, &off);
	case KIND_SLOT:
	case KIND_NAME:
		return draw_slot(m, p, kind == KIND_NAME);
	case KIND_ROWS:
		return draw_rows(m, p, &rows, &off);
	case KIND_ROW:
		return draw_row(m, p);
	case KIND_XSET:
		return draw_xset(m, p);
	case KIND_XATTR:
		return draw_xattr(m, p);
	case KIND_FRAME:
		return draw_frame(m, p);
	case KIND_DATA:
		*p = (struct place){ l->data_start + below(m, l->data_end - l->data_start),
				     1, byte_fields };
		return l->data_end > l->data_start;
	case KIND_ANY:
		*p = (struct place){ below(m, l->size), 1, byte_fields };
		return l->size;
	}
	*p = (struct place){ DSFS_SB_POS(below(m, 2)), DSFS_SB_SIZE, super_fields };
	if (kind == KIND_ROOT)
		*p = (struct place){ p->pos + offsetof(struct dsfs_super, root),
				     sizeof(struct dsfs_root), root_fields };
	else if (kind == KIND_REGION)
		*p = (struct place){ p->pos + offsetof(struct dsfs_super, regions) +
				     sizeof(struct dsfs_region) * below(m, DSFS_REGIONS),
				     sizeof(struct dsfs_region), region_fields };
	return l->size >= DSFS_DATA_START_MIN;
}

/* --- values ------------------------------------------------------------------- */

/* A number that means something elsewhere in the image. */
static u64 landmark(struct mutator *m)
{
	const struct layout *l = &m->l;
	const int id = below(m, DSFS_REGIONS_USED);
	const u64 bytes = l->regions[id].bytes;
	const u64 n = bytes / (records[id].bytes ? records[id].bytes : 4);

	switch (below(m, 9)) {
	case 0:
		return l->regions[id].pos - below(m, 2) * l->area.meta_start;
	case 1:
		return bytes;
	case 2:
		return below(m, bytes) & ~3ULL;
	case 3:
		return below(m, bytes) & ~(DSFS_BLOCK_SIZE - 1ULL);
	case 4:
		return l->data_end;
	case 5:
		return l->data_start + below(m, l->data_end - l->data_start);
	case 6:
		return l->size;
	case 7:
		return n;
	}
	return below(m, n);
}

static u64 bound(struct mutator *m)
{
	static const u64 values[] = {
		0, 1, 2, 3, 4, 7, 8, 255, 256, 4095, 4096, 4097, 32768, 65535, 65536,
		0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000,
		0x7fffffffffff, 0xffffffffffff, 0x1000000000000,
		0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
	};

	return values[below(m, sizeof(values) / sizeof(*values))];
}

/* Another value for a field; @peer: what another record has in it. */
static u64 other_value(struct mutator *m, u64 v, unsigned int size, u64 peer)
{
	switch (below(m, 8)) {
	case 0:
		return bound(m);
	case 1:
		return v + 1;
	case 2:
		return v - 1;
	case 3:
		return v + (below(m, 2) ? 1ULL : -1ULL) * (1ULL << below(m, 20));
	case 4:
		return peer;
	case 5:
		return landmark(m) + below(m, 3) - 1;
	case 6:
		return draw(m) >> below(m, 64);
	}
	return v ^ 1ULL << below(m, 8 * size);
}

/* --- changes ------------------------------------------------------------------ */

static bool change_field(struct mutator *m, int kind, struct place *p)
{
	const struct field *f = p->fields;
	struct place peer = *p;
	unsigned int n, at;
	u64 old, new;
	u8 *raw;

	for (n = 0; f[n].name; n++)
		;
	f += below(m, n);
	at = f->off + below(m, f->count) % (p->bytes / f->size + 1) * f->size;
	if (at + f->size > p->bytes)
		return false;
	if (!draw_place(m, kind, &peer) || at + f->size > peer.bytes)
		peer = *p;
	raw = m->l.image + p->pos + at;
	old = field_get(raw, f->size);
	new = other_value(m, old, f->size, field_get(m->l.image + peer.pos + at, f->size));
	field_put(raw, f->size, new);
	tell(m, "%s at %llu: %s %#llx -> %#llx\n", kind_name(kind), p->pos, f->name,
	     old, field_get(raw, f->size));
	/* Most changes of a superblock are of no use in one slot alone. */
	if (kind >= KIND_SUPER && kind <= KIND_REGION && below(m, 4)) {
		raw += p->pos < DSFS_SB_POS(1) ? DSFS_SB_STRIDE : -DSFS_SB_STRIDE;
		field_put(raw, f->size, new);
		tell(m, "  and in the other slot\n");
	}
	return true;
}

static bool change_record(struct mutator *m, int kind, struct place *p)
{
	u8 *a = m->l.image + p->pos, *b, t;
	struct place peer;
	u64 i, n;

	if (!draw_place(m, kind, &peer) || peer.pos == p->pos)
		return false;
	b = m->l.image + peer.pos;
	n = p->bytes < peer.bytes ? p->bytes : peer.bytes;
	switch (below(m, 4)) {
	case 0:
		memset(a, 0, p->bytes);
		tell(m, "%s at %llu: zeroed\n", kind_name(kind), p->pos);
		return true;
	case 1:
		memmove(a, b, n);
		tell(m, "%s at %llu: copied from %llu\n", kind_name(kind), p->pos,
		     peer.pos);
		return true;
	}
	for (i = 0; i < n; i++) {
		t = a[i];
		a[i] = b[i];
		b[i] = t;
	}
	tell(m, "%s at %llu: swapped with %llu\n", kind_name(kind), p->pos, peer.pos);
	return true;
}

static bool change_blocks(struct mutator *m)
{
	const u64 blocks = m->l.area.meta_bytes >> DSFS_BLOCK_BITS;
	const u64 from = below(m, blocks), to = below(m, blocks);
	u8 *base = m->l.image + m->l.area.meta_start;
	u8 *a = base + (from << DSFS_BLOCK_BITS), *b = base + (to << DSFS_BLOCK_BITS);
	u8 t[DSFS_BLOCK_SIZE];
	bool swap = below(m, 2);

	if (from == to)
		return false;
	memcpy(t, b, sizeof(t));
	memcpy(b, a, sizeof(t));
	if (swap)
		memcpy(a, t, sizeof(t));
	tell(m, "metadata block %llu: %s %llu\n", to,
	     swap ? "swapped with" : "copied from", from);
	return true;
}

/**
 * struct target - an inode that is changed
 * @rows: the rows of its name block
 * @nr: which one of them
 * @slot: of its name, or, in a name block without slots, NULL
 * @row: its row
 */
struct target {
	struct rows rows;
	u64 nr;
	u8 *slot;
	u64 row[DSFS_COLUMNS];
};

static bool draw_target(struct mutator *m, struct target *t)
{
	struct place p;

	if (!draw_rows(m, &p, &t->rows, &t->nr))
		return false;
	rows_get(&t->rows, t->nr, t->row);
	t->slot = NULL;
	if (GET(t->rows.names, dsfs_names, form))
		return true;
	t->slot = t->rows.names + sizeof(struct dsfs_names) + 2 * t->nr;
	return t->slot + 2 <= m->l.image + m->l.size;
}

static void __printf(3, 4) put_target(struct mutator *m, const struct target *t,
				      const char *fmt, ...)
{
	char text[100];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	rows_put(&t->rows, t->nr, t->row, true);
	tell(m, "inode of name %llu of names at %td: %s\n", t->nr,
	     t->rows.names - m->l.image, text);
}

/* A field of an inode, which is a column or a part of one */
static bool change_inode(struct mutator *m)
{
	static const struct { const char *name; u8 column, shift, bytes; } parts[] = {
		{ "mode", DSFS_COLUMN_KIND, 0, 2 }, { "flags", DSFS_COLUMN_KIND, 16, 2 },
		{ "nlink", DSFS_COLUMN_KIND, 32, 4 }, { "owner", DSFS_COLUMN_OWNER, 0, 4 },
		{ "extra", DSFS_COLUMN_OWNER, 32, 4 }, { "size", DSFS_COLUMN_SIZE, 0, 6 },
		{ "start", DSFS_COLUMN_START, 0, 6 }, { "mtime", DSFS_COLUMN_MTIME, 0, 8 },
		{ "sum", DSFS_COLUMN_SUM, 0, 4 },
	};
	const unsigned int i = below(m, sizeof(parts) / sizeof(*parts));
	const unsigned int column = parts[i].column, shift = parts[i].shift;
	const u64 mask = ~0ULL >> (64 - 8 * parts[i].bytes);
	struct target t, peer;
	u64 old, new;

	if (!draw_target(m, &t) || !draw_target(m, &peer))
		return false;
	old = t.row[column] >> shift & mask;
	new = other_value(m, old, parts[i].bytes, peer.row[column] >> shift & mask) & mask;
	t.row[column] ^= (old ^ new) << shift;
	put_target(m, &t, "%s %#llx -> %#llx", parts[i].name, old, new);
	return true;
}

/* Another type for an inode and its name, so that lookup lets it through. */
static bool change_type(struct mutator *m)
{
	static const u8 types[] = { 1, 2, 4, 6, 8, 10, 12, DSFS_DT_HARDLINK };
	const u8 type = types[below(m, sizeof(types))];
	struct target t;
	u8 *form;
	u64 *kind = &t.row[DSFS_COLUMN_KIND];

	if (!draw_target(m, &t))
		return false;
	/* A good hard-link entry has nothing besides. */
	if (type == DSFS_DT_HARDLINK && below(m, 2))
		memset(t.row, 0, sizeof(t.row));
	if (t.slot) {
		field_put(t.slot, 2, (field_get(t.slot, 2) & DSFS_SLOT_OFFSET) |
				     type << DSFS_SLOT_TYPE_SHIFT);
	} else {
		form = t.rows.names + offsetof(struct dsfs_names, form);
		*form = (*form & ~DSFS_NAMES_TYPE) | type;
	}
	if (type == DSFS_DT_HARDLINK) {
		*kind = (*kind & S_IFMT ? *kind & S_IFMT : S_IFREG) | DSFS_INODE_HARDLINK << 16;
		t.row[DSFS_COLUMN_START] = below(m, GET(m->l.image + DSFS_SB_POS(m->l.slot),
							dsfs_super, inodes));
	} else {
		*kind = (*kind & ~(u64)S_IFMT) | type << 12;
	}
	put_target(m, &t, "type %u, in its name too", type);
	return true;
}

/* A file that ends where the data area does, or about there. */
static bool change_data(struct mutator *m)
{
	const u64 room = m->l.data_end - m->l.data_start;
	u64 start = m->l.data_start + below(m, room), size;
	struct target t;

	if (!draw_target(m, &t) || !room || !S_ISREG(ROW_MODE(t.row)))
		return false;
	if (below(m, 4))
		start &= ~(DSFS_BLOCK_SIZE - 1ULL);
	size = m->l.data_end - start + below(m, 3) - 1;
	if (below(m, 2))
		size = below(m, size + 1);
	t.row[DSFS_COLUMN_START] = start;
	t.row[DSFS_COLUMN_SIZE] = size;
	put_target(m, &t, "start %llu, size %llu", start, size);
	return true;
}

/* A form without slots whose parts are as long as those that are there, so that rows stay */
static bool change_form(struct mutator *m)
{
	const u64 form = DSFS_NAMES_EQUAL + below(m, 2);
	u64 off, type, count, rest, width;
	struct place p;
	u8 *raw;

	if (!draw_names(m, &p, &off))
		return false;
	raw = m->l.image + p.pos;
	type = GET(raw, dsfs_names, form) & DSFS_NAMES_TYPE;
	count = GET(raw, dsfs_names, count);
	rest = GET(raw, dsfs_names, end) - sizeof(struct dsfs_names) -
	       (form == DSFS_NAMES_PACKED ? DSFS_SYMBOLS : 0);
	width = count ? rest / count - below(m, 2) : 0;
	rest -= count * width;
	PUT(raw, dsfs_names, form, form << DSFS_NAMES_FORM_SHIFT | (type ? type : S_IFREG >> 12));
	PUT(raw, dsfs_names, width, width);
	PUT(raw, dsfs_names, prefix, off = below(m, rest + 1));
	PUT(raw, dsfs_names, suffix, rest - off);
	tell(m, "names at %llu: form %llu, width %llu, prefix %llu\n", p.pos, form, width, off);
	return true;
}

static bool change_size(struct mutator *m)
{
	u64 size = m->l.size + (1 + below(m, GROW_MAX));

	if (below(m, 2))
		size = below(m, 4) ? m->l.size & ~(DSFS_BLOCK_SIZE - 1ULL) : below(m, m->l.size);
	if (size == m->l.size && size > DSFS_BLOCK_SIZE)
		size -= DSFS_BLOCK_SIZE;
	if (size > m->max)
		return false;
	if (size > m->l.size)
		memset(m->l.image + m->l.size, 0, size - m->l.size);
	tell(m, "%llu bytes instead of %llu\n", size, m->l.size);
	m->l.size = size;
	return true;
}

static bool change(struct mutator *m)
{
	struct place p;
	int kind;

	layout_find(&m->l, m->l.image, m->l.size);
	if (!m->l.size)
		return false;
	switch (below(m, 56)) {
	case 0:
		return change_size(m);
	case 1 ... 2:
		return change_blocks(m);
	case 3 ... 5:
		return change_type(m);
	case 6 ... 7:
		return change_data(m);
	case 8 ... 15:
		return change_inode(m);
	case 16 ... 17:
		return change_form(m);
	}
	kind = m->l.slot < 0 && m->l.size < DSFS_DATA_START_MIN ? KIND_ANY : draw_kind(m);
	if (!draw_place(m, kind, &p))
		return false;
	return below(m, 6) ? change_field(m, kind, &p) : change_record(m, kind, &p);
}

size_t dsfs_mutate(void *image, size_t size, size_t max, uint64_t seed,
		   struct dsfs_mutation *what)
{
	struct dsfs_mutation mine;
	struct mutator m = { .l = { .image = image, .size = size }, .state = seed,
			     .max = max, .what = what ? what : &mine };
	unsigned int want, tries;
	bool raw;

	memset(m.what, 0, sizeof(*m.what));
	want = below(&m, 2) ? 1 : 1 + below(&m, CHANGES_MAX);
	raw = !below(&m, 16);
	m.what->data_sums = below(&m, 2);
	for (tries = 0; m.what->changes < want && tries < 64; tries++) {
		m.what->changes += change(&m);
		if (m.what->changes && !m.what->raw)
			dsfs_fix_checksums(image, m.l.size, m.what->data_sums);
		if (m.what->changes)
			m.what->raw = raw;
	}
	if (m.what->changes < 2)
		m.what->raw = false;
	if (raw && m.what->changes == 1) {
		m.what->changes += m.what->raw = change(&m);
		tell(&m, "the last one behind all checksums\n");
	}
	return m.l.size;
}
