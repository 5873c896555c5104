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
	n->message_bytes = cpu_to_le16(4);
	memcpy(n->message, "text", 4);
	if (base)
		return;
	n->digest_kind = DSFS_DIGEST_DATA;
	n->digest_bytes = DSFS_DIGEST_BYTES;
	memset(n->digest, 0xa5, sizeof(n->digest));
}

/* @arg: length of a message of the letter x; 0: the one above */
static inline int dsfs_case_run_note(const struct dsfs_case *c, void *buf, struct dsfs_geo *geo,
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

#define NT(f, v)	DSFS_P(v, struct dsfs_note, f)

static const struct dsfs_case dsfs_note_cases[] = {
	{ "good" },
	{ "without a digest", 1 },
	{ "digest of everything", 0, NULL, { NT(digest_kind, DSFS_DIGEST_FULL) } },
	{ "digest that begins with zeros", 0, NULL,
	  { { offsetof(struct dsfs_note, digest), 8, 0 } } },
	{ "a codec of later", 0, NULL, { NT(codec, 255), NT(codec_auto, 255) } },
	{ "reserved byte", 0, "padding of the note", { NT(reserved, 1) } },
	{ "kind 3", 0, "kind of the digest", { NT(digest_kind, 3) } },
	{ "kind 255", 0, "kind of the digest", { NT(digest_kind, 255) } },
	{ "digest without a length", 0, "length of the digest", { NT(digest_bytes, 0) } },
	{ "digest of 33 bytes", 0, "length of the digest", { NT(digest_bytes, 33) } },
	{ "length without a digest", 1, "length of the digest", { NT(digest_bytes, 32) } },
	{ "first byte of no digest", 1, "bytes of no digest", { NT(digest[0], 1) } },
	{ "last byte of no digest", 1, "bytes of no digest", { NT(digest[31], 0x80) } },
	{ "no message", 0, NULL,
	  { NT(message_bytes, 0), { offsetof(struct dsfs_note, message), 4, 0 } } },
	{ "message of one byte", 0, NULL,
	  { NT(message[1], 0), NT(message[2], 0),
	    NT(message[3], 0) }, .arg = 1 },
	{ "longest message", .arg = DSFS_MESSAGE_MAX },
	{ "message of 1025 bytes", 0, "length of the message", .arg = DSFS_MESSAGE_MAX + 1 },
	{ "message of 65535 bytes", 0, "length of the message", { NT(message_bytes, 65535) } },
	{ "NUL in the message", 0, "NUL in the message", { NT(message[1], 0) } },
	{ "NUL at its end", 0, "NUL in the message", { NT(message_bytes, 5) } },
	{ "byte behind the message", 0, "padding of the note", { NT(message[4], 1) } },
	{ "last byte of the note", 0, "padding of the note",
	  { NT(message[DSFS_MESSAGE_MAX - 1], 1) } },
};

#undef NT

#endif /* FORMAT_CASES_NOTE_H */
