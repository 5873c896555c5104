// SPDX-License-Identifier: GPL-2.0
/*
 * All metadata of the image, in one sequential stream behind the data, and the
 * superblock that refers to it.
 */
#include <uuid/uuid.h>

#include "format.h"
#include "meta.h"
#include "msg.h"

static int put_index(struct meta *m)
{
	const u16 *fills = (const u16 *)m->fills.p;
	const struct tree *t = m->tree;
	u64 next = 0;
	int ret = 0;

	meta_begin(m, DSFS_REGION_INDEX);
	for (u64 i = 0; !ret && i < t->ndirs; i++) {
		struct dir *d = tree_dir(t, i);
		struct dsfs_bucket *buckets;

		d->first_bucket = 0;
		ret = index_build(d, fills, &buckets);
		/* Without any name there are none, and no address to add to. */
		if (d->name_blocks)
			fills += d->name_blocks;
		if (ret || !buckets)
			continue;
		d->first_bucket = next;
		next += d->buckets;
		ret = meta_put(m, buckets, d->buckets * sizeof(*buckets));
		free(buckets);
	}
	return ret ? ret : meta_end(m);
}

static int put_numbers(struct meta *m)
{
	meta_begin(m, DSFS_REGION_NUMBERS);
	return meta_put(m, m->numbers.p, m->numbers.n * m->numbers.size) ?: meta_end(m);
}

static int put_dirs(struct meta *m)
{
	const struct tree *t = m->tree;
	int ret = 0;

	meta_begin(m, DSFS_REGION_DIRS);
	for (u64 i = 0; !ret && i < t->ndirs; i++) {
		const struct dir *d = tree_dir(t, i);
		struct dsfs_dir raw = { 0 };

		raw.self = cpu_to_le32(d->ino);
		raw.parent = cpu_to_le32(d->parent ? d->parent->ino : d->ino);
		raw.first = cpu_to_le32(d->count ? d->first : 0);
		raw.count = cpu_to_le32(d->count);
		raw.names = cpu_to_le64(d->names);
		raw.name_blocks = cpu_to_le32(d->name_blocks);
		raw.buckets = cpu_to_le32(d->buckets);
		raw.first_bucket = cpu_to_le64(d->first_bucket);
		raw.slot_bits = d->slot_bits;
		raw.block_bits = d->block_bits;
		ret = meta_put(m, &raw, sizeof(raw));
	}
	return ret ? ret : meta_end(m);
}

static int put_owners(struct meta *m)
{
	int ret = 0;

	meta_begin(m, DSFS_REGION_OWNERS);
	for (size_t i = 0; !ret && i < m->layout.owners.n; i++) {
		u32 number = ((u32 *)m->layout.owners.p)[i];
		const struct owner *o = owners_at(&m->tree->owners, number);
		struct dsfs_owner raw = { cpu_to_le32(o->uid), cpu_to_le32(o->gid) };

		ret = meta_put(m, &raw, sizeof(raw));
	}
	return ret ? ret : meta_end(m);
}

static int put_extras(struct meta *m)
{
	meta_begin(m, DSFS_REGION_EXTRAS);
	return meta_put(m, m->extras.list.p, m->extras.list.n * sizeof(struct dsfs_extra)) ?:
	       meta_end(m);
}

static int put_symlinks(struct meta *m)
{
	struct tree_walk walk = { 0 };
	struct node *n;
	int ret = 0;

	meta_begin(m, DSFS_REGION_SYMLINKS);
	while (!ret && (n = tree_next(m->tree, &walk))) {
		const struct symlink *s;

		if (!S_ISLNK(n->mode) || n->flags & NODE_HARDLINK)
			continue;
		s = node_data(n)->symlink;
		ret = meta_pad(m, s->start) ?: meta_put(m, s->target, n->size);
	}
	return ret ? ret : meta_end(m);
}

static int put_xattrs(struct meta *m)
{
	const u32 *numbers = (const u32 *)m->layout.xsets.p;
	int ret = 0;

	meta_begin(m, DSFS_REGION_XATTRS);
	for (size_t i = 0; !ret && i < m->layout.xsets.n; i++) {
		const struct xset *set = xsets_at(&m->tree->xsets, numbers[i]);

		ret = meta_pad(m, set->off) ?: meta_put(m, set->p, set->bytes);
	}
	return ret ? ret : meta_end(m);
}

static int put_spool(struct meta *m, enum dsfs_region_id id, struct spool *s)
{
	char buf[65536];
	int ret = 0;

	meta_begin(m, id);
	if (!m->out)
		return meta_put(m, NULL, s->len) ?: meta_end(m);
	for (u64 off = 0; !ret && off < s->len; off += sizeof(buf)) {
		size_t n = s->len - off < sizeof(buf) ? s->len - off :
							sizeof(buf);

		ret = spool_read(s, off, buf, n) ?: meta_put(m, buf, n);
	}
	return ret ? ret : meta_end(m);
}

static int put_history(struct meta *m)
{
	if (!m->draft->previous)
		return 0;
	meta_begin(m, DSFS_REGION_HISTORY);
	return meta_put(m, m->draft->previous, DSFS_SB_SIZE) ?: meta_end(m);
}

