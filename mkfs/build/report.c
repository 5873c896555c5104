// SPDX-License-Identifier: GPL-2.0
/*
 * Reports.  The histogram of the plan shows what a data set looks like before hours are spent on
 * packing it; the figures at the end show what its bytes are used for.
 *
 * Text and JSON have the same figures in the same order, so each is given once, with its key and
 * with the words in front of it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <uuid/uuid.h>

#include "build.h"
#include "json.h"
#include "msg.h"
#include "parse.h"
#include "image.h"

/**
 * struct report - a report that is being written
 * @j: valid with @json
 */
struct report {
	const struct run *r;
	const struct plan *p;
	bool json;
	struct json j;
};

/* Begin a report on standard output.  Return: whether it is wanted. */
static bool begin(struct report *w, const struct run *r, bool plan)
{
	*w = (struct report){ .r = r, .p = &r->plan, .json = r->o->json };
	if (!w->json)
		return !r->o->quiet;
	json_init(&w->j, stdout);
	json_begin_object(&w->j, NULL);
	json_bool(&w->j, "plan", plan);
	return true;
}

/* Write what only the text has. */
__printf(2, 3)
static void say(const struct report *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!w->json)
		vprintf(fmt, ap);
	va_end(ap);
}

/*
 * Write a number.
 * @key: in JSON; NULL: it does not have it
 * @words: of the text, with # for the number or ~ for a size with its unit; NULL: it does not
 *	have it
 */
static void figure(struct report *w, const char *key, const char *words, u64 v)
{
	const char *at = words ? strpbrk(words, "#~") : NULL;
	char text[32];

	if (w->json && key)
		json_u64(&w->j, key, v);
	if (w->json || !at)
		return;
	if (*at == '#')
		snprintf(text, sizeof(text), "%llu", v);
	else
		parse_format_size(text, sizeof(text), v);
	printf("%.*s%s%s", (int)(at - words), words, text, at + 1);
}

/* Write a number that the text has a line for, if it is not 0. */
static void trouble(struct report *w, const char *key, const char *words, u64 v)
{
	figure(w, key, v ? words : NULL, v);
}

/* Begin a list, or with @key NULL an entry of one. */
static void begin_part(struct report *w, const char *key)
{
	if (w->json && key)
		json_begin_array(&w->j, key);
	else if (w->json)
		json_begin_object(&w->j, NULL);
}

/* End a list, an entry of it, or the report. */
static void end(struct report *w)
{
	if (w->json)
		json_end(&w->j);
}

static void flag(struct report *w, const char *key, bool v)
{
	if (w->json)
		json_bool(&w->j, key, v);
}

static void say_per_name(const struct report *w, u64 meta)
{
	say(w, ", %.1f bytes a name\n", w->p->names ? (double)meta / w->p->names : 0);
}

static void counts(struct report *w)
{
	const struct source *source = w->r->source;
	const struct plan *p = w->p;

	figure(w, "files", "files #", p->types[DT_REG]);
	figure(w, "directories", ", directories #", p->types[DT_DIR]);
	figure(w, "symlinks", ", symlinks #", p->types[DT_LNK]);
	figure(w, "links", ", hard-link entries #", p->links);
	figure(w, "devices", ", devices #", p->types[DT_CHR] + p->types[DT_BLK]);
	figure(w, "pipes", ", pipes #", p->types[DT_FIFO]);
	figure(w, "sockets", ", sockets #", p->types[DT_SOCK]);
	figure(w, "names", NULL, p->names);
	figure(w, "name_bytes", NULL, p->name_bytes);
	figure(w, "content_bytes", "\ncontent ~", p->bytes);
	figure(w, "owners", ", owners #", w->r->tree.owners.table.list.n);
	figure(w, "xattr_sets", ", sets of xattrs #\n", w->r->tree.xsets.list.n);
	trouble(w, "skipped", "left out as unreadable: #\n", source->skipped);
	trouble(w, "changed", "changed during the run, packed as read: #\n", source->changed);
	trouble(w, "times_clamped", "times clamped: #\n", source->clamped);
	trouble(w, "xattrs_ignored", w->r->o->verbose ?
		"extended attributes left out: #\n" : NULL, source->xattrs_ignored);
}

static u64 bucket_from(unsigned int b)
{
	return b ? 1ULL << (b - 1) : 0;
}

