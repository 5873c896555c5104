// SPDX-License-Identifier: GPL-2.0
/* dsfs info: what an image is at a glance.  Contents are not read. */
#include <uuid/uuid.h>

#include "census.h"
#include "msg.h"
#include "note.h"
#include "open.h"
#include "screen.h"
#include "status.h"
#include "verb.h"

#define BAR	36	/* columns of the longest bar: a row has 80 */

static const struct arg option_table[] = {
	{ VIEW_GENERATION },
	{ VIEW_SOURCE },
	{ VIEW_JSON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs info [options] IMAGE\n"
	"Show what an image is: names, generations, files by ending and by size, memory.\n",
	.examples =
	"  dsfs info train.dsfs\n"
	"  dsfs info --json --generation=1 train.dsfs\n",
	.words = "IMAGE", .low = 1, .high = 1,
	.table = option_table,
};

static void show_note(struct json *j, const struct note_text *n)
{
	char text[NOTE_ESCAPED];

	json_str(j, "message", n->message);
	if (*n->message)
		json_say(j, "message:      %s\n", msg_escape(text, sizeof(text), n->message));
	if (j || *n->digest)
		show_text(j, "digest", "digest:       ", n->digest);
	if (j || n->raw.codec)
		json_show_str(j, "codec", "compressed:   by %s", note_codec(&n->raw));
	if (j || n->raw.codec_level)
		json_show_u64(j, "codec_level", ":%llu", n->raw.codec_level);
	if (n->raw.codec)
		json_say(j, "\n");
}

static void show_geo(struct json *j, const struct dsfs_geo *geo)
{
	const u64 sums = geo->regions[DSFS_REGION_BLOCKSUMS].bytes;
	char uuid[UUID_STR_LEN];

	uuid_unparse(geo->uuid, uuid);
	if (j || *geo->label)
		show_text(j, "label", "label:        ", (const char *)geo->label);
	show_text(j, "uuid", "uuid:         ", uuid);
	json_show_u64(j, "compat", "format:       1, features %#llx", geo->compat);
	json_show_u64(j, "incompat", ", needed %#llx\n", geo->incompat);
	json_show_size(j, "image_bytes", "image:        %s", geo->image_bytes);
	json_show_size(j, "stored_bytes", ", %s stored", geo->stored_bytes);
	json_show_size(j, "content_bytes", " of %s\n", geo->content_bytes);
	/* as fs/metaload.c counts them */
	json_show_size(j, "memory_bytes", "memory:       %s while it is mounted\n",
		       geo->meta_bytes +
		       ((sums + DSFS_BLOCK_SIZE - 1) & ~(DSFS_BLOCK_SIZE - 1ULL)));
}

static int show_generations(struct view *v, struct json *j)
{
	struct dsfs_slot now = { .geo = *v->img.geo }, older;
	char time[NOTE_WORDS], text[NOTE_ESCAPED];
	struct note_text note;
	int ret;

	json_begin_array(j, "generations");
	do {
		ret = image_older(&v->img, &now.geo, &older);
		note_text(v, &now.geo, &note);
		json_begin_object(j, NULL);
		json_show_u64(j, "generation", "generation:   %llu", now.geo.generation);
		json_s64(j, "build_time_ns", now.geo.build_time);
		json_str(j, "message", note.message);
		json_say(j, ", built %s UTC%s%s\n", note_time(now.geo.build_time, time),
			 *note.message ? ": " : "", msg_escape(text, sizeof(text), note.message));
		json_end(j);
		if (ret < 0)
			view_error(v, v->img.path, "history", ret, &older.err);
		now = older;
	} while (ret == 1);
	json_end(j);
	return ret;
}

static void show_sum(struct json *j, const struct census_sum *s)
{
	json_show_u64(j, "files", " %12llu", s->files);
	json_show_size(j, "bytes", " %12s", s->bytes);
}

static void end_row(struct json *j)
{
	json_say(j, "\n");
	json_end(j);
}

static void show_endings(struct json *j, const struct census *c)
{
	json_begin_array(j, "endings");
	for (unsigned int i = 0; i < c->nr; i++) {
		json_begin_object(j, NULL);
		json_show_str(j, "ending", ".%-15s", c->endings[i].name);
		show_sum(j, &c->endings[i].sum);
		end_row(j);
	}
	if (c->rest.files) {
		json_begin_object(j, NULL);
		json_show_str(j, "ending", j ? "%s" : "others          %s", "");
		show_sum(j, &c->rest);
		end_row(j);
	}
	json_end(j);
}

/* A bar beside the numbers of a row, as long as its part of @most; a row with a file has one. */
static void show_bar(struct json *j, u64 n, u64 most)
{
	if (j)
		return;
	fputs("  ", stdout);
	screen_bar(stdout, n, most, BAR);
}

static u64 most_files(const struct census *c)
{
	u64 most = 0;

	for (unsigned int i = 0; i < CENSUS_SIZES; i++)
		if (c->sizes[i].files > most)
			most = c->sizes[i].files;
	return most;
}

/* A histogram; classes without a file are left out. */
static void show_sizes(struct json *j, const struct census *c)
{
	const u64 most = most_files(c);

	json_begin_array(j, "sizes");
	for (unsigned int i = 0; i < CENSUS_SIZES; i++) {
		if (!c->sizes[i].files)
			continue;
		json_begin_object(j, NULL);
		json_show_size(j, "below", "below %-10s", 1ULL << 2 * i);
		show_sum(j, &c->sizes[i]);
		show_bar(j, c->sizes[i].files, most);
		end_row(j);
	}
	json_end(j);
}

static int run(struct view *v, struct json *j, void *arg)
{
	struct note_text note;
	struct census c;
	int ret;

	show_geo(j, v->img.geo);
	note_text(v, v->img.geo, &note);
	show_note(j, &note);
	ret = show_generations(v, j);
	if (census_take(v, &c))
		return -1;
	json_show_u64(j, "files", "files:        %llu, ", c.files.files);
	json_show_u64(j, "dirs", "%llu directories, ", c.dirs);
	json_show_u64(j, "symlinks", "%llu symbolic links, ", c.symlinks);
	json_show_u64(j, "others", "%llu others\n", c.others);
	show_endings(j, &c);
	show_sizes(j, &c);
	return ret;
}

int verb_info(int argc, char **argv)
{
	struct view_options o = { };

	return view_verb(&command_line, &o, argc, argv, run);
}
