// SPDX-License-Identifier: GPL-2.0
/*
 * The data phase of archives that stay as they are.  Every byte is where it will be
 * read, so nothing is placed, compared or written: what is left to do are the checksums,
 * of the members and of the archives around them, in one pass.
 */
#include <stdlib.h>

#include "../base/places.h"
#include "msg.h"
#include "stream.h"

/**
 * struct archive_sums - checksums of the chunks of a content that comes in pieces
 * @list: u32, of full chunks; sums_end() adds the last one
 * @sum: of the chunk that is not full
 * @hash: of all bytes, for a derived UUID; NULL: not needed
 * @bytes: so far; @whole: their checksum, while they are no more than a small file
 * @few, @few_list: as @sum and @list, by chunk_sums_begin(), while they are few
 */
struct archive_sums {
	struct array list;
	struct array few_list;
	XXH64_state_t *hash;
	u64 bytes;
	struct dsfs_datasum whole;
	struct chunk_sum sum;
	struct chunk_sum few;
};

/**
 * struct archives - the sink of the archives
 * @item: the content that is being given
 * @extents: struct dsfs_extent_record, of @item
 * @at: bytes of it so far, with holes
 * @open: they end with data
 * @err: there was no memory for the sums of the archive
 */
struct archives {
	struct source_sink sink;
	struct store *s;
	struct item item;
	struct array extents;
	struct archive_sums member;
	struct archive_sums archive;
	u64 at;
	bool open;
	int err;
};

static int sums_init(const struct store *s, struct archive_sums *sums)
{
	sums->list.size = sizeof(u32);
	sums->few_list.size = sizeof(u32);
	if (!s->draft->hash_uuid)
		return 0;
	sums->hash = XXH64_createState();
	return sums->hash ? 0 : -ENOMEM;
}

static void sums_free(struct archive_sums *sums)
{
	array_free(&sums->list);
	array_free(&sums->few_list);
	XXH64_freeState(sums->hash);
}

/* @size: of the content, which may store fewer bytes; of an archive, that is known at its end */
static void sums_begin(const struct store *s, struct archive_sums *sums, u64 size)
{
	sums->list.n = 0;
	sums->few_list.n = 0;
	sums->bytes = 0;
	dsfs_datasum_begin(&sums->whole);
	chunk_sums_begin(&s->rules, size, &sums->sum, &sums->few);
	if (sums->hash)
		XXH64_reset(sums->hash, 0);
}

static bool sums_small(const struct store *s, const struct archive_sums *sums)
{
	return s->rules.chunk_bits && sums->bytes <= 1ULL << s->rules.small_bits;
}

static int sums_put(struct chunk_sum *c, struct array *list)
{
	const u32 sum = chunk_sum_end(c);

	return array_append(list, &sum);
}

static int sums_chunks(struct chunk_sum *c, struct array *list, const char *p, u64 bytes)
{
	int ret = 0;

	for (u64 n; !ret && c->bits && bytes; bytes -= n, p += n) {
		n = chunk_sum_add(c, p, bytes);
		if (!c->left)
			ret = sums_put(c, list);
	}
	return ret;
}

static int sums_add(const struct store *s, struct archive_sums *sums, const char *p, u64 bytes)
{
	int ret = 0;

	if (sums->hash)
		XXH64_update(sums->hash, p, bytes);
	sums->bytes += bytes;
	if (sums_small(s, sums))
		dsfs_datasum_add(&sums->whole, p, bytes);
	if (sums->bytes <= 1ULL << DSFS_LARGE_BITS)
		ret = sums_chunks(&sums->few, &sums->few_list, p, bytes);
	return ret ? ret : sums_chunks(&sums->sum, &sums->list, p, bytes);
}

/* All bytes have come: the item gets the sums. */
static int sums_end(struct store *s, struct archive_sums *sums, struct item *it)
{
	const bool few = sums->few.bits && sums->bytes <= 1ULL << DSFS_LARGE_BITS;
	struct array *list = few ? &sums->few_list : &sums->list;
	struct chunk_sum *c = few ? &sums->few : &sums->sum;
	int ret = 0;

	if (sums->bytes && sums_small(s, sums)) {
		list->n = 0;
		c->sum = sums->whole;
		ret = sums_put(c, list);
	} else if (c->left < 1ULL << c->bits) {
		ret = sums_put(c, list);
	}
	if (ret)
		return ret;
	it->sums = list->n;
	it->hash = sums->hash ? XXH64_digest(sums->hash) : 0;
	return store_in_place(s, it, (const u32 *)list->p);
}

