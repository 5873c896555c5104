// SPDX-License-Identifier: GPL-2.0
/*
 * Opening an image and reading its metadata.  An image can be cut short or
 * overwritten while a tool reads it, which a mapping would answer with SIGBUS,
 * so everything is read into a cache of pieces.  Pieces are
 * large because metadata is read in order nearly always; checksums are
 * compared a block at a time and only for blocks that are asked for, so that
 * a bad block costs an error for what it holds and nothing else.
 */
#include <stdio.h>
#include <stdlib.h>

#include "image.h"
#include "image_io.h"
#include "msg.h"

#define PIECE_BLOCKS	64
#define PIECE_BYTES	((u64)PIECE_BLOCKS << DSFS_BLOCK_BITS)
#define WAYS		8
#define CACHE_DEFAULT	(64ULL << 20)
#define SUMS_STEP	1048576

/**
 * struct piece - blocks of metadata, a multiple of PIECE_BYTES from its start
 * @number: which; UINT64_MAX: none
 * @used: when it was last asked for
 * @refs: holders; it is not replaced while there are any
 * @read: a bit a block: it could be read
 * @checked: a bit a block: compared with its checksum, and right
 * @owned: in the cache; else its last holder frees it
 * @data: PIECE_BYTES, or all metadata if that is less
 */
struct piece {
	u64 number;
	u64 used;
	u64 read;
	u64 checked;
	u32 refs;
	bool owned;
	__le32 sums[PIECE_BLOCKS];
	u8 data[];
};

/**
 * struct dsfs_source - metadata of a generation, for one thread
 * @pieces: @sets sets of WAYS pieces; a piece's number tells its set
 */
struct dsfs_source {
	const struct image *img;
	struct dsfs_geo geo;
	u64 sets;
	u64 clock;
	struct piece **pieces;
};

static void image_read_slot(struct image *img, int i)
{
	struct dsfs_slot *slot = &img->slots[i];

	if (img->bytes < DSFS_SB_POS(i) + DSFS_SB_SIZE) {
		slot->ret = dsfs_bad(&slot->err, "length", img->bytes,
				     DSFS_SB_POS(i) + DSFS_SB_SIZE, -EINVAL);
		return;
	}
	slot->ret = image_pread(img, &slot->raw, sizeof(slot->raw),
				DSFS_SB_POS(i));
	if (slot->ret)
		return;
	slot->ret = dsfs_super_decode(&slot->raw, img->bytes, &slot->geo,
				      &slot->err);
	if (!slot->ret && slot->geo.slot != i)
		slot->ret = dsfs_bad(&slot->err, "slot number", slot->geo.slot,
				     i, -EUCLEAN);
}

int image_open(struct image *img, const char *path)
{
	struct dsfs_err err = {};
	int ret, i;

	memset(img, 0, sizeof(*img));
	img->path = path;
	img->use = -1;
	ret = image_io_open(img);
	if (ret)
		return ret;
	for (i = 0; i < DSFS_SB_SLOTS; i++)
		image_read_slot(img, i);
	/* What keeps a kernel from mounting does not keep us from looking. */
	dsfs_super_choose(img->slots, &img->use, &err);
	if (img->use >= 0)
		img->geo = &img->slots[img->use].geo;
	return 0;
}

static int read_super(void *arg, u64 pos, struct dsfs_super *raw)
{
	return image_pread(arg, raw, sizeof(*raw), pos);
}

int image_older(const struct image *img, const struct dsfs_geo *geo,
		struct dsfs_slot *older)
{
	return dsfs_history_next(geo, img->bytes, read_super, (void *)img,
				 older);
}

int image_generation(struct image *img, u64 generation)
{
	int ret = dsfs_history_find(&img->slots[img->use], generation,
				    img->bytes, read_super, img, &img->past);
	char text[256];

	if (!ret) {
		img->geo = &img->past.geo;
		return 0;
	}
	if (ret == -ENOENT) {
		msg_error(img->path, "generation %llu: not in the image",
			  generation);
		return ret;
	}
	image_err_text(&img->past.err, ret, text, sizeof(text));
	msg_error(img->path, "generation %llu: on the way there: %s",
		  generation, text);
	return ret;
}

void image_close(struct image *img)
{
	image_io_close(img);
}

