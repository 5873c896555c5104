// SPDX-License-Identifier: GPL-2.0
/*
 * Reports.  The histogram of the plan shows what a data set looks like before hours are spent on
 * packing it; the figures at the end show what its bytes are used for.
 */
#include <stdio.h>
#include <uuid/uuid.h>

#include "json.h"
#include "msg.h"
#include "parse.h"
#include "image.h"
#include "report.h"

static const char *human(u64 v)
{
	static __thread char bufs[4][32];
	static __thread unsigned int next;
	char *buf = bufs[next++ % 4];

	return parse_format_size(buf, sizeof(bufs[0]), v);
}

static unsigned long long ull(u64 v)
{
	return v;
}

static double per_name(u64 bytes, u64 names)
{
	return names ? (double)bytes / names : 0;
}

static void text_counts(const struct report *r, const struct plan *p)
{
	printf("files %llu, directories %llu, symlinks %llu, hard-link entries %llu",
	       ull(p->regular), ull(p->dirs), ull(p->symlinks), ull(p->links));
	printf(", devices %llu, pipes %llu, sockets %llu\n", ull(p->devices),
	       ull(p->pipes), ull(p->sockets));
	printf("content %s, owners %zu, sets of xattrs %zu\n", human(p->bytes),
	       r->tree->owners.list.n, r->tree->xsets.list.n);
	if (r->source->skipped)
		printf("left out as unreadable: %llu\n", ull(r->source->skipped));
	if (r->source->changed)
		printf("changed during the run, packed as read: %llu\n", ull(r->source->changed));
	if (r->source->clamped)
		printf("times clamped: %llu\n", ull(r->source->clamped));
	if (r->o->verbose && r->source->xattrs_ignored)
		printf("extended attributes of other kinds left out: %llu\n",
		       ull(r->source->xattrs_ignored));
}

static void json_counts(struct json *j, const struct report *r, const struct plan *p)
{
	json_u64(j, "files", p->regular);
	json_u64(j, "directories", p->dirs);
	json_u64(j, "symlinks", p->symlinks);
	json_u64(j, "links", p->links);
	json_u64(j, "devices", p->devices);
	json_u64(j, "pipes", p->pipes);
	json_u64(j, "sockets", p->sockets);
	json_u64(j, "names", p->names);
	json_u64(j, "name_bytes", p->name_bytes);
	json_u64(j, "content_bytes", p->bytes);
	json_u64(j, "owners", r->tree->owners.list.n);
	json_u64(j, "xattr_sets", r->tree->xsets.list.n);
	json_u64(j, "skipped", r->source->skipped);
	json_u64(j, "changed", r->source->changed);
	json_u64(j, "times_clamped", r->source->clamped);
	json_u64(j, "xattrs_ignored", r->source->xattrs_ignored);
}

static u64 bucket_from(unsigned int b)
{
	return b ? 1ULL << (b - 1) : 0;
}

static void text_histogram(const struct plan *p)
{
	u64 most = 1;

	for (unsigned int b = 0; b < PLAN_BUCKETS; b++) {
		if (p->buckets[b] > most)
			most = p->buckets[b];
	}
	printf("file sizes, from:\n");
	for (unsigned int b = 0; b < PLAN_BUCKETS; b++) {
		if (!p->buckets[b])
			continue;
		printf("%10s %12llu ", human(bucket_from(b)), ull(p->buckets[b]));
		for (u64 i = 0; i < (p->buckets[b] * 40 + most - 1) / most; i++)
			putchar('#');
		putchar('\n');
	}
}

static void json_histogram(struct json *j, const struct plan *p)
{
	json_begin_array(j, "size_histogram");
	for (unsigned int b = 0; b < PLAN_BUCKETS; b++) {
		if (!p->buckets[b])
			continue;
		json_begin_object(j, NULL);
		json_u64(j, "from", bucket_from(b));
		json_u64(j, "files", p->buckets[b]);
		json_end(j);
	}
	json_end(j);
}