static int archives_file(struct source_sink *sink, struct stream_node *file)
{
	struct archives *p = (struct archives *)sink;

	p->item = (struct item){ .node = &file->node };
	p->extents.n = 0;
	p->at = 0;
	p->open = false;
	sums_begin(p->s, &p->member, file->node.size);
	return 0;
}

static int archives_data(struct source_sink *sink, const char *from, u64 bytes)
{
	struct archives *p = (struct archives *)sink;
	const struct dsfs_extent_record r = {
		.logical = cpu_to_le64(p->at), .stored = cpu_to_le64(p->item.stored),
	};

	if (!p->open && array_append(&p->extents, &r))
		return -ENOMEM;
	p->open = true;
	p->at += bytes;
	p->item.stored += bytes;
	return sums_add(p->s, &p->member, from, bytes);
}

static int archives_zeros(struct source_sink *sink, u64 bytes)
{
	struct archives *p = (struct archives *)sink;

	p->at += bytes;
	p->open = false;
	return 0;
}

static int archives_end(struct source_sink *sink)
{
	struct archives *p = (struct archives *)sink;
	struct item *it = &p->item;

	it->sparse = it->stored < it->node->size;
	it->extents = (struct dsfs_extent_record *)p->extents.p;
	it->nextents = p->extents.n;
	return sums_end(p->s, &p->member, it);
}

static void archives_raw(struct source_sink *sink, const char *from, u64 bytes)
{
	struct archives *p = (struct archives *)sink;

	if (!p->err)
		p->err = sums_add(p->s, &p->archive, from, bytes);
	progress_add(&p->s->progress, bytes);
}

static int archives_archive(struct source_sink *sink, struct stream_node *file)
{
	struct archives *p = (struct archives *)sink;
	struct item it = { .node = &file->node, .stored = file->node.size };
	struct store *s = p->s;
	int ret = p->err ? p->err : sums_end(s, &p->archive, &it);

	sums_begin(s, &p->archive, DSFS_MAX_OFFSET);
	s->figures.archives++;
	s->place.stored += it.stored;
	s->place.at.end = file->node.u.start + it.stored;
	return ret;
}

static void archives_free(struct archives *p)
{
	array_free(&p->extents);
	sums_free(&p->member);
	sums_free(&p->archive);
	free(p);
}

struct archives *archives_begin(struct store *s)
{
	struct archives *p = calloc(1, sizeof(*p));

	if (!p || sums_init(s, &p->member) || sums_init(s, &p->archive)) {
		no_memory();
		if (p)
			archives_free(p);
		return NULL;
	}
	p->sink = (struct source_sink){
		.begin = archives_file, .data = archives_data, .zeros = archives_zeros,
		.end = archives_end, .stop = -1, .raw = archives_raw, .archive = archives_archive,
	};
	p->s = s;
	p->extents.size = sizeof(struct dsfs_extent_record);
	sums_begin(s, &p->archive, DSFS_MAX_OFFSET);
	s->source->sink = &p->sink;
	progress_start(&s->progress, "reading", 0);
	return p;
}

void archives_finish(struct archives *p)
{
	progress_end(&p->s->progress);
	p->s->source->sink = NULL;
	archives_free(p);
}

/* A member's blocks have the archive's bytes, too; two archives may meet in a block. */
u64 archives_share(struct store *s, const struct array *places)
{
	struct place_of *p = (struct place_of *)places->p, *archive = NULL;
	u64 stored = 0;

	for (size_t i = 0; i < places->n; i++) {
		const u64 end = archive ? archive->start + archive->stored : 0;

		if (archive && p[i].start >> DSFS_BLOCK_BITS <= (end - 1) >> DSFS_BLOCK_BITS) {
			p[i].node->flags |= NODE_SHARED;
			archive->node->flags |= NODE_SHARED;
		}
		if (archive && p[i].start < end)
			continue;
		archive = &p[i];
		stored += archive->stored;
	}
	if (s->base) {
		s->base->stored = stored;
		s->base->packed = s->base->img.geo->data_start + stored;
	}
	return stored;
}
