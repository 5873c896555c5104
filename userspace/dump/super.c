// SPDX-License-Identifier: GPL-2.0
/* Superblocks and the regions of the metadata. */
#include <uuid/uuid.h>

#include "dump.h"
#include "msg.h"
#include "note.h"

/* 0 bits: there is none. */
static u64 size_of(unsigned int bits)
{
	return bits ? 1ULL << bits : 0;
}

static void show_time(struct json *j, s64 ns)
{
	const struct nsec_time t = nsec_split(ns);
	char text[NOTE_WORDS];

	json_s64(j, "build_time_ns", ns);
	json_say(j, "built:         %lld.%09u (%s UTC)\n", t.sec, t.nsec, note_time(ns, text));
}

static void show_geo(struct json *j, const struct dsfs_geo *geo)
{
	char uuid[UUID_STR_LEN];

	uuid_unparse(geo->uuid, uuid);
	show_text(j, "uuid", "uuid:          ", uuid);
	show_text(j, "label", "label:         ", (const char *)geo->label);
	json_show_u64(j, "generation", "generation:    %llu\n", geo->generation);
	show_time(j, geo->build_time);
	json_show_u64(j, "compat", "features:      compat %#llx", geo->compat);
	json_say(j, "%s%s\n", geo->compat & DSFS_COMPAT_ARCHIVES ? " (archives)" : "",
		 geo->compat & DSFS_COMPAT_ERASING ? " (erasing)" : "");
	if (j || geo->incompat)
		json_show_u64(j, "incompat", "needs:         incompat %#llx", geo->incompat);
	if (geo->incompat)
		json_say(j, "%s\n", geo->incompat & DSFS_INCOMPAT_COMPRESSED ?
			 " (compressed files)" : "");
	json_show_u64(j, "image_bytes", "image:         %llu bytes\n", geo->image_bytes);
	json_show_u64(j, "data_start", "data:          [%llu, ", geo->data_start);
	json_show_u64(j, "data_end", "%llu)\n", geo->data_end);
	json_show_u64(j, "meta_start", "metadata:      [%llu, ", geo->meta_start);
	json_show_u64(j, "meta_bytes", "%llu)\n", (j ? 0 : geo->meta_start) + geo->meta_bytes);
	json_show_u64(j, "align", "alignment:     %llu\n", 1ULL << geo->align_bits);
	if (j || geo->chunk_bits)
		json_show_u64(j, "chunk", "checksum of:   %llu bytes\n", size_of(geo->chunk_bits));
	if (j || geo->small_bits > geo->chunk_bits)
		json_show_u64(j, "small_chunk", "small file:    one checksum up to %llu bytes\n",
			      size_of(geo->small_bits > geo->chunk_bits ? geo->small_bits : 0));
	if (j || geo->large_bits != geo->chunk_bits)
		json_show_u64(j, "large_chunk", "large file:    a checksum of each %llu bytes\n",
			      size_of(geo->large_bits != geo->chunk_bits ? geo->large_bits : 0));
	if (j || geo->object_bits)
		json_show_u64(j, "object", "object size:   %llu\n", size_of(geo->object_bits));
	json_show_u64(j, "inodes", "inodes:        %llu, ", geo->inodes - 1);
	json_show_u64(j, "dirs", geo->dirs == 1 ? "%llu directory\n" : "%llu directories\n",
		      geo->dirs);
	json_show_u64(j, "files", "files:         %llu, ", geo->files);
	json_show_u64(j, "content_bytes", "%llu bytes, ", geo->content_bytes);
	json_show_u64(j, "stored_bytes", "%llu stored\n", geo->stored_bytes);
}

/* What files were compressed by, of the last generation that compressed some */
static void show_codec(struct json *j, const struct dsfs_note *note)
{
	const char *name = note_codec(note);
	char text[NOTE_WORDS];

	note_version(note, text);
	if (!j && !note->codec)
		return;
	json_show_str(j, "codec", "compressed by: %s", name);
	if (j || note->codec_level)
		json_show_u64(j, "codec_level", ":%llu", note->codec_level);
	json_bool(j, "codec_auto", note->codec_auto);
	json_str(j, "codec_version", text);
	json_say(j, "%s, lib%s %s\n", note->codec_auto ? " (auto)" : "", name,
		 *text ? text : "unknown");
}

static void show_note(struct json *j, const struct note_text *n)
{
	char text[NOTE_ESCAPED];

	json_str(j, "message", n->message);
	if (*n->message)
		json_say(j, "message:       %s\n", msg_escape(text, sizeof(text), n->message));
	if (j || *n->digest)
		show_text(j, "digest", "digest:        ", n->digest);
	show_codec(j, &n->raw);
}