/* Write how many files are how large; as text with a bar of 40 characters at most. */
static void histogram(struct report *w)
{
	static const char bar[] = "########################################";
	u64 most = 0;

	for (unsigned int b = 0; b < PLAN_BUCKETS; b++)
		most = w->p->buckets[b] > most ? w->p->buckets[b] : most;
	begin_part(w, "size_histogram");
	say(w, "file sizes, from:\n");
	for (unsigned int b = 0; b < PLAN_BUCKETS; b++) {
		const u64 files = w->p->buckets[b], from = bucket_from(b);
		char text[32];

		if (!files)
			continue;
		begin_part(w, NULL);
		figure(w, "from", NULL, from);
		figure(w, "files", NULL, files);
		say(w, "%10s %12llu %.*s\n", parse_format_size(text, sizeof(text), from), files,
		    (int)((files * 40 + most - 1) / most), bar);
		end(w);
	}
	end(w);
}

static void objects(struct report *w, u64 padding, u64 all)
{
	const unsigned int bits = w->r->draft.object_bits;

	figure(w, "object_bytes", bits ? "objects of ~" : NULL, bits ? 1ULL << bits : 0);
	figure(w, "object_padding_bytes", bits ? ", object padding ~" : NULL, padding);
	if (bits)
		say(w, ", %.2f %%\n", all ? 100.0 * padding / all : 0);
}

/* Write which files keep the content that the image has; the first generation of one has none. */
static void kept_files(struct report *w, u64 files, u64 content)
{
	const bool any = w->r->recipe == &recipe_update || w->r->retained.done;

	figure(w, "kept_files", any ? "kept where they are: #" : NULL, files);
	figure(w, "kept_bytes", !any ? NULL : files == 1 ? " file, ~\n" : " files, ~\n", content);
}

/* Write what dsfs compact gets rid of; an image of archives stays as it is. */
static void dead(struct report *w, const char *of, u64 unused, u64 all)
{
	const u64 percent = all ? unused * 100 / all : 0;
	const bool worth = !w->r->o->tar_index && percent >= BASE_DEAD_PERCENT;

	say(w, "used by %s alone", of);
	figure(w, "dead_bytes", ": ~", unused);
	say(w, ", %llu %%%s\n", percent, worth ? "; dsfs compact makes an image without it" : "");
	flag(w, "compact", worth);
}

/* Write what a generation adds to the image. */
static void written(struct report *w, u64 number, u64 data, u64 meta)
{
	figure(w, "generation", "generation #", number);
	figure(w, "written_data_bytes", ": written ~", data);
	figure(w, "written_meta_bytes", " of data, ~ of metadata\n", meta);
}

/* Write what --keep has made of the generations before the newest one. */
static void generations_done(struct report *w)
{
	begin_part(w, "kept_generations");
	for (size_t i = 0; i < w->r->retained.done; i++) {
		const struct retained_one *one = retained_at(&w->r->retained, i);

		begin_part(w, NULL);
		written(w, one->number, one->data, one->meta);
		end(w);
	}
	end(w);
}

/* Write what --keep will make of the generations that it keeps; the text has the newest first. */
static void generations_planned(struct report *w)
{
	const struct retained *retained = &w->r->retained;
	const size_t n = retained->list.n;

	begin_part(w, "kept_generations");
	for (size_t i = 0; i < n; i++) {
		const struct retained_one *one = retained_at(retained, w->json ? i : n - 1 - i);

		begin_part(w, NULL);
		figure(w, "generation", "generation #", one->number);
		figure(w, "written_data_bytes", ": kept: ~", one->data);
		figure(w, "written_meta_bytes", " of data, ~ of metadata at most\n", one->meta);
		end(w);
	}
	end(w);
	begin_part(w, "left_out_generations");
	for (size_t i = 0; i < retained->dropped.n; i++) {
		const struct retained_one *one = (struct retained_one *)retained->dropped.p + i;

		begin_part(w, NULL);
		figure(w, "generation", "generation #", one->number);
		figure(w, "freed_data_bytes", ": left out: frees ~", one->stored);
		figure(w, "freed_meta_bytes", " of data, ~ of metadata\n", one->meta);
		end(w);
	}
	end(w);
}

/* Write what --compress would make of the contents that are not in the image yet. */
static void compression(struct report *w, const struct estimate *e)
{
	const bool guess = e->samples;

	figure(w, "compress_bytes", "compressed: ~", e->bytes);
	figure(w, "compress_stored_bytes", guess ? " to about ~, by " : " to ~, by all of it\n",
	       e->stored);
	figure(w, "compress_samples", guess ? "# samples of it\n" : NULL, e->samples);
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
	figure(&w, "padding_max_bytes", "padding up to ~", p->padding);
	figure(&w, "meta_bytes", ", metadata about ~", p->meta_bytes);
	say_per_name(&w, p->meta_bytes);
	objects(&w, p->object_padding, p->bytes);
	figure(&w, "image_min_bytes", "image at least ~", p->lower);
	figure(&w, "image_max_bytes", ", at most ~\n", p->upper);
	histogram(&w);
	end(&w);
}