static u64 object_bytes(const struct report *r)
{
	return r->params->object_bits ? 1ULL << r->params->object_bits : 0;
}

static void text_objects(const struct report *r, u64 padding, u64 bytes)
{
	if (r->params->object_bits)
		printf("objects of %s, object padding %s, %.2f %%\n",
		       human(object_bytes(r)), human(padding), bytes ? 100.0 * padding / bytes : 0);
}

static u64 dead_percent(u64 dead, u64 bytes)
{
	return bytes ? dead * 100 / bytes : 0;
}

static void text_kept(u64 files, u64 bytes)
{
	printf("kept where they are: %llu file%s, %s\n", ull(files), msg_s(files), human(bytes));
}

/* An image of archives stays as it is. */
static bool is_worth(const struct report *r, u64 dead, u64 bytes)
{
	return !r->archives && dead_percent(dead, bytes) >= BASE_DEAD_PERCENT;
}

/* What --compact gets rid of. */
static void text_dead(const struct report *r, const char *of, u64 dead, u64 bytes)
{
	printf("used by %s alone: %s, %llu %%%s\n", of, human(dead), ull(dead_percent(dead, bytes)),
	       is_worth(r, dead, bytes) ? ": --compact makes an image without it" : "");
}

static void json_dead(struct json *j, const struct report *r, u64 dead, u64 bytes)
{
	json_u64(j, "dead_bytes", dead);
	json_bool(j, "compact", is_worth(r, dead, bytes));
}

static u64 written_data(const struct report *r, const struct meta *m)
{
	return r->in_place ? 0 : m->start - r->store->start;
}

/* What --keep has made of the generations before the newest one. */
static void text_kept_done(const struct kept *kept)
{
	for (size_t i = 0; i < kept->done; i++) {
		const struct kept_one *one = kept_at(kept, i);

		printf("generation %llu: written %s of data, %s of metadata\n", ull(one->number),
		       human(one->data), human(one->meta));
	}
}

/* What --keep will make of the generations that it keeps, and what is not kept. */
static void text_kept_plan(const struct kept *kept)
{
	for (size_t i = kept->list.n; i-- > 0;) {
		const struct kept_one *one = kept_at(kept, i);

		printf("generation %llu: kept: %s of data, %s of metadata at most\n",
		       ull(one->number), human(one->data), human(one->meta));
	}
	for (size_t i = 0; i < kept->dropped.n; i++) {
		const struct kept_one *one = (struct kept_one *)kept->dropped.p + i;

		printf("generation %llu: left out: frees %s of data, %s of metadata\n",
		       ull(one->number), human(one->stored), human(one->meta));
	}
}

/* @n: of the kept generations, the oldest ones */
static void json_kept(struct json *j, const struct kept *kept, size_t n)
{
	json_begin_array(j, "kept_generations");
	for (size_t i = 0; i < n; i++) {
		const struct kept_one *one = kept_at(kept, i);

		json_begin_object(j, NULL);
		json_u64(j, "generation", one->number);
		json_u64(j, "written_data_bytes", one->data);
		json_u64(j, "written_meta_bytes", one->meta);
		json_end(j);
	}
	json_end(j);
}

static void json_dropped(struct json *j, const struct kept *kept)
{
	json_begin_array(j, "left_out_generations");
	for (size_t i = 0; i < kept->dropped.n; i++) {
		const struct kept_one *one = (struct kept_one *)kept->dropped.p + i;

		json_begin_object(j, NULL);
		json_u64(j, "generation", one->number);
		json_u64(j, "freed_data_bytes", one->stored);
		json_u64(j, "freed_meta_bytes", one->meta);
		json_end(j);
	}
	json_end(j);
}

