// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a file keeps a content of the base image.
 *
 * Bytes decide, unless size and time do.  Checksums of chunks, if the image has them, only save
 * reading the image: a chunk with another checksum has other bytes.  Equal checksums prove nothing:
 * 32 bits are equal by accident, and whoever wants to makes them so.
 *
 * The content index has stored data of the base image by length and checksums.  It finds the
 * content of a file that was moved or copied.  Its entries are candidates, too.
 *
 * Data of the image that cannot be read or is damaged differs, and is stored anew.
 */
#include "format.h"
#include "keep.h"
#include "msg.h"

/*
 * Candidates of one length with the same checksums.  An image may have millions of them, with
 * equal bytes (labels, and --no-dedup) or, by an adversary, other ones, and for each
 * one more the table would be searched from the first to the last.
 */
#define SAME_MAX	16

static u64 content_index_hash(u64 stored, u64 sums)
{
	u64 key[2] = { stored, sums };

	return XXH3_64bits(key, sizeof(key));
}

/* Start, length and checksums of the stored data of an inode; 0: no such data. */
static u64 data_of(struct base *base, u32 ino, u64 *start, u64 *sums)
{
	struct dsfs_err err = { 0 };
	struct dsfs_attr attr;
	u64 stored;

	if (image_stored_get(base->prev, ino, &attr, &stored, &err) || !stored ||
	    base_sums(base, &attr, stored, sums, &err))
		return 0;
	*start = attr.start;
	return stored;
}

/* Find the next inode that stores as many bytes with these checksums.  Return: it; 0: none. */
static u32 next_alike(struct base *base, u64 stored, u64 sums, size_t *cursor, u64 *start)
{
	u64 have;
	u32 ino;

	if (!stored)
		return 0;
	while ((ino = hash_next(&base->contents, content_index_hash(stored, sums), cursor))) {
		if (data_of(base, ino, start, &have) == stored && have == sums)
			return ino;
	}
	return 0;
}

/* Whether the index has as many candidates.  None is read: nearly no other has the same hash. */
static bool has(const struct base *base, u64 hash, unsigned int most)
{
	unsigned int same = 0;
	size_t cursor = 0;

	while (same < most && hash_next(&base->contents, hash, &cursor))
		same++;
	return same == most;
}

/*
 * Data mostly is in the order of inodes: what is behind all of it is new, and before that it is
 * there already.  If it is not, a candidate beside it is enough; to look would be to read inodes at
 * random.
 */
int content_index_init(struct base *base)
{
	const struct dsfs_geo *geo = base->img.geo;
	u64 stored, start, sums, hash, top = 0;

	if (!geo->chunk_bits)
		return 0;
	if (hash_init(&base->contents, geo->files))
		return no_memory();
	for (u64 ino = DSFS_ROOT_INO; ino < geo->inodes; ino++) {
		stored = data_of(base, ino, &start, &sums);
		if (!stored)
			continue;
		hash = content_index_hash(stored, sums);
		/* the table has room for as many files as the superblock counts */
		if (!has(base, hash, start > top ? SAME_MAX : 1))
			hash_add(&base->contents, hash, ino);
		top = start > top ? start : top;
	}
	return 0;
}

int keep_find(struct base *base, u64 stored, u64 sums, int (*equal)(void *ctx, u64 start),
	      void *ctx, u32 *ino, u64 *start)
{
	size_t cursor = 0;
	int ret = 0;

	while (!ret && (*ino = next_alike(base, stored, sums, &cursor, start)))
		ret = equal(ctx, *start);
	return ret;
}

bool keep_by_content(struct base *base, u32 ino, u64 size, bool pack, image_data_fn fn, void *arg)
{
	struct dsfs_err err = { 0 };
	struct dsfs_extra_info extra;
	struct dsfs_attr attr;

	if (dsfs_inode_get(base->prev, ino, &attr, &err) || !S_ISREG(attr.mode) ||
	    attr.size != size || (!pack && !(attr.flags & DSFS_INODE_COMPRESSED)) ||
	    dsfs_extra_get(base->prev, &attr, &extra, &err))
		return false;
	return !image_stream(base->prev, &attr, &extra, true, fn, arg, &err);
}

