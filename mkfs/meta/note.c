// SPDX-License-Identifier: GPL-2.0
/*
 * The note of the new generation: its message and the digest of its tree.
 *
 * Each generation has a note of its own.  An update does not take over what the
 * previous one says: its tree is another.  An image that is packed anew has the
 * same tree, so it keeps the note, as it keeps the label.
 */
#include "../base/base.h"
#include "meta.h"

static int keep_note(struct meta *m)
{
	const struct base *base = m->mkfs->base;
	struct dsfs_err err = { 0 };
	int ret = image_note(base->prev, &m->note, &err);

	return ret < 0 ? base_damaged(base, "note", &err, ret) : 0;
}

int meta_note(struct meta *m)
{
	const struct options *o = m->mkfs->o;
	int ret = o->build == BUILD_COMPACT ? keep_note(m) : 0;

	if (ret)
		return ret;
	if (o->message) {
		memset(m->note.message, 0, sizeof(m->note.message));
		memcpy(m->note.message, o->message, strlen(o->message));
		m->note.message_bytes = cpu_to_le16(strlen(o->message));
	}
	if (o->digest) {	/* filled in by meta_keep_digest() */
		m->note.digest_kind = DSFS_DIGEST_NONE;
		m->note.digest_bytes = 0;
		memset(m->note.digest, 0, sizeof(m->note.digest));
	}
	m->has_note = m->note.message_bytes || m->note.digest_kind || o->digest;
	if (m->has_note)
		m->note.magic = cpu_to_le32(DSFS_NOTE_MAGIC);
	return 0;
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
	return output_write(&m->mkfs->out, m->start + m->blocks++ * DSFS_BLOCK_SIZE,
			    block, sizeof(block));
}

int meta_keep_digest(struct meta *m, u8 kind, const u8 *digest)
{
	int ret;

	m->note.digest_kind = kind;
	m->note.digest_bytes = DSFS_DIGEST_BYTES;
	memcpy(m->note.digest, digest, DSFS_DIGEST_BYTES);
	m->blocks--;
	ret = meta_put_note(m);
	return ret ? ret : meta_sum_note(m);
}
