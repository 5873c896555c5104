/* SPDX-License-Identifier: GPL-2.0 */
/* Test cases of notes: the rules of note.c, one defect each */
#ifndef FORMAT_CASES_NOTE_H
#define FORMAT_CASES_NOTE_H

#include "format_cases.h"

/* A note with a digest and a message of four bytes; base 1: without a digest */
static inline void dsfs_case_note(void *buf, u32 base)
{
	struct dsfs_note *n = buf;

	memset(buf, 0, DSFS_BLOCK_SIZE);
	n->magic = cpu_to_le32(DSFS_NOTE_MAGIC);
	n->message_bytes = cpu_to_le16(4);
	memcpy(n->message, "text", 4);
	if (base)
		return;
	n->digest_kind = DSFS_DIGEST_DATA;
	n->digest_bytes = DSFS_DIGEST_BYTES;
	memset(n->digest, 0xa5, sizeof(n->digest));
}

/* @arg: length of a message of the letter x; 0: the one above */
static inline int dsfs_case_run_note(const struct dsfs_case *c, void *buf,
				     struct dsfs_geo *geo,
				     struct dsfs_err *err)
{
	struct dsfs_note *n = buf;

	dsfs_case_note(buf, c->base);
	if (c->arg) {
		/* It may be longer than the field. */
		memset(buf + offsetof(struct dsfs_note, message), 'x', c->arg);
		n->message_bytes = cpu_to_le16(c->arg);
	}
	dsfs_case_patch(buf, c);
	return dsfs_note_check(buf, err);
}

#define NT(n, f, v)	DSFS_P(n, dsfs_note, f, v)

static const struct dsfs_case dsfs_note_cases[] = {
	{ "note: good" },
	{ "note: without a digest", .base = 1 },
	{ "note: digest of everything", .patch = { NT(1, digest_kind, DSFS_DIGEST_FULL) } },
	{ "note: digest that begins with zeros", .patch = { NT(8, digest, 0) } },
	{ "note: magic", .patch = { NT(4, magic, DSFS_SUPER_MAGIC) },
	  .ret = DSFS_BAD, .what = "magic of the note" },
	{ "note: kind 3", .patch = { NT(1, digest_kind, 3) },
	  .ret = DSFS_BAD, .what = "kind of the digest" },
	{ "note: kind 255", .patch = { NT(1, digest_kind, 255) },
	  .ret = DSFS_BAD, .what = "kind of the digest" },
	{ "note: digest without a length", .patch = { NT(1, digest_bytes, 0) },
	  .ret = DSFS_BAD, .what = "length of the digest" },
	{ "note: digest of 33 bytes", .patch = { NT(1, digest_bytes, 33) },
	  .ret = DSFS_BAD, .what = "length of the digest" },
	{ "note: length without a digest", .base = 1, .patch = { NT(1, digest_bytes, 32) },
	  .ret = DSFS_BAD, .what = "length of the digest" },
	{ "note: first byte of no digest", .base = 1,
	  .patch = { DSFS_P8(dsfs_note, digest, 0, 1) },
	  .ret = DSFS_BAD, .what = "bytes of no digest" },
	{ "note: last byte of no digest", .base = 1,
	  .patch = { DSFS_P8(dsfs_note, digest, 31, 0x80) },
	  .ret = DSFS_BAD, .what = "bytes of no digest" },
	{ "note: no message", .patch = { NT(2, message_bytes, 0), NT(4, message, 0) } },
	{ "note: message of one byte", .arg = 1,
	  .patch = { DSFS_P8(dsfs_note, message, 1, 0), DSFS_P8(dsfs_note, message, 2, 0),
		     DSFS_P8(dsfs_note, message, 3, 0) } },
	{ "note: longest message", .arg = DSFS_MESSAGE_MAX },
	{ "note: message of 1025 bytes", .arg = DSFS_MESSAGE_MAX + 1,
	  .ret = DSFS_BAD, .what = "length of the message" },
	{ "note: message of 65535 bytes", .patch = { NT(2, message_bytes, 65535) },
	  .ret = DSFS_BAD, .what = "length of the message" },
	{ "note: NUL in the message", .patch = { DSFS_P8(dsfs_note, message, 1, 0) },
	  .ret = DSFS_BAD, .what = "NUL in the message" },
	{ "note: NUL at its end", .patch = { NT(2, message_bytes, 5) },
	  .ret = DSFS_BAD, .what = "NUL in the message" },
	{ "note: byte behind the message", .patch = { DSFS_P8(dsfs_note, message, 4, 1) },
	  .ret = DSFS_BAD, .what = "padding of the note" },
	{ "note: byte behind the longest message", .arg = DSFS_MESSAGE_MAX,
	  .patch = { DSFS_P8(dsfs_note, message, DSFS_MESSAGE_MAX, 1) },
	  .ret = DSFS_BAD, .what = "padding of the note" },
	{ "note: last byte of the block", .patch = { { DSFS_BLOCK_SIZE - 1, 1, 1 } },
	  .ret = DSFS_BAD, .what = "padding of the note" },
};

#undef NT

#endif /* FORMAT_CASES_NOTE_H */
