// SPDX-License-Identifier: GPL-2.0
/* The note of a generation as text, for all that shows generations. */
#include "dump.h"

static void take(struct note_text *text, const struct dsfs_note *note)
{
	text->raw = *note;
	memcpy(text->message, note->message, le16_to_cpu(note->message_bytes));
	if (note->digest_kind)
		digest_text(note->digest_kind, note->digest, text->digest);
}

void note_text(struct view *v, const struct dsfs_geo *geo, struct note_text *text)
{
	struct image img = v->img;
	struct dsfs_err err = { 0 };
	struct dsfs_source *src;
	struct dsfs_note note;
	int ret = -ENOMEM;

	memset(text, 0, sizeof(*text));
	img.geo = geo;
	src = image_source(&img, 1);
	if (src)
		ret = image_note(src, &note, &err);
	if (ret < 0)
		view_error(v, v->img.path, "note", ret, &err);
	else if (ret)
		take(text, &note);
	image_source_free(src);
}
