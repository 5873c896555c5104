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
 * struct sums - checksums of the chunks of a content that comes in pieces
 * @list: u32, of full chunks; sums_end() adds the last one
 * @sum, @left: of the chunk that is not full, and the bytes up to its end
 * @hash: of all bytes, for a derived UUID; NULL: not needed
 */
struct sums {
	struct array list;
	XXH64_state_t *hash;
	u32 sum;
	u64 left;
};

/**
 * struct placed - the sink of the archives
 * @item: the content that is being given
 * @extents: struct dsfs_extent_record, of @item
 * @at: bytes of it so far, with holes
 * @open: they end with data
 * @err: there was no memory for the sums of the archive
 */
struct placed {
	struct source_sink sink;
	struct store *s;
	struct item item;
	struct array extents;
	struct sums member;
	struct sums archive;
	u64 at;
	bool open;
	int err;
};

static unsigned int sum_bits(const struct store *s)
{
	return s->params->chunk_bits;
}

static int sums_init(const struct store *s, struct sums *sums)
{
	sums->list.size = sizeof(u32);
	if (!s->hash_uuid)
		return 0;
	sums->hash = XXH64_createState();
	return sums->hash ? 0 : -ENOMEM;
}

static void sums_free(struct sums *sums)
{
	array_free(&sums->list);
	XXH64_freeState(sums->hash);
}

static void sums_begin(const struct store *s, struct sums *sums)
{
	sums->list.n = 0;
	sums->sum = 0;
	sums->left = 1ULL << sum_bits(s);
	if (sums->hash)
		XXH64_reset(sums->hash, 0);
}

static int sums_put(const struct store *s, struct sums *sums)
{
	u32 *slot = array_add(&sums->list);

	if (!slot)
		return -ENOMEM;
	*slot = sums->sum;
	sums->sum = 0;
	sums->left = 1ULL << sum_bits(s);
	return 0;
}

static int sums_add(const struct store *s, struct sums *sums, const char *p, u64 bytes)
{
	int ret = 0;

	if (sums->hash)
		XXH64_update(sums->hash, p, bytes);
	for (u64 n; !ret && sum_bits(s) && bytes; bytes -= n, p += n) {
		n = bytes < sums->left ? bytes : sums->left;
		sums->sum = dsfs_crc32c(sums->sum, p, n);
		sums->left -= n;
		if (!sums->left)
			ret = sums_put(s, sums);
	}
	return ret;
}

/* All bytes have come: the item gets the sums. */
static int sums_end(struct store *s, struct sums *sums, struct item *it)
{
	int ret = sums->left < 1ULL << sum_bits(s) ? sums_put(s, sums) : 0;

	if (ret)
		return ret;
	it->sums = sums->list.n;
	it->hash = sums->hash ? XXH64_digest(sums->hash) : 0;
	return store_placed(s, it, (const u32 *)sums->list.p);
}

static int placed_file(struct source_sink *sink, struct stream_node *file)
{
	struct placed *p = (struct placed *)sink;

	p->item = (struct item){ .node = &file->node };
	p->extents.n = 0;
	p->at = 0;
	p->open = false;
	sums_begin(p->s, &p->member);
	return 0;
}

static int placed_data(struct source_sink *sink, const char *from, u64 bytes)
{
	struct placed *p = (struct placed *)sink;
	struct dsfs_extent_record *r = p->open ? NULL : array_add(&p->extents);

	if (!p->open && !r)
		return -ENOMEM;
	if (r) {
		r->logical = cpu_to_le64(p->at);
		r->stored = cpu_to_le64(p->item.stored);
	}
	p->open = true;
	p->at += bytes;
	p->item.stored += bytes;
	return sums_add(p->s, &p->member, from, bytes);
}

static int placed_zeros(struct source_sink *sink, u64 bytes)
{
	struct placed *p = (struct placed *)sink;

	p->at += bytes;
	p->open = false;
	return 0;
}

static int placed_end(struct source_sink *sink)
{
	struct placed *p = (struct placed *)sink;
	struct item *it = &p->item;

	it->sparse = it->stored < it->node->size;
	it->extents = (struct dsfs_extent_record *)p->extents.p;
	it->nextents = p->extents.n;
	return sums_end(p->s, &p->member, it);
}

static void placed_raw(struct source_sink *sink, const char *from, u64 bytes)
{
	struct placed *p = (struct placed *)sink;

	if (!p->err)
		p->err = sums_add(p->s, &p->archive, from, bytes);
	progress_add(&p->s->progress, bytes);
}

static int placed_archive(struct source_sink *sink, struct stream_node *file)
{
	struct placed *p = (struct placed *)sink;
	struct item it = { .node = &file->node, .stored = file->node.size };
	struct store *s = p->s;
	int ret = p->err ? p->err : sums_end(s, &p->archive, &it);

	sums_begin(s, &p->archive);
	s->figures.archives++;
	s->place.stored += it.stored;
	s->place.at.end = file->node.u.start + it.stored;
	return ret;
}

static void placed_free(struct placed *p)
{
	if (!p)
		return;
	array_free(&p->extents);
	sums_free(&p->member);
	sums_free(&p->archive);
	free(p);
}

struct placed *placed_begin(struct store *s)
{
	struct placed *p = calloc(1, sizeof(*p));
	int ret = p ? 0 : -ENOMEM;

	if (p) {
		p->sink = (struct source_sink){
			.begin = placed_file, .data = placed_data, .zeros = placed_zeros,
			.end = placed_end, .stop = -1, .raw = placed_raw,
			.archive = placed_archive,
		};
		p->s = s;
		p->extents.size = sizeof(struct dsfs_extent_record);
		ret = sums_init(s, &p->member) ?: sums_init(s, &p->archive);
	}
	if (ret) {
		no_memory();
		placed_free(p);
		return NULL;
	}
	sums_begin(s, &p->archive);
	s->source->sink = &p->sink;
	progress_start(&s->progress, "reading", 0);
	return p;
}

void placed_finish(struct placed *p)
{
	progress_end(&p->s->progress);
	p->s->source->sink = NULL;
	placed_free(p);
}

static u64 first_block(const struct place_of *p)
{
	return p->start >> DSFS_BLOCK_BITS;
}

static u64 last_block(const struct place_of *p)
{
	return (p->start + p->stored - 1) >> DSFS_BLOCK_BITS;
}

/*
 * A member's blocks have the archive's bytes, too; two archives may meet in a block.
 * Return: the bytes of all archives.
 */
static u64 set_shared(struct place_of *p, size_t n)
{
	struct place_of *archive = NULL;
	u64 stored = 0;

	for (size_t i = 0; i < n; i++) {
		if (archive && p[i].start < archive->start + archive->stored) {
			p[i].node->flags |= NODE_SHARED;
			archive->node->flags |= NODE_SHARED;
			continue;
		}
		if (archive && last_block(archive) == first_block(&p[i])) {
			p[i].node->flags |= NODE_SHARED;
			archive->node->flags |= NODE_SHARED;
		}
		archive = &p[i];
		stored += archive->stored;
	}
	return stored;
}

int placed_share(struct store *s)
{
	struct base *base = s->base;
	struct array places;
	int ret = places_collect(&places, base, s->tree, NULL, NULL);
	u64 stored = 0;

	if (!ret)
		stored = set_shared((struct place_of *)places.p, places.n);
	else if (ret == -ENOMEM)
		no_memory();
	if (base) {
		base->stored = stored;
		base->packed = base->img.geo->data_start + stored;
	}
	array_free(&places);
	return ret;
}
