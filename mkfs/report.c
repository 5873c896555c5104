// SPDX-License-Identifier: GPL-2.0
/*
 * Reports.  The plan's histogram says what a data set looks like before hours
 * are spent on packing it; the numbers at the end say where its bytes went.
 */
#include <stdio.h>
#include <uuid/uuid.h>

#include "msg.h"
#include "parse.h"
#include "report.h"

static const char *human(u64 v)
{
	static _Thread_local char bufs[4][32];
	static _Thread_local unsigned int next;
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

static void text_counts(const struct source *src, const struct plan *p)
{
	printf("files %llu, directories %llu, symlinks %llu, further names %llu, devices %llu, pipes %llu, sockets %llu\n",
	       ull(p->regular), ull(p->dirs), ull(p->symlinks), ull(p->links),
	       ull(p->devices), ull(p->pipes), ull(p->sockets));
	printf("content %s, owners %zu, sets of xattrs %zu\n", human(p->bytes),
	       src->owners.list.n, src->xsets.list.n);
	if (src->skipped)
		printf("left out as unreadable: %llu\n", ull(src->skipped));
	if (src->clamped)
		printf("times clamped: %llu\n", ull(src->clamped));
	if (src->o->verbose && src->xattrs_ignored)
		printf("extended attributes of other kinds left out: %llu\n",
		       ull(src->xattrs_ignored));
}

static void json_counts(const struct source *src, const struct plan *p)
{
	printf("  \"files\": %llu,\n  \"directories\": %llu,\n  \"symlinks\": %llu,\n  \"links\": %llu,\n  \"devices\": %llu,\n  \"pipes\": %llu,\n  \"sockets\": %llu,\n",
	       ull(p->regular), ull(p->dirs), ull(p->symlinks), ull(p->links),
	       ull(p->devices), ull(p->pipes), ull(p->sockets));
	printf("  \"content_bytes\": %llu,\n  \"owners\": %zu,\n  \"xattr_sets\": %zu,\n  \"skipped\": %llu,\n  \"times_clamped\": %llu,\n  \"xattrs_ignored\": %llu,\n",
	       ull(p->bytes), src->owners.list.n, src->xsets.list.n,
	       ull(src->skipped), ull(src->clamped), ull(src->xattrs_ignored));
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
		printf("%10s %12llu ", human(bucket_from(b)),
		       ull(p->buckets[b]));
		for (u64 i = 0; i < (p->buckets[b] * 40 + most - 1) / most; i++)
			putchar('#');
		putchar('\n');
	}
}

static void json_histogram(const struct plan *p)
{
	const char *comma = "";

	printf("  \"size_histogram\": [");
	for (unsigned int b = 0; b < PLAN_BUCKETS; b++) {
		if (!p->buckets[b])
			continue;
		printf("%s\n    { \"from\": %llu, \"files\": %llu }", comma,
		       ull(bucket_from(b)), ull(p->buckets[b]));
		comma = ",";
	}
	printf("\n  ]");
}

void report_plan(const struct source *src, const struct plan *p)
{
	double per = per_name(p->meta_bytes, p->names);

	if (src->o->json) {
		printf("{\n  \"plan\": true,\n");
		json_counts(src, p);
		printf("  \"padding_max_bytes\": %llu,\n  \"meta_bytes\": %llu,\n  \"meta_bytes_per_name\": %.2f,\n  \"image_min_bytes\": %llu,\n  \"image_max_bytes\": %llu,\n",
		       ull(p->padding), ull(p->meta_bytes), per, ull(p->lower),
		       ull(p->upper));
		json_histogram(p);
		printf("\n}\n");
		return;
	}
	if (src->o->quiet)
		return;
	text_counts(src, p);
	printf("padding up to %s, metadata about %s, %.1f bytes a name\n",
	       human(p->padding), human(p->meta_bytes), per);
	printf("image at least %s, at most %s\n", human(p->lower),
	       human(p->upper));
	text_histogram(p);
}

static const char *const region_names[DSFS_REGIONS_USED] = {
	"blocksums", "inodes", "dirs", "names", "index", "owners", "exts",
	"symlinks", "xattrs", "segments", "filesums", "chunksums", "history",
};

void report_done(const struct source *src, const struct plan *p,
		 const struct stream *s, const struct meta *m)
{
	u64 meta = le64_to_cpu(m->super.meta_bytes);
	u64 image = le64_to_cpu(m->super.image_bytes);
	u64 padding = m->start - s->data_start - s->place.stored;
	double per = per_name(meta, p->names);
	char uuid[37];

	uuid_unparse_lower(m->super.uuid, uuid);
	if (src->o->json) {
		printf("{\n  \"plan\": false,\n");
		json_counts(src, p);
		printf("  \"stored_bytes\": %llu,\n  \"duplicates\": %llu,\n  \"duplicate_bytes\": %llu,\n  \"sparse_files\": %llu,\n  \"packed_files\": %llu,\n  \"padding_bytes\": %llu,\n",
		       ull(s->place.stored), ull(s->dup_files),
		       ull(s->dup_bytes), ull(s->sparse_files),
		       ull(s->place.packed), ull(padding));
		printf("  \"meta_bytes\": %llu,\n  \"meta_bytes_per_name\": %.2f,\n  \"regions\": {",
		       ull(meta), per);
		for (unsigned int i = 0; i < DSFS_REGIONS_USED; i++)
			printf("%s\n    \"%s\": %llu", i ? "," : "",
			       region_names[i], ull(m->bytes[i]));
		printf("\n  },\n  \"image_bytes\": %llu,\n  \"uuid\": \"%s\"\n}\n",
		       ull(image), uuid);
		return;
	}
	if (src->o->quiet)
		return;
	text_counts(src, p);
	printf("stored %s, duplicates %llu (%s), with holes %llu, in gaps %llu, padding %s\n",
	       human(s->place.stored), ull(s->dup_files), human(s->dup_bytes),
	       ull(s->sparse_files), ull(s->place.packed), human(padding));
	printf("metadata %s, %.1f bytes a name\n", human(meta), per);
	if (src->o->verbose) {
		for (unsigned int i = 0; i < DSFS_REGIONS_USED; i++)
			printf("  %-10s %12llu\n", region_names[i],
			       ull(m->bytes[i]));
	}
	printf("image %s, UUID %s\n", human(image), uuid);
}
