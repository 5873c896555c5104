// SPDX-License-Identifier: GPL-2.0
/*
 * The metadata area as a stream of blocks.  Each region begins with a block.  The checksum of a
 * block is computed when the block is full.
 */
#include "digest.h"
#include "meta.h"

static int write_block(struct meta *m, u64 number, const void *p, size_t bytes)
{
	return output_write(m->out, m->start + number * DSFS_BLOCK_SIZE, p, bytes);
}

static int put_block(struct meta *m)
{
	__le32 *sum = array_add(&m->sums);
	int ret;

	if (!sum)
		return -ENOMEM;
	if (!m->out) {
		m->blocks++;
		m->fill = 0;
		return 0;
	}
	memset(m->block + m->fill, 0, sizeof(m->block) - m->fill);
	*sum = cpu_to_le32(dsfs_crc32c(0, m->block, sizeof(m->block)));
	if (m->draft->hash_uuid)
		m->hash = xxh64(m->block, sizeof(m->block), m->hash);
	ret = write_block(m, m->blocks++, m->block, sizeof(m->block));
	m->fill = 0;
	return ret;
}

void meta_begin(struct meta *m, enum dsfs_region_id id)
{
	m->region = id;
	m->super.regions[id].start = cpu_to_le64(m->blocks << DSFS_BLOCK_BITS);
}

int meta_put(struct meta *m, const void *p, size_t bytes)
{
	const char *from = p;
	int ret = 0;

	m->bytes[m->region] += bytes;
	while (!ret && bytes) {
		size_t n = sizeof(m->block) - m->fill;

		if (n > bytes)
			n = bytes;
		if (from) {
			memcpy(m->block + m->fill, from, n);
			from += n;
		}
		m->fill += n;
		bytes -= n;
		if (m->fill == sizeof(m->block))
			ret = put_block(m);
	}
	return ret;
}

int meta_pad(struct meta *m, u64 pos)
{
	static const char zero[DSFS_BLOCK_SIZE];
	int ret = 0;

	while (!ret && m->bytes[m->region] < pos) {
		u64 n = pos - m->bytes[m->region];

		ret = meta_put(m, zero, n < sizeof(zero) ? n : sizeof(zero));
	}
	return ret;
}

int meta_end(struct meta *m)
{
	struct dsfs_region *r = &m->super.regions[m->region];
	const u64 bytes = m->bytes[m->region];

	r->bytes = cpu_to_le64(bytes);
	if (!bytes)
		r->start = cpu_to_le64(0);
	return m->fill ? put_block(m) : 0;
}

/* Of the blocks of BLOCKSUMS, with what fills up the last one */
static void sum_sums(struct meta *m, const __le32 *sums, u64 count)
{
	static const u8 zero[DSFS_BLOCK_SIZE];
	const u64 bytes = count * sizeof(*sums);
	u32 sum = dsfs_crc32c(0, sums, bytes);

	sum = dsfs_crc32c(sum, zero, -bytes & (DSFS_BLOCK_SIZE - 1));
	m->super.sums_checksum = cpu_to_le32(sum);
}

/* BLOCKSUMS has entries for its own blocks, too, which are zero. */
int meta_blocksums(struct meta *m)
{
	const u64 per = DSFS_BLOCK_SIZE / sizeof(__le32);
	u64 own = 1, all;
	__le32 *sums;

	while ((m->blocks + own + per - 1) / per > own)
		own++;
	all = m->blocks + own;
	/* Writing the region adds entries for its blocks; that must not move what is written. */
	while (m->sums.n < all + own) {
		if (!array_add(&m->sums))
			return -ENOMEM;
	}
	m->sums.n = all;
	sums = (__le32 *)m->sums.p;
	sum_sums(m, sums, all);
	meta_begin(m, DSFS_REGION_BLOCKSUMS);
	return meta_put(m, sums, all * sizeof(*sums)) ?: meta_end(m);
}

/* Write a region again from its first block on, whose checksum is not touched. */
static int write_again(struct meta *m, enum dsfs_region_id id, const void *p, size_t bytes)
{
	return write_block(m, le64_to_cpu(m->super.regions[id].start) >> DSFS_BLOCK_BITS, p,
			   bytes);
}

/* The digest is that of the image as it can be read now, whatever it was made of. */
static int digest(const struct meta *m, const struct digest_request *request, u8 *sum)
{
	struct image img = {
		.path = m->out->path, .start = m->out->at, .bytes = m->geo.image_bytes,
		.geo = &m->geo,
	};
	struct digest_result result;
	const char *what;
	int ret = output_settle(m->out) ?: reader_fd(m->out->fd, &img.reader, &what);

	if (ret)
		return ret;
	ret = digest_image(&img, request, &result);
	memcpy(sum, result.sum, sizeof(result.sum));
	image_close(&img);
	return ret;
}

int meta_keep_digest(struct meta *m, u8 kind, u64 threads)
{
	const struct digest_request request = { .threads = threads, .kind = kind };
	const struct dsfs_region *r = &m->super.regions[DSFS_REGION_NOTE];
	struct dsfs_note *note = &m->draft->note;
	__le32 *sums = (__le32 *)m->sums.p;
	u8 block[DSFS_BLOCK_SIZE] = { 0 };
	int ret = kind ? digest(m, &request, note->digest) : 0;

	if (ret || !kind)
		return ret;
	note->digest_kind = kind;
	note->digest_bytes = DSFS_DIGEST_BYTES;
	memcpy(block, note, sizeof(*note));
	sums[le64_to_cpu(r->start) >> DSFS_BLOCK_BITS] =
		cpu_to_le32(dsfs_crc32c(0, block, sizeof(block)));
	sum_sums(m, sums, m->blocks);
	return write_again(m, DSFS_REGION_NOTE, block, sizeof(block)) ?:
	       write_again(m, DSFS_REGION_BLOCKSUMS, sums, m->blocks * sizeof(*sums));
}
