// SPDX-License-Identifier: GPL-2.0
/*
 * The note of the new generation: its message and the digest of its tree.
 *
 * Each generation has a note of its own.  An update does not take over what the
 * previous one says: its tree is another.  An image that is packed anew has the
 * same tree, so it keeps the note, as it keeps the label.
 */
#include "meta.h"

void meta_note(struct meta *m)
{
	m->note = m->gen->note;
	m->has_note = m->gen->has_note;
	if (m->has_note)
		m->note.magic = cpu_to_le32(DSFS_NOTE_MAGIC);
}

/* The block as it is written. */
static void note_block(const struct meta *m, u8 *block)
{
	memset(block, 0, DSFS_BLOCK_SIZE);
	memcpy(block, &m->note, sizeof(m->note));
}

__le32 meta_note_sum(const struct meta *m)
{
	u8 block[DSFS_BLOCK_SIZE];

	note_block(m, block);
	return cpu_to_le32(dsfs_crc32c(0, block, sizeof(block)));
}

int meta_put_note(struct meta *m)
{
	u8 block[DSFS_BLOCK_SIZE];

	note_block(m, block);
	return output_write(m->out, m->start + m->blocks++ * DSFS_BLOCK_SIZE, block, sizeof(block));
}

int meta_keep_digest(struct meta *m, u8 kind, const u8 *digest)
{
	int ret;

	m->note.digest_kind = kind;
	m->note.digest_bytes = DSFS_DIGEST_BYTES;
	memcpy(m->note.digest, digest, DSFS_DIGEST_BYTES);
	m->blocks--;
	ret = meta_put_note(m);
	return ret ? ret : meta_sum_note(m, meta_note_sum(m));
}
