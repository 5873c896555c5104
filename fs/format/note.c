// SPDX-License-Identifier: GPL-2.0
/*
 * The note of a generation: a message, the digest of its tree, and what its files were compressed
 * by.
 *
 * No other structure refers to it, and it refers to none. So a broken note costs
 * what it says, and nothing else.
 */
#include "format.h"

static int dsfs_note_digest(const struct dsfs_note *raw, struct dsfs_err *err)
{
	const u32 want = raw->digest_kind ? DSFS_DIGEST_BYTES : 0;

	if (raw->digest_kind > DSFS_DIGEST_FULL)
		return dsfs_broken(err, "kind of the digest", raw->digest_kind, DSFS_DIGEST_FULL);
	if (raw->digest_bytes != want)
		return dsfs_broken(err, "length of the digest", raw->digest_bytes, want);
	if (!dsfs_all_zero(raw->digest + want, sizeof(raw->digest) - want))
		return dsfs_broken(err, "bytes of no digest", 1, 0);
	return 0;
}

/* dsfs_note_check - check a note. Any codec is good, as no reader needs it. */
int dsfs_note_check(const struct dsfs_note *raw, struct dsfs_err *err)
{
	const u32 len = le16_to_cpu(raw->message_bytes);
	int ret = dsfs_note_digest(raw, err);

	if (ret)
		return ret;
	if (len > DSFS_MESSAGE_MAX)
		return dsfs_broken(err, "length of the message", len, DSFS_MESSAGE_MAX);
	if (memchr(raw->message, 0, len))
		return dsfs_broken(err, "NUL in the message", 0, 1);
	if (raw->reserved || !dsfs_all_zero(raw->message + len, sizeof(raw->message) - len))
		return dsfs_broken(err, "padding of the note", 1, 0);
	return 0;
}

/* dsfs_digest_name - the name of DSFS_DIGEST_@kind in digest.rst, or NULL */
const char *dsfs_digest_name(u8 kind)
{
	switch (kind) {
	case DSFS_DIGEST_DATA:
		return "dsfs1-data";
	case DSFS_DIGEST_FULL:
		return "dsfs1-full";
	}
	return NULL;
}