static void data(struct report *w)
{
	const struct store *s = &w->r->store;

	figure(w, "stored_bytes", NULL, s->figures.stored);
	figure(w, NULL, "stored ~", s->place.stored);
	figure(w, "duplicates", ", duplicates #", s->figures.dup_files);
	figure(w, "duplicate_bytes", " (~)", s->figures.dup_bytes);
	figure(w, "sparse_files", ", with holes #", s->figures.sparse_files);
	trouble(w, "compressed_files", ", compressed #", s->figures.packed_files);
	trouble(w, "compressed_bytes", " of ~", s->figures.packed_bytes);
	trouble(w, "compressed_stored_bytes", " to ~", s->figures.packed_stored);
	figure(w, "packed_files", ", packed into gaps #", s->place.packed);
	figure(w, "padding_bytes", ", padding ~\n", w->r->meta.start - s->start - s->place.stored);
	objects(w, place_object_padding(&s->place), s->place.stored);
}

static void archives(struct report *w)
{
	const struct store *s = &w->r->store;
	const bool in_place = options_in_place(w->r->o);

	figure(w, "archives", "archives #", s->figures.archives);
	figure(w, "archive_bytes", ", ~", s->place.stored);
	flag(w, "in_place", in_place);
	figure(w, NULL, in_place ? NULL : ": ~ copied, ", s->place.stored - s->figures.cloned);
	figure(w, "cloned_bytes", in_place ? NULL : "~ shared with their files\n",
	       s->figures.cloned);
	if (in_place)
		say(w, ": in place\n");
}

static void replaced(struct report *w)
{
	const u64 files = w->r->source->replaced.n;

	figure(w, "replaced_files", files ? "replaced by later entries: #" : NULL, files);
	figure(w, "replaced_bytes", !files ? NULL : files == 1 ? " file, ~ of no use\n" :
	       " files, ~ of no use\n", w->r->store.figures.dead);
}

static void metadata(struct report *w)
{
	const struct meta *m = &w->r->meta;
	const u64 all = le64_to_cpu(m->super.meta_bytes);

	figure(w, "meta_bytes", "metadata ~", all);
	say_per_name(w, all);
	if (w->json)
		json_begin_object(&w->j, "regions");
	for (unsigned int i = 0; i < DSFS_REGIONS_USED; i++) {
		if (w->json)
			json_u64(&w->j, region_name(i), m->bytes[i]);
		else if (w->r->o->verbose)
			printf("  %-10s %12llu\n", region_name(i), m->bytes[i]);
	}
	if (w->json)
		json_end(&w->j);
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
	figure(w, "image_bytes", "image ~", le64_to_cpu(m->super.image_bytes));
	say(w, ", UUID %s\n", uuid);
	if (w->json)
		json_str(&w->j, "uuid", uuid);
	if (!note->digest_kind)
		return;
	digest_text(note->digest_kind, note->digest, digest);
	say(w, "digest %s\n", digest);
	if (w->json)
		json_str(&w->j, "digest", digest);
}

void report_done(const struct run *r)
{
	struct report w;

	if (!begin(&w, r, false))
		return;
	counts(&w);
	if (r->base)
		kept_files(&w, r->base->kept_files, r->base->kept_bytes);
	data(&w);
	if (r->o->tar_index)
		archives(&w);
	if (source_once(r->source))
		replaced(&w);
	metadata(&w);
	if (r->base)
		update(&w);
	identity(&w);
	if (w.json)
		histogram(&w);
	end(&w);
}

/* The digest is what was asked for, so --quiet does not leave it out. */
void report_digest(const struct run *r, const struct digest_result *result)
{
	const u8 kind = r->o->digest;
	char digest[DIGEST_TEXT];
	struct json j;

	digest_text(kind, result->sum, digest);
	if (!r->o->json) {
		printf("%s\n", digest);
		return;
	}
	json_init(&j, stdout);
	json_begin_object(&j, NULL);
	json_str(&j, "digest", digest);
	json_str(&j, "covers", kind == DSFS_DIGEST_FULL ? "full" : "data");
	json_u64(&j, "objects", result->objects);
	json_u64(&j, "files", result->files);
	json_u64(&j, "bytes", result->bytes);
	json_u64(&j, "skipped", r->source->skipped);
	json_u64(&j, "changed", r->source->changed);
	json_end(&j);
}
