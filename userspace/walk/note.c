// SPDX-License-Identifier: GPL-2.0
/* The note of a generation as text, for all that shows generations. */
#include <time.h>

#include "note.h"

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

const char *note_codec(const struct dsfs_note *note)
{
	return note->codec == DSFS_CODEC_ZSTD ? "zstd" : note->codec == DSFS_CODEC_LZ4 ? "lz4" :
	       note->codec ? "unknown" : "";
}

char *note_version(const struct dsfs_note *note, char text[NOTE_WORDS])
{
	const u32 v = le32_to_cpu(note->codec_version);

	*text = '\0';
	if (v)
		snprintf(text, NOTE_WORDS, "%u.%u.%u", v / 10000, v / 100 % 100, v % 100);
	return text;
}

char *note_time(s64 ns, char text[NOTE_WORDS])
{
	const time_t t = nsec_split(ns).sec;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(text, NOTE_WORDS, "%Y-%m-%d %H:%M:%S", &tm))
		*text = '\0';
	return text;
}
