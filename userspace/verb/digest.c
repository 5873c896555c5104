// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs digest: that of a generation, and whether the one that it keeps is the same.  That of a
 * directory is for the program that packs directories.
 */
#include "digest.h"
#include "file_sums.h"
#include "msg.h"
#include "note.h"
#include "open.h"
#include "progress.h"
#include "status.h"
#include "verb.h"

struct digest_options {
	struct view_options view;
	struct digest_request digest;
	bool full;
};

static const struct arg option_table[] = {
	{ 0, "full", NULL, "modes, owners, times, attributes and hard links, too",
	  ARG_FLAG(struct digest_options, full) },
	{ 0, "text", NULL, "the text that it is the SHA-256 of",
	  ARG_FLAG(struct digest_options, digest.text), .not = "json" },
	{ 0, "threads", "N", "threads that read files (processors)",
	  ARG_NUMBER(struct digest_options, digest.threads, 1, SUMS_THREADS_MAX) },
	{ VIEW_GENERATION },
	{ VIEW_SOURCE },
	{ VIEW_JSON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs digest [options] IMAGE|DIR\n"
	"Print a number that stands for the data set, whatever the image.\n",
	.examples =
	"  dsfs digest train.dsfs\n"
	"  dsfs digest --full photos\n",
	.words = "IMAGE", .low = 1, .high = 1,
	.table = option_table,
};

static const char differs[] = "differs";

/* The digest that the generation keeps is compared with one of its own kind only. */
static const char *compare(const struct note_text *note, const char *value)
{
	const size_t name = strcspn(value, ":");

	if (strncmp(note->digest, value, name + 1))
		return "none";
	return strcmp(note->digest, value) ? differs : "agrees";
}

static void show(struct view *v, struct json *j, const struct digest_request *r,
		 const struct digest_result *result, const char *value, const char *kept)
{
	json_show_str(j, "digest", "%s\n", value);
	json_str(j, "covers", r->kind == DSFS_DIGEST_FULL ? "full" : "data");
	json_str(j, "kept", kept);
	json_u64(j, "generation", v->img.geo->generation);
	json_u64(j, "objects", result->objects);
	json_u64(j, "files", result->files);
	json_u64(j, "bytes", result->bytes);
}

static int run(struct view *v, struct json *j, void *arg)
{
	struct digest_options *o = arg;
	struct digest_request *r = &o->digest;
	struct digest_result result;
	struct note_text note;
	char value[DIGEST_TEXT];
	const char *kept;

	r->kind = o->full ? DSFS_DIGEST_FULL : DSFS_DIGEST_DATA;
	progress_enable(!r->text && !j);
	if (digest_make(v, r, &result))
		return -1;
	if (r->text)
		return 0;
	note_text(v, v->img.geo, &note);
	digest_text(r->kind, result.sum, value);
	kept = compare(&note, value);
	show(v, j, r, &result, value, kept);
	if (kept != differs)
		return 0;
	return msg_error(v->img.path, "digest: generation %llu keeps another one: %s",
			 v->img.geo->generation, note.digest);
}

/* Whether the words tell of a directory, or of what else is packed as one. */
static bool is_of_tree(char **words)
{
	struct stat st;

	for (; *words; words++) {
		if (!strncmp(*words, "--tar", 5) || !strncmp(*words, "--manifest", 10))
			return true;
		if (**words != '-' && !stat(*words, &st) && S_ISDIR(st.st_mode))
			return true;
	}
	return false;
}

int verb_digest(int argc, char **argv)
{
	struct digest_options o = { };

	if (is_of_tree(argv + 1))
		return verb_program("mkfs.dsfs", argv);
	return view_verb(&command_line, &o.view, argc, argv, run);
}
