// SPDX-License-Identifier: GPL-2.0
/*
 * The metadata area as a stream of blocks.  Each region begins with a block.  The checksum of a
 * block is computed when the block is full; the checksum of a region covers those of its blocks.
 */
#include "meta.h"

static int put_block(struct meta *m)
{
	__le32 *sum = array_add(&m->sums);
	int ret;

	if (!sum)
		return -ENOMEM;
	memset(m->block + m->fill, 0, sizeof(m->block) - m->fill);
	*sum = cpu_to_le32(dsfs_crc32c(0, m->block, sizeof(m->block)));
	if (m->store->hash_uuid)
		m->hash = xxh64(m->block, sizeof(m->block), m->hash);
	ret = output_write(m->out, m->start + m->blocks * DSFS_BLOCK_SIZE,
			   m->block, sizeof(m->block));
	m->blocks++;
	m->fill = 0;
	return ret;
}

void meta_begin(struct meta *m, enum dsfs_region_id id)
{
	m->region = id;
	m->super.regions[id].block = cpu_to_le32(m->blocks);
}

int meta_put(struct meta *m, const void *p, size_t bytes)
{
	const char *from = p;

	m->bytes[m->region] += bytes;
	while (bytes) {
		size_t n = sizeof(m->block) - m->fill;

		if (n > bytes)
			n = bytes;
		memcpy(m->block + m->fill, from, n);
		m->fill += n;
		from += n;
		bytes -= n;
		if (m->fill == sizeof(m->block)) {
			int ret = put_block(m);

			if (ret)
				return ret;
		}
	}
	return 0;
}

int meta_pad(struct meta *m, u64 pos)
{
	static const char zero[DSFS_BLOCK_SIZE];

	while (m->bytes[m->region] < pos) {
		u64 n = pos - m->bytes[m->region];
		int ret = meta_put(m, zero, n < sizeof(zero) ? n : sizeof(zero));

		if (ret)
			return ret;
	}
	return 0;
}

int meta_end(struct meta *m)
{
	struct dsfs_region *r = &m->super.regions[m->region];
	u32 first = le32_to_cpu(r->block);
	int ret = m->fill ? put_block(m) : 0;
	u32 sum = 0;

	r->bytes = cpu_to_le64(m->bytes[m->region]);
	if (!m->bytes[m->region])
		r->block = cpu_to_le32(0);
	else
		sum = dsfs_crc32c(0, m->sums.p + first * sizeof(__le32),
				  (m->blocks - first) * sizeof(__le32));
	r->checksum = cpu_to_le32(sum);
	return ret;
}

/*
 * Write BLOCKSUMS, the last region.  It has entries for its own blocks, too,
 * which are zero, and one for the note behind it.
 */
int meta_blocksums(struct meta *m, __le32 note)
{
	struct dsfs_region *r = &m->super.regions[DSFS_REGION_BLOCKSUMS];
	u64 per = DSFS_BLOCK_SIZE / sizeof(__le32), own = 1, all;
	__le32 *sums;
	u32 checksum;
	int ret;

	while ((m->blocks + own + m->has_note + per - 1) / per > own)
		own++;
	all = m->blocks + own + m->has_note;
	/* Writing the region adds entries for its blocks; that must not move what is written. */
	while (m->sums.n < all + own) {
		if (!array_add(&m->sums))
			return -ENOMEM;
	}
	m->sums.n = all;
	sums = (__le32 *)m->sums.p;
	if (m->has_note)
		sums[all - 1] = note;
	checksum = dsfs_crc32c(0, sums, all * sizeof(*sums));
	meta_begin(m, DSFS_REGION_BLOCKSUMS);
	ret = meta_put(m, sums, all * sizeof(*sums));
	if (!ret)
		ret = meta_end(m);
	r->checksum = cpu_to_le32(checksum);
	return ret;
}

int meta_sum_note(struct meta *m, __le32 note)
{
	struct dsfs_region *r = &m->super.regions[DSFS_REGION_BLOCKSUMS];
	const u64 per = DSFS_BLOCK_SIZE / sizeof(__le32);
	const u64 last = (m->blocks - 1) / per;
	__le32 *sums = (__le32 *)m->sums.p, block[DSFS_BLOCK_SIZE / sizeof(__le32)] = { 0 };

	sums[m->blocks - 1] = note;
	r->checksum = cpu_to_le32(dsfs_crc32c(0, sums, m->blocks * sizeof(*sums)));
	memcpy(block, sums + last * per, (m->blocks - last * per) * sizeof(*sums));
	return output_write(m->out, m->start + (le32_to_cpu(r->block) + last) * DSFS_BLOCK_SIZE,
			    block, sizeof(block));
}
