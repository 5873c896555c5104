// SPDX-License-Identifier: GPL-2.0
/*
 * Reports.  The histogram of the plan shows what a data set looks like before hours are spent on
 * packing it; the figures at the end show what its bytes are used for.
 *
 * Text and JSON have the same figures in the same order, so each is given once.
 */
#include <uuid/uuid.h>

#include "build.h"
#include "change.h"
#include "json.h"
#include "msg.h"
#include "parse.h"
#include "screen.h"
#include "image.h"

/* A report that is being written: as text, unless @j is @json */
struct report {
	const struct run *r;
	const struct plan *p;
	struct json *j;
	struct json json;
};

/* Begin a report on standard output.  Return: whether it is wanted. */
static bool begin(struct report *w, const struct run *r, bool plan)
{
	*w = (struct report){ .r = r, .p = &r->plan };
	w->j = json_report(&w->json, r->o->json);
	json_bool(w->j, "plan", plan);
	return w->j || !r->o->quiet;
}

/* Write a number that the text has a line for, if it is not 0. */
static void trouble(struct report *w, const char *key, const char *fmt, u64 v)
{
	if (w->j || v)
		json_show_u64(w->j, key, fmt, v);
}

static void say_per_name(const struct report *w, u64 meta)
{
	json_say(w->j, ", %.1f bytes a name\n", w->p->names ? (double)meta / w->p->names : 0);
}

static void counts(struct report *w)
{
	static const struct source none;
	const struct source *source = w->r->source ? w->r->source : &none;
	const struct plan *p = w->p;

	json_show_u64(w->j, "files", "files %llu", p->types[DT_REG]);
	json_show_u64(w->j, "directories", ", directories %llu", p->types[DT_DIR]);
	json_show_u64(w->j, "symlinks", ", symlinks %llu", p->types[DT_LNK]);
	json_show_u64(w->j, "links", ", hard-link entries %llu", p->links);
	json_show_u64(w->j, "devices", ", devices %llu", p->types[DT_CHR] + p->types[DT_BLK]);
	json_show_u64(w->j, "pipes", ", pipes %llu", p->types[DT_FIFO]);
	json_show_u64(w->j, "sockets", ", sockets %llu", p->types[DT_SOCK]);
	json_u64(w->j, "names", p->names);
	json_u64(w->j, "name_bytes", p->name_bytes);
	json_show_size(w->j, "content_bytes", "\ncontent %s", p->bytes);
	json_show_u64(w->j, "owners", ", owners %llu", p->owners);
	json_show_u64(w->j, "xattr_sets", ", sets of xattrs %llu\n", p->xattr_sets);
	trouble(w, "skipped", "left out as unreadable: %llu\n", source->skipped);
	trouble(w, "changed", "changed during the run, packed as read: %llu\n", source->changed);
	trouble(w, "times_clamped", "times clamped: %llu\n", source->clamped);
	trouble(w, "xattrs_ignored",
		w->r->o->verbose ? "extended attributes left out: %llu\n" : NULL,
		source->xattrs_ignored);
}

static u64 bucket_from(unsigned int b)
{
	return b ? 1ULL << (b - 1) : 0;
}

/* Write how many files are how large; as text with a bar of 40 characters at most. */
static void histogram(struct report *w)
{
	u64 most = 0;

	for (unsigned int b = 0; b < PLAN_BUCKETS; b++)
		most = w->p->buckets[b] > most ? w->p->buckets[b] : most;
	json_begin_array(w->j, "size_histogram");
	json_say(w->j, "file sizes, from:\n");
	for (unsigned int b = 0; b < PLAN_BUCKETS; b++) {
		const u64 files = w->p->buckets[b], from = bucket_from(b);
		char text[32];

		if (!files)
			continue;
		json_begin_object(w->j, NULL);
		json_u64(w->j, "from", from);
		json_u64(w->j, "files", files);
		json_say(w->j, "%10s %12llu ", parse_format_size(text, sizeof(text), from), files);
		if (!w->j)
			screen_bar(stdout, files, most, 40);
		json_say(w->j, "\n");
		json_end(w->j);
	}
	json_end(w->j);
}

static void objects(struct report *w, u64 padding, u64 all)
{
	const unsigned int bits = w->r->draft.object_bits;

	json_show_size(w->j, "object_bytes", bits ? "objects of %s" : NULL,
		       bits ? 1ULL << bits : 0);
	json_show_size(w->j, "object_padding_bytes", bits ? ", object padding %s" : NULL, padding);
	if (bits)
		json_say(w->j, ", %.2f %%\n", all ? 100.0 * padding / all : 0);
}

/* Write which files keep the content that the image has; the first generation of one has none. */
static void kept_files(struct report *w, u64 files, u64 content)
{
	const bool any = w->r->recipe != &recipe_compact || w->r->retained.done;

	json_show_u64(w->j, "kept_files", any ? "kept where they are: %llu" : NULL, files);
	json_show_size(w->j, "kept_bytes",
		       !any ? NULL : files == 1 ? " file, %s\n" : " files, %s\n", content);
}