void image_err_text(const struct dsfs_err *err, int ret, char *buf, size_t size)
{
	if (!err->what)
		snprintf(buf, size, "%s", msg_why(-ret));
	else
		snprintf(buf, size, "%s: %llu (%#llx), limit %llu (%#llx): %s",
			 err->what, err->value,
			 err->value, err->limit, err->limit, msg_why(-ret));
}

bool image_is_foreign(const struct image *img)
{
	int i;

	for (i = 0; i < DSFS_SB_SLOTS; i++)
		if (img->slots[i].ret != -EINVAL)
			return false;
	return true;
}

void image_slot_text(const struct dsfs_slot *slot, char *buf, size_t size)
{
	if (slot->ret == -EINVAL)
		snprintf(buf, size, "no DSFS superblock: %s %#llx, limit %#llx",
			 slot->err.what, slot->err.value, slot->err.limit);
	else
		image_err_text(&slot->err, slot->ret, buf, size);
}

int image_report_slots(const struct image *img)
{
	char text[256];
	int i, bad = 0;

	if (image_is_foreign(img)) {
		msg_error(img->path, "not a DSFS image");
		return DSFS_SB_SLOTS;
	}
	for (i = 0; i < DSFS_SB_SLOTS; i++) {
		const struct dsfs_slot *slot = &img->slots[i];

		if (slot->ret) {
			image_slot_text(slot, text, sizeof(text));
			msg_error(img->path, "superblock slot %d: %s", i, text);
			bad++;
		} else if (slot->geo.generation < img->geo->generation) {
			msg_error(img->path,
				  "superblock slot %d: generation %llu, the other has %llu",
				  i, slot->geo.generation,
				  img->geo->generation);
			bad++;
		}
	}
	if (!img->geo)
		msg_error(img->path, "no valid superblock");
	return bad;
}

int image_region_sum(const struct image *img, enum dsfs_region_id id, u32 *sum)
{
	const struct dsfs_region_info *sums = &img->geo->regions[DSFS_REGION_BLOCKSUMS];
	const struct dsfs_region_info *r = &img->geo->regions[id];
	u64 pos = sums->pos, left = sums->bytes;
	u8 *buf;
	int ret = 0;

	if (id != DSFS_REGION_BLOCKSUMS) {
		u64 blocks = (r->bytes + DSFS_BLOCK_SIZE - 1) >> DSFS_BLOCK_BITS;

		pos += ((r->pos - img->geo->meta_start) >> DSFS_BLOCK_BITS) *
		       sizeof(__le32);
		left = blocks * sizeof(__le32);
	}
	buf = malloc(left < SUMS_STEP ? left : SUMS_STEP);
	if (!buf)
		return -ENOMEM;
	*sum = 0;
	while (left && !ret) {
		size_t n = left < SUMS_STEP ? left : SUMS_STEP;

		ret = image_pread(img, buf, n, pos);
		if (!ret)
			*sum = dsfs_crc32c(*sum, buf, n);
		pos += n;
		left -= n;
	}
	free(buf);
	return ret;
}

struct dsfs_source *image_source(const struct image *img, u64 cache_bytes)
{
	struct dsfs_source *src = calloc(1, sizeof(*src));
	u64 bytes = cache_bytes ? cache_bytes : CACHE_DEFAULT;

	if (!src)
		return NULL;
	/* No more than there is to hold, but room to hold a few at once. */
	if (bytes > img->geo->meta_bytes)
		bytes = img->geo->meta_bytes;
	src->img = img;
	src->geo = *img->geo;
	src->sets = bytes / (PIECE_BYTES * WAYS) + 1;
	src->pieces = calloc(src->sets * WAYS, sizeof(*src->pieces));
	if (!src->pieces) {
		free(src);
		return NULL;
	}
	return src;
}

void image_source_free(struct dsfs_source *src)
{
	u64 i;

	if (!src)
		return;
	for (i = 0; i < src->sets * WAYS; i++)
		free(src->pieces[i]);
	free(src->pieces);
	free(src);
}

const struct image *image_source_image(const struct dsfs_source *src)
{
	return src->img;
}

const struct dsfs_geo *dsfs_source_geo(const struct dsfs_source *src)
{
	return &src->geo;
}