/* What an update wrote, and what it left behind. */
static void text_update(const struct report *r, const struct meta *m)
{
	if (r->kept)
		text_kept_done(r->kept);
	printf("generation %llu: written %s of data, %s of metadata\n",
	       ull(le64_to_cpu(m->super.generation)), human(written_data(r, m)),
	       human(le64_to_cpu(m->super.meta_bytes)));
	text_dead(r, "previous generations", base_dead(r->base, &m->super),
		  le64_to_cpu(m->super.image_bytes));
}

static void json_update(struct json *j, const struct report *r, const struct meta *m)
{
	json_u64(j, "generation", le64_to_cpu(m->super.generation));
	json_u64(j, "kept_files", r->base->kept_files);
	json_u64(j, "kept_bytes", r->base->kept_bytes);
	json_u64(j, "written_data_bytes", written_data(r, m));
	json_u64(j, "written_meta_bytes", le64_to_cpu(m->super.meta_bytes));
	json_dead(j, r, base_dead(r->base, &m->super), le64_to_cpu(m->super.image_bytes));
	if (r->kept)
		json_kept(j, r->kept, r->kept->done);
}

/* Of the image that is to be packed anew. */
static u64 plan_dead(const struct report *r)
{
	return r->base ? base_dead(r->base, &base_super(r->base)->raw) : 0;
}

static void json_plan(const struct report *r, const struct plan *p)
{
	struct json j;

	json_init(&j, stdout);
	json_begin_object(&j, NULL);
	json_bool(&j, "plan", true);
	json_counts(&j, r, p);
	if (r->base) {
		json_u64(&j, "kept_files", p->kept);
		json_u64(&j, "kept_bytes", p->kept_bytes);
	}
	if (r->base && r->dead_of)
		json_dead(&j, r, plan_dead(r), r->base->img.geo->image_bytes);
	if (r->kept) {
		json_kept(&j, r->kept, r->kept->list.n);
		json_dropped(&j, r->kept);
	}
	json_u64(&j, "padding_max_bytes", p->padding);
	json_u64(&j, "object_bytes", object_bytes(r));
	json_u64(&j, "object_padding_bytes", p->object_padding);
	json_u64(&j, "meta_bytes", p->meta_bytes);
	json_u64(&j, "image_min_bytes", p->lower);
	json_u64(&j, "image_max_bytes", p->upper);
	json_histogram(&j, p);
	json_end(&j);
}

void report_plan(const struct report *r)
{
	const struct plan *p = r->plan;

	if (r->o->json)
		json_plan(r, p);
	if (r->o->json || r->o->quiet)
		return;
	text_counts(r, p);
	if (r->keeps)
		text_kept(p->kept, p->kept_bytes);
	if (r->base && r->dead_of)
		text_dead(r, r->dead_of, plan_dead(r), r->base->img.geo->image_bytes);
	if (r->kept)
		text_kept_plan(r->kept);
	printf("padding up to %s, metadata about %s, %.1f bytes a name\n",
	       human(p->padding), human(p->meta_bytes), per_name(p->meta_bytes, p->names));
	text_objects(r, p->object_padding, p->bytes);
	printf("image at least %s, at most %s\n", human(p->lower), human(p->upper));
	text_histogram(p);
}

static u64 padding_of(const struct report *r, const struct store *s, const struct meta *m)
{
	return m->start - r->store->start - s->place.stored;
}

