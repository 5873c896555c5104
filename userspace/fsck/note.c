// SPDX-License-Identifier: GPL-2.0
/*
 * The note of a generation.
 */
#include "fsck.h"

int check_note(struct fsck *f)
{
	struct dsfs_err err = { 0 };
	struct dsfs_note note;
	int ret = image_note(f->src, &note, &err);
	char text[256];

	/* what is unreadable or has a wrong checksum was reported with the blocks */
	if (ret == -EUCLEAN) {
		image_err_text(&err, ret, text, sizeof(text));
		problem(f, "note", NO_INO, dsfs_note_pos(f->geo), "%s", text);
	}
	return ret == -ENOMEM ? ret : 0;
}
