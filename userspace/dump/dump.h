/* SPDX-License-Identifier: GPL-2.0 */
/* dump.dsfs: what it shows of an image; trees are written by export/ and diff/. */
#ifndef DUMP_H
#define DUMP_H

#include "digest.h"
#include "json.h"
#include "walk.h"

/*
 * The functions of the options that show something.  They write text to standard output, or,
 * if @j is not NULL, members of its current object.  Each returns 0, or -1 after a message.
 */
int dump_supers(struct view *v, struct json *j);
int dump_generation(struct view *v, struct json *j);
int dump_regions(struct view *v, struct json *j);
int dump_generations(struct view *v, struct json *j);
int dump_path(struct view *v, struct json *j, const char *path);
int dump_dir(struct view *v, struct json *j, const char *path);
int dump_extents(struct view *v, struct json *j, const char *path);
/* @no_data: checksums of contents are left out */
int dump_list(struct view *v, struct json *j, bool no_data);
int dump_digest(struct view *v, struct json *j, const struct digest_request *r);
int dump_cat(struct view *v, const char *path);
/* Make a layout of the OCI's, in a new folder @path */
int dump_oci(struct view *v, struct json *j, const char *path);

/* A member of a report; as text it is a line: @label, and @text as listing_escape() writes it. */
static inline void show_text(struct json *j, const char *key, const char *label, const char *text)
{
	if (j) {
		json_str(j, key, text);
		return;
	}
	fputs(label, stdout);
	listing_escape(stdout, text, strlen(text));
	putchar('\n');
}

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

#endif /* DUMP_H */
