/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The note of a generation as text.
 */
#ifndef DUMP_NOTE_H
#define DUMP_NOTE_H

#include "digest.h"
#include "dump.h"

/* Bytes for a message, terminated, as msg_escape() writes it */
#define NOTE_ESCAPED	(4 * DSFS_MESSAGE_MAX + 5)

/**
 * struct note_text - a note
 * @message: terminated; empty if there is none
 * @digest: as digest.rst writes it; empty if none is kept
 */
struct note_text {
	char message[DSFS_MESSAGE_MAX + 1];
	char digest[DIGEST_TEXT];
};

/**
 * note_text - read the note of a generation
 * @geo: of the generation
 * @text: filled in; empty if there is no note, or if it is bad, which is reported
 */
void note_text(struct dump *d, const struct dsfs_geo *geo, struct note_text *text);

#endif /* DUMP_NOTE_H */
