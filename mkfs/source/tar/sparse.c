// SPDX-License-Identifier: GPL-2.0
/*
 * Maps of files with holes, in the forms of GNU tar: in the header and in blocks
 * behind it, in records of pax, or in front of the data.  Whatever form it has, a map
 * is believed when its ranges are in order, lie in the file, and have as many bytes
 * as follow.
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
	struct tar_range *r;

	if (t->m.map.n == RANGES_MAX)
		return tar_fail(t, "map of holes: more than %d ranges", RANGES_MAX);
	r = array_add(&t->m.map);
	if (!r)
		return tar_no_memory();
	*r = (struct tar_range){ start, bytes };
	return 0;
}

/* Octal, or binary from the second byte on. */
static u64 old_number(const char *p)
{
	const u8 *u = (const u8 *)p;
	u64 n = 0;

	for (unsigned int i = 0; i < 12; i++) {
		if (u[0] & 0x80)
			n = i ? n << 8 | u[i] : 0;
		else if (u[i] >= '0' && u[i] <= '7')
			n = n << 3 | (u[i] - '0');
	}
	return n;
}

static int old_ranges(struct tar *t, const char *p, unsigned int n)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < n && p[i * 24]; i++)
		ret = tar_sparse_add(t, old_number(p + i * 24), old_number(p + i * 24 + 12));
	return ret;
}

int tar_sparse_old(struct tar *t, const char *header)
{
	char block[TAR_BLOCK];
	char more = header[OLD_MORE];
	int ret;

	if (t->m.sparse)
		return tar_fail(t, "map of holes: one in the header and one in records");
	t->m.sparse = true;
	t->m.real_size = old_number(header + OLD_SIZE);
	ret = old_ranges(t, header + OLD_MAP, 4);
	while (!ret && more) {
		ret = tar_bytes_fail(t, tar_bytes_get(&t->bytes, block, sizeof(block)));
		if (ret)
			break;
		ret = old_ranges(t, block, BLOCK_RANGES);
		more = block[BLOCK_RANGES * 24];
	}
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

static int map_char(struct tar *t, struct map_reader *r, char *c)
{
	int ret;

	if (r->at == sizeof(r->block)) {
		if (r->left < sizeof(r->block))
			return tar_fail(t, "map of holes: goes on behind the data");
		ret = tar_bytes_fail(t, tar_bytes_get(&t->bytes, r->block, sizeof(r->block)));
		if (ret)
			return ret;
		r->at = 0;
		r->left -= sizeof(r->block);
	}
	*c = r->block[r->at++];
	return 0;
}

static int map_number(struct tar *t, struct map_reader *r, u64 *v)
{
	char text[24] = "";
	size_t n = 0;
	int ret;

	do {
		ret = map_char(t, r, &text[n]);
		if (ret)
			return ret;
		if (text[n] == '\n') {
			text[n] = '\0';
			break;
		}
	} while (++n < sizeof(text));
	if (n == sizeof(text) || parse_decimal(text, v))
		return tar_fail(t, "map of holes: not a number");
	return 0;
}

static int read_map(struct tar *t)
{
	struct map_reader r = { .at = TAR_BLOCK, .left = t->m.size };
	u64 n, start, bytes;
	int ret = map_number(t, &r, &n);

	t->m.map.n = 0;
	while (!ret && n--) {
		ret = map_number(t, &r, &start);
		if (!ret)
			ret = map_number(t, &r, &bytes);
		if (!ret)
			ret = tar_sparse_add(t, start, bytes);
	}
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
					(unsigned long long)r->start, (unsigned long long)end,
					DSFS_BLOCK_SIZE);
	}
	return 0;
}

int tar_sparse_end(struct tar *t)
{
	struct tar_member *m = &t->m;
	const struct tar_range *r;
	u64 end = 0, data = 0;
	int ret = m->map_first ? read_map(t) : 0;

	r = (const struct tar_range *)m->map.p;
	for (size_t i = 0; !ret && i < m->map.n; i++, r++) {
		if (r->start < end)
			return tar_fail(t,
					"map of holes: data at byte %llu overlaps that up to byte %llu",
					(unsigned long long)r->start, (unsigned long long)end);
		if (r->start > m->real_size || r->bytes > m->real_size - r->start)
			return tar_fail(t,
					"map of holes: %llu bytes at byte %llu: the file has %llu",
					(unsigned long long)r->bytes,
					(unsigned long long)r->start,
					(unsigned long long)m->real_size);
		end = r->start + r->bytes;
		data += r->bytes;
	}
	if (!ret && data != m->size)
		return tar_fail(t, "map of holes: has %llu bytes of data, and %llu follow",
				(unsigned long long)data, (unsigned long long)m->size);
	return ret;
}