/* Write what dsfs compact gets rid of; an image of archives stays as it is. */
static void dead(struct report *w, const char *of, u64 unused, u64 all)
{
	const u64 percent = all ? unused * 100 / all : 0;
	const bool worth = !w->r->o->tar_index && percent >= BASE_DEAD_PERCENT;

	json_say(w->j, "used by %s alone", of);
	json_show_size(w->j, "dead_bytes", ": %s", unused);
	json_say(w->j, ", %llu %%%s\n", percent,
		 worth ? "; dsfs compact makes an image without it" : "");
	json_bool(w->j, "compact", worth);
}

/* Write what a generation adds to the image. */
static void written(struct report *w, u64 number, u64 data, u64 meta)
{
	json_show_u64(w->j, "generation", "generation %llu", number);
	json_show_size(w->j, "written_data_bytes", ": written %s", data);
	json_show_size(w->j, "written_meta_bytes", " of data, %s of metadata\n", meta);
}

/* Write what --keep has made of the generations before the newest one. */
static void generations_done(struct report *w)
{
	json_begin_array(w->j, "kept_generations");
	for (size_t i = 0; i < w->r->retained.done; i++) {
		const struct retained_one *one = retained_at(&w->r->retained, i);

		json_begin_object(w->j, NULL);
		written(w, one->number, one->data, one->meta);
		json_end(w->j);
	}
	json_end(w->j);
}

/* Write what --keep will make of the generations that it keeps; the text has the newest first. */
static void generations_planned(struct report *w)
{
	const struct retained *retained = &w->r->retained;
	const size_t n = retained->list.n;

	json_begin_array(w->j, "kept_generations");
	for (size_t i = 0; i < n; i++) {
		const struct retained_one *one = retained_at(retained, w->j ? i : n - 1 - i);

		json_begin_object(w->j, NULL);
		json_show_u64(w->j, "generation", "generation %llu", one->number);
		json_show_size(w->j, "written_data_bytes", ": kept: %s", one->data);
		json_show_size(w->j, "written_meta_bytes", " of data, %s of metadata\n", one->meta);
		json_end(w->j);
	}
	json_end(w->j);
	json_begin_array(w->j, "left_out_generations");
	for (size_t i = 0; i < retained->dropped.n; i++) {
		const struct retained_one *one = (struct retained_one *)retained->dropped.p + i;

		json_begin_object(w->j, NULL);
		json_show_u64(w->j, "generation", "generation %llu", one->number);
		json_show_size(w->j, "freed_data_bytes", ": left out: frees %s", one->stored);
		json_show_size(w->j, "freed_meta_bytes", " of data, %s of metadata\n", one->meta);
		json_end(w->j);
	}
	json_end(w->j);
}

/* Write what --compress would make of the contents that are not in the image yet. */
static void compression(struct report *w, const struct estimate *e)
{
	const bool guess = e->samples;

	json_show_size(w->j, "compress_bytes", "compressed: %s", e->bytes);
	json_show_size(w->j, "compress_stored_bytes",
		       guess ? " to about %s, by " : " to %s, by all of it\n", e->stored);
	json_show_u64(w->j, "compress_samples", guess ? "%llu samples of it\n" : NULL, e->samples);
}

void report_plan(const struct run *r)
{
	const struct base *base = r->base;
	const struct plan *p = &r->plan;
	struct report w;

	if (!begin(&w, r, true))
		return;
	counts(&w);
	if (base)
		kept_files(&w, p->kept, p->kept_bytes);
	if (r->pack.codec)
		compression(&w, &r->estimate);
	if (base && r->recipe == &recipe_compact)
		dead(&w, dead_of(r), base_dead(base, &base_super(base)->raw),
		     base->img.geo->image_bytes);
	if (r->o->keep > 1)
		generations_planned(&w);
	json_show_size(w.j, "padding_max_bytes", "padding up to %s", p->padding);
	json_show_size(w.j, "meta_bytes", ", metadata about %s", p->meta_bytes);
	say_per_name(&w, p->meta_bytes);
	objects(&w, p->object_padding, p->bytes);
	json_show_size(w.j, "image_min_bytes", "image at least %s", p->lower);
	json_show_size(w.j, "image_max_bytes", ", at most %s\n", p->upper);
	histogram(&w);
	json_end(w.j);
}