static int piece_load(const struct dsfs_source *src, struct piece *p, u64 number)
{
	const struct image *img = src->img;
	const struct dsfs_geo *geo = &src->geo;
	u64 blocks = geo->meta_bytes >> DSFS_BLOCK_BITS;
	u64 first = number * PIECE_BLOCKS, i;
	u64 n = blocks - first < PIECE_BLOCKS ? blocks - first : PIECE_BLOCKS;
	u64 pos = geo->meta_start + (first << DSFS_BLOCK_BITS);
	int ret;

	p->number = UINT64_MAX;
	p->checked = 0;
	p->read = UINT64_MAX;
	ret = image_pread(img, p->sums, n * sizeof(__le32),
			  geo->regions[DSFS_REGION_BLOCKSUMS].pos +
			  first * sizeof(__le32));
	if (ret)
		return ret;
	p->number = number;
	if (!image_pread(img, p->data, n << DSFS_BLOCK_BITS, pos))
		return 0;
	/* Some of it cannot be read: lose no more than that. */
	for (p->read = 0, i = 0; i < n; i++)
		if (!image_pread(img, p->data + (i << DSFS_BLOCK_BITS),
				 DSFS_BLOCK_SIZE, pos + (i << DSFS_BLOCK_BITS)))
			p->read |= 1ULL << i;
	return 0;
}

static struct piece *piece_new(const struct dsfs_source *src)
{
	u64 bytes = src->geo.meta_bytes;

	return calloc(1, sizeof(struct piece) +
			 (bytes < PIECE_BYTES ? bytes : PIECE_BYTES));
}

/* A piece to load into: one of the set that nobody holds, or a loose one. */
static struct piece *piece_victim(const struct dsfs_source *src,
				  struct piece **set)
{
	struct piece *old = NULL;
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		if (!set[i]) {
			set[i] = piece_new(src);
			if (!set[i])
				break;
			set[i]->owned = true;
			set[i]->number = UINT64_MAX;
			return set[i];
		}
		if (!set[i]->refs && (!old || set[i]->used < old->used))
			old = set[i];
	}
	return old ? old : piece_new(src);
}

/* Hold a piece. */
static int piece_get(struct dsfs_source *src, u64 number, struct piece **out)
{
	struct piece **set = &src->pieces[number % src->sets * WAYS];
	struct piece *p;
	unsigned int i;
	int ret;

	for (i = 0; i < WAYS && set[i]; i++) {
		if (set[i]->number == number) {
			*out = set[i];
			(*out)->refs++;
			(*out)->used = ++src->clock;
			return 0;
		}
	}
	p = piece_victim(src, set);
	if (!p)
		return -ENOMEM;
	ret = piece_load(src, p, number);
	if (ret) {
		if (!p->owned)
			free(p);
		return ret;
	}
	p->refs = 1;
	p->used = ++src->clock;
	*out = p;
	return 0;
}

static void piece_put(struct piece *p)
{
	if (!--p->refs && !p->owned)
		free(p);
}

int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region, u64 off,
		  size_t len, struct dsfs_mref *ref)
{
	const struct dsfs_geo *geo = &src->geo;
	const struct dsfs_region_info *r = &geo->regions[region];
	u64 block = (r->pos + off - geo->meta_start) >> DSFS_BLOCK_BITS;
	u64 in = off & (DSFS_BLOCK_SIZE - 1);
	unsigned int i = block % PIECE_BLOCKS;
	struct piece *p;
	int ret;

	if (!len || off > r->bytes || len > r->bytes - off ||
	    in + len > DSFS_BLOCK_SIZE)
		return -EUCLEAN;
	ret = piece_get(src, block / PIECE_BLOCKS, &p);
	if (ret)
		return ret;
	if (!(p->read >> i & 1)) {
		piece_put(p);
		return -EIO;
	}
	/* BLOCKSUMS has one checksum over all: image_region_sum() */
	if (region != DSFS_REGION_BLOCKSUMS && !(p->checked >> i & 1)) {
		u32 sum = dsfs_crc32c(0, p->data + ((u64)i << DSFS_BLOCK_BITS),
				      DSFS_BLOCK_SIZE);

		if (sum != le32_to_cpu(p->sums[i])) {
			piece_put(p);
			return -EBADMSG;
		}
		p->checked |= 1ULL << i;
	}
	ref->p = p->data + ((u64)i << DSFS_BLOCK_BITS) + in;
	ref->priv = p;
	return 0;
}

void dsfs_meta_release(struct dsfs_mref *ref)
{
	piece_put(ref->priv);
	ref->priv = NULL;
	ref->p = NULL;
}
