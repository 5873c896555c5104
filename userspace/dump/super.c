// SPDX-License-Identifier: GPL-2.0
/* Superblocks and the regions of the metadata. */
#include <time.h>
#include <uuid/uuid.h>

#include "dump.h"
#include "msg.h"

static void print_label(const struct dsfs_geo *geo)
{
	fputs("label:         ", stdout);
	listing_escape(stdout, (const char *)geo->label, strlen((const char *)geo->label));
	putchar('\n');
}

/* Time as UTC, without fractions of a second. */
static void time_text(struct nsec_time time, char *text, size_t size)
{
	time_t t = time.sec;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(text, size, "%Y-%m-%d %H:%M:%S", &tm))
		text[0] = '\0';
}

static void print_time(s64 ns)
{
	const struct nsec_time t = nsec_split(ns);
	char text[64];

	time_text(t, text, sizeof(text));
	printf("built:         %lld.%09u (%s UTC)\n", t.sec, t.nsec, text);
}

static void print_geo(const struct dsfs_geo *geo)
{
	char uuid[UUID_STR_LEN];

	uuid_unparse(geo->uuid, uuid);
	printf("uuid:          %s\n", uuid);
	print_label(geo);
	printf("generation:    %llu\n", geo->generation);
	print_time(geo->build_time);
	printf("features:      compat %#llx%s%s%s\n", geo->compat,
	       geo->chunk_bits ? " (data checksums)" : "",
	       geo->compat & DSFS_COMPAT_NOTE ? " (note)" : "",
	       geo->compat & DSFS_COMPAT_ARCHIVES ? " (archives)" : "");
	printf("image:         %llu bytes\n", geo->image_bytes);
	printf("data:          [%llu, %llu)\n", geo->data_start, geo->data_end);
	printf("metadata:      [%llu, %llu)\n", geo->meta_start, geo->meta_start + geo->meta_bytes);
	printf("alignment:     %llu\n", 1ULL << geo->align_bits);
	if (geo->chunk_bits)
		printf("checksum of:   %llu bytes\n", 1ULL << geo->chunk_bits);
	if (geo->object_bits)
		printf("object size:   %llu\n", 1ULL << geo->object_bits);
	printf("inodes:        %llu, %u director%s\n", geo->inodes - 1,
	       geo->dirs, msg_ies(geo->dirs));
	printf("files:         %llu, %llu bytes, %llu stored\n", geo->files,
	       geo->content_bytes, geo->stored_bytes);
}

static void json_geo(struct json *j, const struct dsfs_geo *geo)
{
	char uuid[UUID_STR_LEN];

	uuid_unparse(geo->uuid, uuid);
	json_str(j, "uuid", uuid);
	json_str(j, "label", (const char *)geo->label);
	json_u64(j, "generation", geo->generation);
	json_s64(j, "build_time_ns", geo->build_time);
	json_u64(j, "compat", geo->compat);
	json_u64(j, "image_bytes", geo->image_bytes);
	json_u64(j, "data_start", geo->data_start);
	json_u64(j, "data_end", geo->data_end);
	json_u64(j, "meta_start", geo->meta_start);
	json_u64(j, "meta_bytes", geo->meta_bytes);
	json_u64(j, "align", 1ULL << geo->align_bits);
	json_u64(j, "chunk", geo->chunk_bits ? 1ULL << geo->chunk_bits : 0);
	json_u64(j, "object", geo->object_bits ? 1ULL << geo->object_bits : 0);
	json_u64(j, "inodes", geo->inodes - 1);
	json_u64(j, "dirs", geo->dirs);
	json_u64(j, "files", geo->files);
	json_u64(j, "content_bytes", geo->content_bytes);
	json_u64(j, "stored_bytes", geo->stored_bytes);
}

static void json_note(struct json *j, const struct note_text *n)
{
	json_str(j, "message", n->message);
	json_str(j, "digest", n->digest);
}

static void print_note(const struct note_text *n)
{
	char text[NOTE_ESCAPED];

	if (*n->message)
		printf("message:       %s\n", msg_escape(text, sizeof(text), n->message));
	if (*n->digest)
		printf("digest:        %s\n", n->digest);
}

/* The superblock that is used is shown with its note. */
static void json_slot(struct view *v, struct json *j, int i)
{
	const struct dsfs_slot *slot = &v->img.slots[i];
	struct note_text note;
	char text[256];

	json_begin_object(j, NULL);
	json_u64(j, "slot", i);
	json_bool(j, "valid", !slot->ret);
	if (slot->ret) {
		image_slot_text(slot, text, sizeof(text));
		json_str(j, "error", text);
	} else {
		json_geo(j, &slot->geo);
	}
	if (v->img.use == i) {
		note_text(v, &slot->geo, &note);
		json_note(j, &note);
	}
	json_end(j);
}

