// SPDX-License-Identifier: GPL-2.0
/*
 * Maps of files with holes, in the forms of GNU tar: in the header and in blocks behind it, in
 * records of pax, or in front of the data.  Whatever form it has, a map is believed when its
 * ranges are in order, lie in the file, and have as many bytes as follow.
 */
#include "parse.h"
#include "tar.h"

#define RANGES_MAX	2097152	/* 32 MiB of them */
#define OLD_MAP		386		/* in the header: four ranges */
#define OLD_MORE	482		/* whether blocks with more follow */
#define OLD_SIZE	483
#define BLOCK_RANGES	21		/* in a block of them */

int tar_sparse_add(struct tar *t, u64 start, u64 bytes)
{
	const struct tar_range range = { start, bytes };

	if (t->m.map.n == RANGES_MAX)
		return tar_fail(t, "map of holes: more than %d ranges", RANGES_MAX);
	return array_append(&t->m.map, &range) ? no_memory() : 0;
}

/* Up to @n ranges, as far as there are any. */
static int old_ranges(struct tar *t, const char *p, unsigned int n)
{
	u64 start, bytes;
	int ret = 0;

	for (; !ret && n-- && *p; p += 24)
		ret = tar_number(t, "map of holes", p, 12, INT64_MAX, &start) ?:
		      tar_number(t, "map of holes", p + 12, 12, INT64_MAX, &bytes) ?:
		      tar_sparse_add(t, start, bytes);
	return ret;
}

int tar_sparse_old(struct tar *t, const char *header)
{
	char block[TAR_BLOCK] = "", more = header[OLD_MORE];
	int ret;

	if (t->m.sparse)
		return tar_fail(t, "map of holes: one in the header and one in records");
	t->m.sparse = true;
	ret = tar_number(t, "map of holes", header + OLD_SIZE, 12, INT64_MAX, &t->m.real_size) ?:
	      old_ranges(t, header + OLD_MAP, 4);
	for (; !ret && more; more = block[BLOCK_RANGES * 24])
		ret = tar_bytes_fail(t, tar_bytes_get(&t->bytes, block, sizeof(block))) ?:
		      old_ranges(t, block, BLOCK_RANGES);
	return ret;
}

/* "START,BYTES,START,BYTES..." */
int tar_sparse_map(struct tar *t, char *text)
{
	char *save = NULL, *start, *bytes;
	u64 a, b;
	int ret = 0;

	t->m.map.n = 0;
	while (!ret && (start = strtok_r(text, ",", &save))) {
		text = NULL;
		bytes = strtok_r(NULL, ",", &save);
		if (!bytes || parse_decimal(start, &a) || parse_decimal(bytes, &b))
			return tar_fail(t, "GNU.sparse.map: not pairs of numbers");
		ret = tar_sparse_add(t, a, b);
	}
	return ret;
}

/**
 * struct map_reader - a map in front of the data: numbers, one a line
 * @block: as far as it was read, of @left bytes that follow the header
 */
struct map_reader {
	char block[TAR_BLOCK];
	size_t at;
	u64 left;
};

static int map_block(struct tar *t, struct map_reader *r)
{
	if (r->left < sizeof(r->block))
		return tar_fail(t, "map of holes: goes on behind the data");
	r->at = 0;
	r->left -= sizeof(r->block);
	return tar_bytes_fail(t, tar_bytes_get(&t->bytes, r->block, sizeof(r->block)));
}

static int map_number(struct tar *t, struct map_reader *r, u64 *v)
{
	char text[24];
	int ret;

	for (size_t n = 0; n < sizeof(text); n++) {
		ret = r->at == sizeof(r->block) ? map_block(t, r) : 0;
		if (ret)
			return ret;
		text[n] = r->block[r->at++];
		if (text[n] != '\n')
			continue;
		text[n] = '\0';
		if (!parse_decimal(text, v))
			return 0;
		break;
	}
	return tar_fail(t, "map of holes: not a number");
}

static int read_map(struct tar *t)
{
	struct map_reader r = { .at = TAR_BLOCK, .left = t->m.size };
	u64 n, start, bytes;
	int ret = map_number(t, &r, &n);

	t->m.map.n = 0;
	while (!ret && n--)
		ret = map_number(t, &r, &start) ?: map_number(t, &r, &bytes) ?:
		      tar_sparse_add(t, start, bytes);
	t->m.size = r.left;
	return ret;
}

int tar_sparse_place(struct tar *t)
{
	const struct tar_range *r = (const struct tar_range *)t->m.map.p;

	for (size_t i = 0; i < t->m.map.n; i++, r++) {
		const u64 end = r->start + r->bytes;

		if (r->bytes && (r->start % DSFS_BLOCK_SIZE ||
				 (end % DSFS_BLOCK_SIZE && end != t->m.real_size)))
			return tar_fail(t,
					"map of holes: data from byte %llu to %llu: --tar-index needs multiples of %d bytes",
					r->start, end, DSFS_BLOCK_SIZE);
	}
	return 0;
}

int tar_sparse_end(struct tar *t)
{
	struct tar_member *m = &t->m;
	u64 end = 0, data = 0;
	int ret = m->map_first ? read_map(t) : 0;
	const struct tar_range *r = (const struct tar_range *)m->map.p;

	for (size_t i = 0; !ret && i < m->map.n; i++, r++) {
		if (r->start < end)
			return tar_fail(t,
					"map of holes: data at byte %llu overlaps that up to byte %llu",
					r->start, end);
		if (r->start > m->real_size || r->bytes > m->real_size - r->start)
			return tar_fail(t,
					"map of holes: %llu bytes at byte %llu: the file has %llu",
					r->bytes, r->start, m->real_size);
		end = r->start + r->bytes;
		data += r->bytes;
	}
	if (!ret && data != m->size)
		return tar_fail(t, "map of holes: has %llu bytes of data, and %llu follow",
				data, m->size);
	return ret;
}
