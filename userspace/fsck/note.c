// SPDX-License-Identifier: GPL-2.0
/*
 * The note of a generation, and whether the digest in it is that of the tree.
 */
#include "digest.h"
#include "fsck.h"

static u64 note_pos(const struct fsck *f)
{
	return f->geo->regions[DSFS_REGION_NOTE].pos;
}

int check_note(struct fsck *f)
{
	struct dsfs_err err = { 0 };
	struct dsfs_note note;
	int ret = image_note(f->src, &note, &err);
	char text[256];

	/* what is unreadable or has a wrong checksum was reported with the blocks */
	if (ret == -EUCLEAN) {
		err_text(&err, ret, text, sizeof(text));
		problem(f, "note", NO_INO, note_pos(f), "%s", text);
	}
	return ret == -ENOMEM ? ret : 0;
}

static void compare(struct fsck *f, const struct dsfs_note *note,
		    const struct digest_result *result)
{
	char have[DIGEST_TEXT], want[DIGEST_TEXT];

	if (!memcmp(result->sum, note->digest, sizeof(note->digest)))
		return;
	problem(f, "digest", NO_INO, note_pos(f), "%s, of the tree %s",
		digest_text(note->digest_kind, note->digest, want),
		digest_text(note->digest_kind, result->sum, have));
}

int check_digest(struct fsck *f)
{
	struct digest_request r = { .threads = f->threads };
	struct digest_result result;
	struct dsfs_err err = { 0 };
	struct dsfs_note note;
	int ret = image_note(f->src, &note, &err);

	if (ret < 0)
		return 0;	/* reported by check_note() */
	r.kind = note.digest_kind;
	if (!r.kind) {
		/* the newest, or the only one that was asked for */
		if (!f->generations)
			warning(f, "digest", NO_INO, NO_POS, "none is kept");
		return 0;
	}
	ret = digest_image(&f->img, &r, &result);
	if (!ret)
		compare(f, &note, &result);
	else if (ret != -ENOMEM && ret != -ECANCELED)
		problem(f, "digest", NO_INO, note_pos(f),
			"not compared: not everything could be read");
	return ret == -ENOMEM ? ret : 0;
}