/* The superblock that is used is shown with its note. */
static void json_slot(struct view *v, struct json *j, int i)
{
	const struct dsfs_slot *slot = &v->img.slots[i];
	struct note_text note;

	json_begin_object(j, NULL);
	json_u64(j, "slot", i);
	json_bool(j, "valid", !slot->ret);
	if (slot->ret)
		json_str(j, "error", image_slot_why(slot));
	else
		show_geo(j, &slot->geo);
	if (v->img.use == i) {
		note_text(v, &slot->geo, &note);
		show_note(j, &note);
	}
	json_end(j);
}

int dump_supers(struct view *v, struct json *j)
{
	const struct dsfs_slot *s = v->img.slots;
	struct note_text note;

	if (j) {
		json_s64(j, "used", v->img.use);
		json_begin_array(j, "slots");
		for (int i = 0; i < DSFS_SB_SLOTS; i++)
			json_slot(v, j, i);
		json_end(j);
		return v->img.geo ? 0 : -1;
	}
	for (int i = 0; i < DSFS_SB_SLOTS; i++) {
		if (s[i].ret) {
			printf("slot %d:        bad: %s\n", i, image_slot_why(&s[i]));
		} else if (i && !s[0].ret && !memcmp(&s[0].raw, &s[1].raw, sizeof(s[0].raw))) {
			printf("slot 1:        the same\n");
		} else {
			printf("slot %d:        %s, at %llu\n", i,
			       v->img.use == i ? "used" : "valid",
			       DSFS_SB_POS(i));
			show_geo(NULL, &s[i].geo);
		}
	}
	if (v->img.geo) {
		note_text(v, v->img.geo, &note);
		show_note(NULL, &note);
	}
	return v->img.geo ? 0 : -1;
}

int dump_generation(struct view *v, struct json *j)
{
	struct note_text note;

	note_text(v, v->img.geo, &note);
	json_begin_object(j, "superblock");
	show_geo(j, v->img.geo);
	show_note(j, &note);
	json_end(j);
	return 0;
}

/* The end of a line of the table: it has blanks, so it comes last. */
static void print_words(const struct dsfs_geo *geo, const struct note_text *note)
{
	char text[NOTE_ESCAPED];

	msg_escape(text, sizeof(text), (const char *)geo->label);
	printf("  %s", *text ? text : "-");
	if (*note->message)
		printf("  %s", msg_escape(text, sizeof(text), note->message));
	putchar('\n');
}

/* @from: end of the previous generation: the bytes after it are those of this one */
static void show_generation(struct view *v, struct json *j, const struct dsfs_geo *geo, u64 from)
{
	struct note_text note;
	char text[NOTE_WORDS];

	note_text(v, geo, &note);
	if (j) {
		json_begin_object(j, NULL);
		show_geo(j, geo);
		show_note(j, &note);
		json_u64(j, "added_bytes", geo->image_bytes - from);
		json_end(j);
		return;
	}
	note_time(geo->build_time, text);
	printf("%10llu %-19s %12llu %16llu %16llu %16llu", geo->generation, text, geo->files,
	       geo->content_bytes, geo->image_bytes, geo->image_bytes - from);
	print_words(geo, &note);
}

int dump_generations(struct view *v, struct json *j)
{
	struct dsfs_slot now = v->img.slots[v->img.use], older;
	int ret;

	json_begin_array(j, "generations");
	json_say(j, "%10s %-19s %12s %16s %16s %16s  label  message\n", "generation",
		 "built (UTC)", "files", "content", "image", "added");
	do {
		ret = image_older(&v->img, &now.geo, &older);
		show_generation(v, j, &now.geo, ret == 1 ? older.geo.image_bytes : 0);
		if (ret < 0)
			view_error(v, v->img.path, "history", ret, &older.err);
		now = older;
	} while (ret == 1);
	json_end(j);
	return ret;
}

static void show_region(struct json *j, const struct dsfs_region_info *r, int id)
{
	json_begin_object(j, NULL);
	json_show_u64(j, "id", "%2llu ", id);
	json_show_str(j, "name", "%-10s", region_name(id));
	json_show_u64(j, "offset", " %15llu", r->bytes ? r->pos : 0);
	json_show_u64(j, "bytes", " %15llu", r->bytes);
	json_show_u64(j, "records", " %10llu\n", r->bytes / region_record(id));
	json_end(j);
}

int dump_regions(struct view *v, struct json *j)
{
	json_begin_array(j, "regions");
	json_say(j, "id %-10s %15s %15s %10s\n", "region", "offset", "bytes", "records");
	for (int id = 0; id < DSFS_REGIONS_USED; id++)
		show_region(j, &v->img.geo->regions[id], id);
	json_end(j);
	return 0;
}