/* The codec is said of an image that has compressed files; a guess may have none yet. */
static int put_note(struct meta *m)
{
	struct dsfs_note guess = m->draft->note, *note = m->out ? &m->draft->note : &guess;

	if (!m->compressed) {
		note->codec = 0;
		note->codec_level = 0;
		note->codec_auto = 0;
		note->codec_version = cpu_to_le32(0);
	}
	if (!m->draft->has_note && !note->codec)
		return 0;
	meta_begin(m, DSFS_REGION_NOTE);
	return meta_put(m, note, sizeof(*note)) ?: meta_end(m);
}

static int put_regions(struct meta *m)
{
	struct tree *t = m->tree;

	return meta_rows(m) ?: put_numbers(m) ?: put_index(m) ?: put_dirs(m) ?: put_owners(m) ?:
	       put_extras(m) ?: put_symlinks(m) ?: put_xattrs(m) ?:
	       put_spool(m, DSFS_REGION_EXTENTS, &t->extents) ?:
	       put_spool(m, DSFS_REGION_CHUNKSUMS, &t->chunks) ?:
	       put_spool(m, DSFS_REGION_UNITS, &t->units) ?: put_history(m) ?:
	       put_note(m) ?: meta_blocksums(m);
}

/*
 * Derive the UUID from the content of the image: version 8 of RFC 9562.  Checksums of
 * blocks would not do for metadata: data with its own CRC32C may be in an attribute.  The
 * note is text, and its checksum is among them.
 */
static void derive_uuid(struct meta *m, u8 uuid[16])
{
	for (unsigned int i = 0; i < 2; i++) {
		u64 h = xxh64(m->sums.p, m->sums.n * sizeof(__le32), m->content[i] + i);
		__le64 half;

		h = xxh64(&m->hash, sizeof(m->hash), h);
		half = cpu_to_le64(xxh64(&m->super, sizeof(m->super), h));
		memcpy(uuid + i * sizeof(half), &half, sizeof(half));
	}
	uuid[6] = (uuid[6] & 0x0f) | 0x80;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
}

static void fill_super(struct meta *m)
{
	const struct draft *draft = m->draft;
	struct dsfs_super *sb = &m->super;
	u64 meta_bytes = m->blocks * DSFS_BLOCK_SIZE;

	sb->magic = cpu_to_le32(DSFS_SUPER_MAGIC);
	sb->version = cpu_to_le16(DSFS_VERSION);
	sb->align_bits = draft->align_bits;
	sb->chunk_bits = draft->chunk_bits;
	if (draft->small_bits > draft->chunk_bits)
		sb->small_bits = draft->small_bits;
	if (draft->large_bits != draft->chunk_bits)
		sb->large_bits = draft->large_bits;
	sb->object_bits = draft->object_bits;
	sb->incompat = cpu_to_le64(m->compressed ? DSFS_INCOMPAT_COMPRESSED : 0);
	sb->compat = cpu_to_le64(draft->compat);
	sb->generation = cpu_to_le64(draft->number);
	sb->build_time = cpu_to_le64(draft->time);
	memcpy(sb->label, draft->label, sizeof(sb->label));
	sb->image_bytes = cpu_to_le64(m->start + meta_bytes);
	sb->data_start = cpu_to_le64(draft->data_start);
	sb->data_end = cpu_to_le64(m->start);
	sb->meta_start = cpu_to_le64(m->start);
	sb->meta_bytes = cpu_to_le64(meta_bytes);
	sb->content_bytes = cpu_to_le64(m->content_bytes);
	sb->stored_bytes = cpu_to_le64(m->stored);
	sb->files = cpu_to_le64(m->files);
	sb->inodes = cpu_to_le64(m->tree->inodes);
	if (draft->uuid_set)
		memcpy(sb->uuid, draft->uuid, sizeof(sb->uuid));
	else if (m->draft->hash_uuid)
		derive_uuid(m, sb->uuid);
	else
		uuid_generate_random(sb->uuid);
}

int meta_check_super(const char *path, struct dsfs_super *sb, struct dsfs_geo *geo)
{
	struct dsfs_err err = { 0 };
	int ret;

	sb->checksum = cpu_to_le32(dsfs_super_sum(sb));
	ret = dsfs_super_decode(sb, 0, geo, &err);
	return ret ? msg_fail(ret, path, "superblock: %s: %llu: the limit is %llu", err.what,
			      err.value, err.limit) : 0;
}

int meta_write(struct meta *m)
{
	int ret;

	m->start = place_meta(m->place, !m->draft->previous);
	m->sums.size = sizeof(__le32);
	ret = layout_make(&m->layout, m->tree) ?: put_regions(m);
	if (ret == -ENOMEM)
		no_memory();
	if (ret)
		return ret;
	fill_super(m);
	return meta_check_super(m->out ? m->out->path : m->tree->source, &m->super, &m->geo);
}

int meta_commit(struct meta *m, u8 digest)
{
	const struct draft *d = m->draft;
	struct place place;

	place_init(&place, d->start, d->align_bits, d->object_bits);
	m->place = &place;
	return output_open(m->out, d->start) ?: meta_write(m) ?: meta_keep_digest(m, digest, 0) ?:
	       output_finish(m->out, &m->super);
}

void meta_free(struct meta *m)
{
	layout_free(&m->layout);
	array_free(&m->sums);
	table_free(&m->extras);
	array_free(&m->fills);
	array_free(&m->numbers);
}
