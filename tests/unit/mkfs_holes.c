// SPDX-License-Identifier: GPL-2.0
/*
 * Holes: stored data and extents of a file give the same file by the map of fs/format,
 * whatever the pieces in which mkfs got it.
 */
#include "data/content.h"
#include "mkfs.h"

#define K	1024ULL

struct sink {
	char *bytes;
	u64 len;
};

static int sink_emit(void *ctx, const char *p, u64 bytes)
{
	struct sink *s = ctx;

	if (p)
		memcpy(s->bytes + s->len, p, bytes);
	else
		memset(s->bytes + s->len, 0, bytes);
	s->len += bytes;
	return 0;
}

/* Read a file back through its map; how many bytes are not what they were. */
static u64 count_wrong(const struct holes *h, const struct sink *s,
		       const char *file, u64 size)
{
	struct dsfs_attr a = { .mode = S_IFREG, .flags = DSFS_INODE_HOLES,
			       .size = size };
	struct dsfs_extra_info extra = { .stored = h->stored,
				     .extents = h->extents.n };
	struct dsfs_err err = {};
	struct dsfs_source src;
	struct dsfs_mapping map;
	u64 pos, i, wrong = 0;

	bld_init(&src);
	if (h->extents.n)
		bld_add(&src, DSFS_REGION_EXTENTS, h->extents.p,
			h->extents.n * sizeof(struct dsfs_extent_record), 16);
	for (pos = 0; pos < size; pos += map.len) {
		if (dsfs_map(&src, &a, &extra, pos, &map, &err)) {
			tap_note("%s at %llu", err.what, (unsigned long long)pos);
			wrong = size;
			break;
		}
		for (i = 0; i < map.len; i++)
			wrong += file[pos + i] !=
				 (map.hole ? 0 : s->bytes[map.stored + i]);
	}
	bld_free(&src);
	return wrong;
}

/* @piece: bytes handed over at once, a multiple of 4096 */
static void one_file(const char *name, const char *file, u64 size, u64 piece,
		     u64 want_stored, bool tell_zeros)
{
	struct sink s = { unit_alloc(size + 1), 0 };
	u64 at, n, wrong = 0;
	struct holes h;

	holes_init(&h, sink_emit, &s);
	for (at = 0; at < size; at += n) {
		n = size - at < piece ? size - at : piece;
		if (tell_zeros && !file[at] && !memcmp(file + at, file + at + 1, n - 1))
			holes_zeros(&h, n);
		else
			holes_data(&h, file + at, n);
	}
	holes_end(&h);
	if (h.sparse)
		wrong = count_wrong(&h, &s, file, size);
	else
		wrong = s.len != size || memcmp(s.bytes, file, size);
	OK(!wrong, "holes: %s in pieces of %llu: same bytes", name,
	   (unsigned long long)piece);
	OK(h.stored == s.len && s.len == want_stored && h.sparse == (s.len < size),
	   "holes: %s in pieces of %llu: stores %llu", name,
	   (unsigned long long)piece, (unsigned long long)want_stored);
	holes_free(&h);
	free(s.bytes);
}

struct stretch {
	u64 from, to;	/* not zero there */
};

static void one_shape(const char *name, u64 size, const struct stretch *data,
		      unsigned int n, u64 want_stored)
{
	char *file = unit_alloc(size);
	unsigned int i;
	u64 at;

	for (i = 0; i < n; i++)
		for (at = data[i].from; at < data[i].to; at++)
			file[at] = 1 + at % 255;
	one_file(name, file, size, 4096, want_stored, false);
	one_file(name, file, size, 12288, want_stored, false);
	one_file(name, file, size, 1 << 20, want_stored, false);
	one_file(name, file, size, 65536, want_stored, true);
	free(file);
}

TESTS(holes)
{
	static const struct stretch whole[] = { { 0, 200 * K } };
	static const struct stretch front[] = { { 0, 8 * K } };
	static const struct stretch ends[] = { { 0, 4 * K }, { 300 * K, 301 * K } };
	static const struct stretch tail[] = { { 128 * K, 128 * K + 7 } };
	static const struct stretch near[] = { { 0, 4 * K }, { 64 * K, 68 * K } };
	static const struct stretch just[] = { { 0, 4 * K }, { 68 * K, 72 * K } };
	static const struct stretch three[] = { { 100 * K + 5, 100 * K + 6 },
						{ 200 * K, 200 * K + 1 },
						{ 399 * K, 400 * K } };

	one_shape("no hole", 200 * K, whole, 1, 200 * K);
	one_shape("data in front", 200 * K, front, 1, 8 * K);
	one_shape("data at both ends", 301 * K, ends, 2, 5 * K);
	one_shape("a tail of 7 bytes", 128 * K + 7, tail, 1, 7);
	one_shape("60 KiB of zeros", 68 * K, near, 2, 68 * K);
	one_shape("64 KiB of zeros", 72 * K, just, 2, 8 * K);
	one_shape("three blocks", 400 * K, three, 3, 12 * K);
	one_shape("all zeros", 200 * K + 1, NULL, 0, 0);
	one_shape("few zeros", 5000, NULL, 0, 5000);
}
