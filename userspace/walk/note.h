/* SPDX-License-Identifier: GPL-2.0 */
/* The note of a generation as text, for all that shows generations. */
#ifndef WALK_NOTE_H
#define WALK_NOTE_H

#include "digest_lines.h"
#include "walk.h"

/* Bytes for a message, terminated, as msg_escape() writes it */
#define NOTE_ESCAPED	(4 * DSFS_MESSAGE_MAX + 5)

/**
 * struct note_text - the note of a generation as text
 * @message: terminated; empty if there is none
 * @digest: as digest.rst writes it; empty if none is kept
 * @raw: all of it
 */
struct note_text {
	struct dsfs_note raw;
	char message[DSFS_MESSAGE_MAX + 1];
	char digest[DIGEST_TEXT];
};

/**
 * note_text - read the note of a generation of the image
 * @geo: of the generation
 * @text: filled in; empty if there is no note, or if it is bad, which is reported
 */
void note_text(struct view *v, const struct dsfs_geo *geo, struct note_text *text);

/** note_codec - what files were compressed by, of the last generation that compressed some */
const char *note_codec(const struct dsfs_note *note);

#define NOTE_WORDS	64

/** note_version - the version of its library; empty if it is not known */
char *note_version(const struct dsfs_note *note, char text[NOTE_WORDS]);

/** note_time - when a generation was made, as UTC, without fractions of a second */
char *note_time(s64 ns, char text[NOTE_WORDS]);

#endif /* WALK_NOTE_H */