static void data(struct report *w)
{
	const struct store *s = &w->r->store;

	json_u64(w->j, "stored_bytes", s->figures.stored);
	json_show_size(w->j, NULL, "stored %s", s->place.stored);
	json_show_u64(w->j, "duplicates", ", duplicates %llu", s->figures.dup_files);
	json_show_size(w->j, "duplicate_bytes", " (%s)", s->figures.dup_bytes);
	json_show_u64(w->j, "sparse_files", ", with holes %llu", s->figures.sparse_files);
	trouble(w, "compressed_files", ", compressed %llu", s->figures.packed_files);
	json_show_size(w->j, "compressed_bytes", s->figures.packed_files ? " of %s" : NULL,
		       s->figures.packed_bytes);
	json_show_size(w->j, "compressed_stored_bytes", s->figures.packed_files ? " to %s" : NULL,
		       s->figures.packed_stored);
	json_show_u64(w->j, "packed_files", ", packed into gaps %llu", s->place.packed);
	json_show_size(w->j, "padding_bytes", ", padding %s\n",
		       w->r->meta.start - s->start - s->place.stored);
	objects(w, place_object_padding(&s->place), s->place.stored);
}

static void archives(struct report *w)
{
	const struct store *s = &w->r->store;
	const bool in_place = options_in_place(w->r->o);

	json_show_u64(w->j, "archives", "archives %llu", s->figures.archives);
	json_show_size(w->j, "archive_bytes", ", %s", s->place.stored);
	json_bool(w->j, "in_place", in_place);
	json_show_size(w->j, NULL, in_place ? NULL : ": %s copied, ",
		       s->place.stored - s->figures.cloned);
	json_show_size(w->j, "cloned_bytes", in_place ? NULL : "%s shared with their files\n",
		       s->figures.cloned);
	if (in_place)
		json_say(w->j, ": in place\n");
}

static void replaced(struct report *w)
{
	const u64 files = w->r->source->replaced.n;

	json_show_u64(w->j, "replaced_files", files ? "replaced by later entries: %llu" : NULL,
		      files);
	json_show_size(w->j, "replaced_bytes", !files ? NULL :
		       files == 1 ? " file, %s of no use\n" : " files, %s of no use\n",
		       w->r->store.figures.dead);
}

static void metadata(struct report *w)
{
	const struct meta *m = &w->r->meta;
	const u64 all = le64_to_cpu(m->super.meta_bytes);

	json_show_size(w->j, "meta_bytes", "metadata %s", all);
	say_per_name(w, all);
	json_begin_object(w->j, "regions");
	for (unsigned int i = 0; i < DSFS_REGIONS_USED; i++) {
		json_u64(w->j, region_name(i), m->bytes[i]);
		if (w->r->o->verbose)
			json_say(w->j, "  %-10s %12llu\n", region_name(i), m->bytes[i]);
	}
	json_end(w->j);
}

/* Write what an update has written, and what it has left behind. */
static void update(struct report *w)
{
	const struct run *r = w->r;
	const struct dsfs_super *super = &r->meta.super;

	if (r->o->keep > 1)
		generations_done(w);
	written(w, le64_to_cpu(super->generation),
		options_in_place(r->o) ? 0 : r->meta.start - r->store.start,
		le64_to_cpu(super->meta_bytes));
	dead(w, "previous generations", base_dead(r->base, super), le64_to_cpu(super->image_bytes));
}

static void identity(struct report *w)
{
	const struct meta *m = &w->r->meta;
	const struct dsfs_note *note = &w->r->draft.note;
	char uuid[37], digest[DIGEST_TEXT];

	uuid_unparse_lower(m->super.uuid, uuid);
	json_show_size(w->j, "image_bytes", "image %s", le64_to_cpu(m->super.image_bytes));
	json_show_str(w->j, "uuid", ", UUID %s\n", uuid);
	if (!note->digest_kind)
		return;
	digest_text(note->digest_kind, note->digest, digest);
	json_show_str(w->j, "digest", "digest %s\n", digest);
}

void report_done(const struct run *r)
{
	struct report w;

	if (r->o->add.batch && (r->o->json || !r->o->quiet))
		change_report(&r->meta, r->edit, r->o->json, NULL);
	if (r->o->add.batch || !begin(&w, r, false))
		return;
	counts(&w);
	if (r->base)
		kept_files(&w, r->base->kept_files, r->base->kept_bytes);
	data(&w);
	if (r->o->tar_index)
		archives(&w);
	if (r->source && source_once(r->source))
		replaced(&w);
	metadata(&w);
	if (r->base)
		update(&w);
	identity(&w);
	if (w.j)
		histogram(&w);
	json_end(w.j);
}

/* The digest is what was asked for, so --quiet does not leave it out. */
void report_digest(const struct run *r, const struct digest_result *result)
{
	const u8 kind = r->o->digest;
	char digest[DIGEST_TEXT];
	struct json json, *j = json_report(&json, r->o->json);

	digest_text(kind, result->sum, digest);
	json_show_str(j, "digest", "%s\n", digest);
	json_str(j, "covers", kind == DSFS_DIGEST_FULL ? "full" : "data");
	json_u64(j, "objects", result->objects);
	json_u64(j, "files", result->files);
	json_u64(j, "bytes", result->bytes);
	json_u64(j, "skipped", r->source->skipped);
	json_u64(j, "changed", r->source->changed);
	json_end(j);
}