static void json_done(const struct report *r, const struct plan *p,
		      const struct store *s, const struct meta *m, const char *uuid)
{
	char digest[DIGEST_TEXT];
	struct json j;

	json_init(&j, stdout);
	json_begin_object(&j, NULL);
	json_bool(&j, "plan", false);
	json_counts(&j, r, p);
	json_u64(&j, "stored_bytes", s->figures.stored);
	json_u64(&j, "duplicates", s->figures.dup_files);
	json_u64(&j, "duplicate_bytes", s->figures.dup_bytes);
	json_u64(&j, "sparse_files", s->figures.sparse_files);
	json_u64(&j, "packed_files", s->place.packed);
	json_u64(&j, "padding_bytes", padding_of(r, s, m));
	if (r->archives) {
		json_u64(&j, "archives", s->figures.archives);
		json_u64(&j, "archive_bytes", s->place.stored);
		json_bool(&j, "in_place", r->in_place);
		json_u64(&j, "cloned_bytes", s->figures.cloned);
	}
	if (r->once) {
		json_u64(&j, "replaced_files", r->source->replaced.n);
		json_u64(&j, "replaced_bytes", s->figures.dead);
	}
	json_u64(&j, "object_bytes", object_bytes(r));
	json_u64(&j, "object_padding_bytes", place_object_padding(&s->place));
	json_u64(&j, "meta_bytes", le64_to_cpu(m->super.meta_bytes));
	json_begin_object(&j, "regions");
	for (unsigned int i = 0; i < DSFS_REGIONS_USED; i++)
		json_u64(&j, region_name(i), m->bytes[i]);
	json_end(&j);
	if (r->base)
		json_update(&j, r, m);
	json_u64(&j, "image_bytes", le64_to_cpu(m->super.image_bytes));
	json_str(&j, "uuid", uuid);
	if (m->note.digest_kind)
		json_str(&j, "digest", digest_text(m->note.digest_kind, m->note.digest, digest));
	json_histogram(&j, p);
	json_end(&j);
}

static void text_archives(const struct report *r, const struct store *s)
{
	printf("archives %llu, %s: ", ull(s->figures.archives), human(s->place.stored));
	if (r->in_place)
		printf("in place\n");
	else
		printf("%s copied, %s shared with their files\n",
		       human(s->place.stored - s->figures.cloned), human(s->figures.cloned));
}

void report_done(const struct report *r)
{
	const struct plan *p = r->plan;
	const struct store *s = r->store;
	const struct meta *m = r->meta;
	u64 meta = le64_to_cpu(m->super.meta_bytes);
	char uuid[37], digest[DIGEST_TEXT];

	uuid_unparse_lower(m->super.uuid, uuid);
	if (r->o->json)
		json_done(r, p, s, m, uuid);
	if (r->o->json || r->o->quiet)
		return;
	text_counts(r, p);
	if (r->keeps)
		text_kept(r->base->kept_files, r->base->kept_bytes);
	printf("stored %s, duplicates %llu (%s), with holes %llu",
	       human(s->place.stored), ull(s->figures.dup_files), human(s->figures.dup_bytes),
	       ull(s->figures.sparse_files));
	printf(", packed into gaps %llu, padding %s\n", ull(s->place.packed),
	       human(padding_of(r, s, m)));
	text_objects(r, place_object_padding(&s->place), s->place.stored);
	if (r->archives)
		text_archives(r, s);
	if (r->source->replaced.n)
		printf("replaced by later entries: %llu file%s, %s of no use\n",
		       ull(r->source->replaced.n), msg_s(r->source->replaced.n),
		       human(s->figures.dead));
	printf("metadata %s, %.1f bytes a name\n", human(meta), per_name(meta, p->names));
	if (r->o->verbose) {
		for (unsigned int i = 0; i < DSFS_REGIONS_USED; i++)
			printf("  %-10s %12llu\n", region_name(i), ull(m->bytes[i]));
	}
	if (r->base)
		text_update(r, m);
	printf("image %s, UUID %s\n", human(le64_to_cpu(m->super.image_bytes)), uuid);
	if (m->note.digest_kind)
		printf("digest %s\n", digest_text(m->note.digest_kind, m->note.digest, digest));
}

void report_digest(const struct options *o, const struct source *src,
		   const struct digest_result *result)
{
	const u8 kind = o->digest;
	char digest[DIGEST_TEXT];
	struct json j;

	digest_text(kind, result->sum, digest);
	if (!o->json) {
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
	json_u64(&j, "skipped", src->skipped);
	json_u64(&j, "changed", src->changed);
	json_end(&j);
}