void keep_mark(struct base *base, struct node *n)
{
	n->flags |= NODE_KEPT;
	base->kept_files++;
	base->kept_bytes += n->size;
}

void keep_mark_found(struct node *n, u32 ino, u64 start)
{
	n->flags |= NODE_FOUND;
	n->old = ino;
	node_data(n)->start = start;
}

void keep_by_bytes_begin(struct keep_compare *s, struct base *base, u32 ino)
{
	struct dsfs_err err = { 0 };

	memset(s, 0, sizeof(*s));
	s->base = base;
	/* an unreadable file is stored anew */
	s->differs = dsfs_inode_get(base->prev, ino, &s->attr, &err) ||
		     !S_ISREG(s->attr.mode) ||
		     dsfs_extra_get(base->prev, &s->attr, &s->extra, &err);
	if (s->differs)
		return;
	s->stored = image_stored_bytes(&s->attr, &s->extra);
	s->bits = dsfs_chunk_bits(base->img.geo, s->stored);
	s->left = s->bits ? 1ULL << s->bits : 0;
	dsfs_datasum_begin(&s->sum);
}

static void chunk_end(struct keep_compare *s, u64 chunk)
{
	struct dsfs_err err = { 0 };
	u32 want;

	if (dsfs_chunk_sum(s->base->prev, &s->attr, s->stored, chunk, &want, &err) ||
	    want != dsfs_datasum_end(&s->sum))
		s->differs = true;
	dsfs_datasum_begin(&s->sum);
	s->left = 1ULL << s->bits;
}

static void sum_data(struct keep_compare *s, const char *p, u64 bytes)
{
	u64 at = s->at;

	while (bytes && !s->differs) {
		u64 n = bytes < s->left ? bytes : s->left;

		dsfs_datasum_add(&s->sum, p, n);
		p += n;
		bytes -= n;
		at += n;
		s->left -= n;
		if (!s->left || at == s->stored)
			chunk_end(s, (at - 1) >> s->bits);
	}
}

static void compare_bytes(struct keep_compare *s, const char *p, u64 bytes)
{
	char have[65536];

	while (bytes && !s->differs) {
		u64 n = bytes < sizeof(have) ? bytes : sizeof(have);

		s->differs = image_pread(&s->base->img, have, n, s->attr.start + s->at) ||
			     memcmp(have, p, n);
		p += n;
		bytes -= n;
		s->at += n;
	}
}

int keep_by_bytes_data(void *compare, const char *p, u64 bytes)
{
	static const char zeros[65536];
	struct keep_compare *s = compare;

	if (bytes > s->stored - s->at)
		s->differs = true;
	while (bytes && !s->differs) {
		u64 n = p || bytes < sizeof(zeros) ? bytes : sizeof(zeros);

		if (s->left)
			sum_data(s, p ? p : zeros, n);
		compare_bytes(s, p ? p : zeros, n);
		p = p ? p + n : NULL;
		bytes -= n;
	}
	return s->differs ? -ECANCELED : 0;
}

static bool compare_extents(struct keep_compare *s, const struct dsfs_extent_record *extents, u32 n)
{
	struct dsfs_extent_record have;

	if (s->extra.extents != n)
		return false;
	for (u64 i = 0; i < n; i++) {
		if (dsfs_meta_copy(s->base->prev, DSFS_REGION_EXTENTS,
				   (s->extra.first_extent + i) * sizeof(have),
				   sizeof(have), &have) || memcmp(&have, &extents[i], sizeof(have)))
			return false;
	}
	return true;
}

bool keep_by_bytes_end(struct keep_compare *s, bool sparse,
		       const struct dsfs_extent_record *extents, u32 n)
{
	if (s->differs || s->at != s->stored || sparse != !!(s->attr.flags & DSFS_INODE_HOLES))
		return false;
	return !sparse || compare_extents(s, extents, n);
}
