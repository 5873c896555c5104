// SPDX-License-Identifier: GPL-2.0
/*
 * --digest: the digest of a generation, and whether the one that it keeps is the
 * same.
 */
#include "dump.h"
#include "msg.h"
#include "progress.h"

/* The digest that the generation keeps is compared with one of its own kind only. */
static const char *compare(const struct note_text *note, const char *value)
{
	const size_t name = strcspn(value, ":");

	if (strncmp(note->digest, value, name + 1))
		return "none";
	return strcmp(note->digest, value) ? "differs" : "agrees";
}

static void show(struct view *v, struct json *j, const struct digest_request *r,
		 const struct digest_result *result, const char *value, const char *kept)
{
	if (!j) {
		printf("%s\n", value);
		return;
	}
	json_str(j, "digest", value);
	json_str(j, "covers", r->kind == DSFS_DIGEST_FULL ? "full" : "data");
	json_str(j, "kept", kept);
	json_u64(j, "generation", v->img.geo->generation);
	json_u64(j, "objects", result->objects);
	json_u64(j, "files", result->files);
	json_u64(j, "bytes", result->bytes);
}

int dump_digest(struct view *v, struct json *j, const struct digest_request *r)
{
	struct digest_result result;
	struct note_text note;
	char value[DIGEST_TEXT];
	const char *kept;

	progress_enable(!r->text && !j);
	if (digest_make(v, r, &result))
		return -1;
	if (r->text)
		return 0;
	note_text(v, v->img.geo, &note);
	digest_text(r->kind, result.sum, value);
	kept = compare(&note, value);
	show(v, j, r, &result, value, kept);
	if (strcmp(kept, "differs"))
		return 0;
	msg_error(v->img.path, "digest: generation %llu keeps another one: %s",
		  v->img.geo->generation, note.digest);
	return -1;
}