int dump_supers(struct view *v, struct json *j)
{
	const struct dsfs_slot *s = v->img.slots;
	struct note_text note;
	char text[256];
	int i;

	if (j) {
		json_s64(j, "used", v->img.use);
		json_begin_array(j, "slots");
		for (i = 0; i < DSFS_SB_SLOTS; i++)
			json_slot(v, j, i);
		json_end(j);
		return v->img.geo ? 0 : -1;
	}
	for (i = 0; i < DSFS_SB_SLOTS; i++) {
		if (s[i].ret) {
			image_slot_text(&s[i], text, sizeof(text));
			printf("slot %d:        bad: %s\n", i, text);
		} else if (i && !s[0].ret && dsfs_super_same(&s[0].raw, &s[1].raw)) {
			printf("slot 1:        the same\n");
		} else {
			printf("slot %d:        %s, at %llu\n", i,
			       v->img.use == i ? "used" : "valid",
			       DSFS_SB_POS(i));
			print_geo(&s[i].geo);
		}
	}
	if (v->img.geo) {
		note_text(v, v->img.geo, &note);
		print_note(&note);
	}
	return v->img.geo ? 0 : -1;
}

int dump_generation(struct view *v, struct json *j)
{
	struct note_text note;

	note_text(v, v->img.geo, &note);
	if (j) {
		json_begin_object(j, "superblock");
		json_geo(j, v->img.geo);
		json_note(j, &note);
		json_end(j);
	} else {
		print_geo(v->img.geo);
		print_note(&note);
	}
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
	char text[64];

	note_text(v, geo, &note);
	if (j) {
		json_begin_object(j, NULL);
		json_geo(j, geo);
		json_note(j, &note);
		json_u64(j, "added_bytes", geo->image_bytes - from);
		json_end(j);
		return;
	}
	time_text(nsec_split(geo->build_time), text, sizeof(text));
	printf("%10llu %-19s %12llu %16llu %16llu %16llu", geo->generation, text, geo->files,
	       geo->content_bytes, geo->image_bytes, geo->image_bytes - from);
	print_words(geo, &note);
}

int dump_generations(struct view *v, struct json *j)
{
	struct dsfs_slot now = v->img.slots[v->img.use], older;
	int ret;

	if (j)
		json_begin_array(j, "generations");
	else
		printf("%10s %-19s %12s %16s %16s %16s  label  message\n", "generation",
		       "built (UTC)", "files", "content", "image", "added");
	do {
		ret = image_older(&v->img, &now.geo, &older);
		show_generation(v, j, &now.geo, ret == 1 ? older.geo.image_bytes : 0);
		if (ret < 0)
			view_error(v, v->img.path, "history", ret, &older.err);
		now = older;
	} while (ret == 1);
	if (j)
		json_end(j);
	return ret;
}

static void show_region(struct view *v, struct json *j, int id, u32 sum, int ret)
{
	const struct dsfs_region_info *r = &v->img.geo->regions[id];
	const char *state = ret ? "unreadable" :
			    sum == r->checksum ? "ok" : "wrong";

	if (!r->bytes)
		state = "empty";
	if (!j) {
		printf("%2d %-10s %15llu %15llu %10llu %08x %s\n", id,
		       region_name(id), r->bytes ? r->pos : 0,
		       r->bytes, r->bytes / region_record(id), r->checksum,
		       state);
		return;
	}
	json_begin_object(j, NULL);
	json_u64(j, "id", id);
	json_str(j, "name", region_name(id));
	json_u64(j, "offset", r->bytes ? r->pos : 0);
	json_u64(j, "bytes", r->bytes);
	json_u64(j, "records", r->bytes / region_record(id));
	json_strf(j, "checksum", "%08x", r->checksum);
	json_str(j, "state", state);
	json_end(j);
}

int dump_regions(struct view *v, struct json *j)
{
	const struct dsfs_geo *geo = v->img.geo;
	u32 sum;
	int id, ret, bad = 0;

	if (j)
		json_begin_array(j, "regions");
	else
		printf("id %-10s %15s %15s %10s %-8s state\n", "region", "offset",
		       "bytes", "records", "checksum");
	for (id = 0; id < DSFS_REGIONS_USED; id++) {
		sum = 0;
		ret = 0;
		if (geo->regions[id].bytes)
			ret = image_region_sum(&v->img, id, &sum);
		show_region(v, j, id, sum, ret);
		if (ret || (geo->regions[id].bytes && sum != geo->regions[id].checksum)) {
			msg_error(v->img.path, "region %s: %s",
				  region_name(id), ret ? msg_why(-ret) :
				  "wrong checksum");
			bad = -1;
		}
	}
	if (j)
		json_end(j);
	return bad;
}
