// SPDX-License-Identifier: GPL-2.0
/*
 * The data phase of archives that stay as they are.  Every byte is where it will be
 * read, so nothing is placed, compared or written: what is left to do are the checksums,
 * of the members and of the archives around them, in one pass.
 */
#include "extents.h"
#include "msg.h"
#include "stream.h"

/* Bytes of which sums are made at a time, so that there is room for them */
#define SUM_BYTES	((PIECE_SUMS / 2) << DSFS_CHUNK_BITS_MIN)

/**
 * struct archive_sums - checksums of the chunks of a content that comes in pieces
 * @list: u32
 * @hash: of all bytes, for a derived UUID; NULL: not needed
 */
struct archive_sums {
	struct array list;
	XXH64_state_t *hash;
	struct file_sums of;
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
	if (!s->draft->hash_uuid)
		return 0;
	sums->hash = XXH64_createState();
	return sums->hash ? 0 : -ENOMEM;
}

static void sums_free(struct archive_sums *sums)
{
	array_free(&sums->list);
	XXH64_freeState(sums->hash);
}

/* @size: of the content, which may store fewer bytes; of an archive, that is known at its end */
static void sums_begin(const struct store *s, struct archive_sums *sums, u64 size)
{
	sums->list.n = 0;
	file_sums_begin(&sums->of, &s->rules, size);
	if (sums->hash)
		XXH64_reset(sums->hash, 0);
}

static int sums_put(struct archive_sums *sums, const u32 *v, u32 n)
{
	int ret = 0;

	while (!ret && n--)
		ret = array_append(&sums->list, v++);
	return ret;
}

static int sums_add(struct archive_sums *sums, const char *p, u64 bytes)
{
	u32 v[PIECE_SUMS];
	int ret = 0;

	if (sums->hash)
		XXH64_update(sums->hash, p, bytes);
	for (u64 n; !ret && bytes; bytes -= n, p += n) {
		n = bytes < SUM_BYTES ? bytes : SUM_BYTES;
		ret = sums_put(sums, v, file_sums_add(&sums->of, p, n, v));
	}
	return ret;
}

/* All bytes have come: the item gets the sums. */
static int sums_end(struct store *s, struct archive_sums *sums, struct item *it)
{
	u32 v[PIECE_SUMS];
	bool all;
	const u32 n = file_sums_end(&sums->of, v, &all);
	int ret;

	if (all)
		sums->list.n = 0;
	ret = sums_put(sums, v, n);
	if (ret)
		return ret;
	it->sums = sums->list.n;
	it->hash = sums->hash ? XXH64_digest(sums->hash) : 0;
	return store_in_place(s, it, (const u32 *)sums->list.p);
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
	return sums_add(&p->member, from, bytes);
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
		p->err = sums_add(&p->archive, from, bytes);
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

u64 archives_share(struct store *s, const struct array *list)
{
	const u64 stored = extents_share_archives(list, s->tree);

	if (s->base)
		s->base->packed = s->base->img.geo->data_start + stored;
	return stored;
}
