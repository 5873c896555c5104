// SPDX-License-Identifier: GPL-2.0
/*
 * Compression of contents.  A file is stored compressed if what it begins with gets smaller by a
 * tenth than without compression, where it has holes.  That depends on its bytes alone: a file has
 * the same form wherever its bytes come from, whatever the number of threads.
 *
 * Each unit is compressed by itself, and is stored as it is where that does not make it smaller.
 * Readers reject a frame whose unit has more than DSFS_RATIO_MAX times its bytes.  A unit that zstd
 * would make smaller than that is given to it in pieces, each of which becomes a block of at
 * least four bytes.
 *
 * A reader pays for zstd by the match.  Those of four and five bytes save next to nothing in text
 * and images, and all that is saved in arrays of numbers.  So a quick level tells, for each unit,
 * what it costs to do without them, unless the smallest image is wanted.
 */
#ifndef DSFS_NO_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif
#ifndef DSFS_NO_LZ4
#include <lz4hc.h>
#endif

#include "content.h"

#define PIECE		(4 * DSFS_RATIO_MAX)
#define QUICK_BYTES	(32U << 10)
#define COUNT_BYTES	(4U << 10)
#define QUICK_LEVEL	(-5)
/* What a unit may grow by, one part of these, for a reader that has fewer matches to copy */
#define GROWS		32
/* The level that tells; the shortest match that it tries, and the longest that is asked for */
#define TRIAL_LEVEL	3
#define MATCH_MIN	4
#define MATCH_LONG	6
/* Whoever asks for this level or a higher one wants the smallest image. */
#define SMALLEST_LEVEL	13

/**
 * struct packer - what a thread needs to compress
 * @zstd: its context; NULL for another codec
 * @lz4: the same; the codec itself allocates nothing
 * @failed: there was no memory, which must not pass for a unit that does not get smaller
 * @out: room for a frame; @frames: for those of a file in memory
 */
struct packer {
	const struct pack_rules *rules;
	void *zstd;
	void *lz4;
	bool failed;
	char *out;
	char *frames;
};

#ifdef DSFS_NO_ZSTD
static u32 zstd_version(void)
{
	return 0;
}

static void *zstd_new(void)
{
	return NULL;
}

static void zstd_free(void *zstd)
{
}

static u32 zstd_frame(struct packer *p, int level, int match, const char *unit, u32 bytes)
{
	return bytes;
}

static int zstd_match(struct packer *p, const char *unit, u32 bytes)
{
	return 0;
}
#else
static u32 zstd_version(void)
{
	return ZSTD_versionNumber();
}

static void *zstd_new(void)
{
	return ZSTD_createCCtx();
}

static void zstd_free(void *zstd)
{
	ZSTD_freeCCtx(zstd);
}

/* A frame that has no room is one that is not smaller; each other error is one of memory. */
static u32 zstd_error(struct packer *p, size_t code, u32 bytes)
{
	p->failed |= ZSTD_getErrorCode(code) != ZSTD_error_dstSize_tooSmall;
	return bytes;
}

/* Compress a unit of which nearly nothing would be left.  Return: length of the frame; @bytes. */
static u32 zstd_pieces(struct packer *p, const char *unit, u32 bytes)
{
	ZSTD_outBuffer out = { p->out, bytes - 1, 0 };
	ZSTD_inBuffer in = { unit, 0, 0 };
	size_t left = ZSTD_CCtx_setPledgedSrcSize(p->zstd, bytes);

	while (in.size < bytes && !left) {
		in.size = bytes - in.size < PIECE ? bytes : in.size + PIECE;
		left = ZSTD_compressStream2(p->zstd, &out, &in,
					    in.size < bytes ? ZSTD_e_flush : ZSTD_e_end);
	}
	if (ZSTD_isError(left))
		return zstd_error(p, left, bytes);
	return left ? bytes : out.pos;
}

/*
 * Compress a unit to p->out, with matches of @match bytes or more; 0: as the level has it.
 * Return: length of the frame; @bytes: it does not get smaller.
 */
static u32 zstd_frame(struct packer *p, int level, int match, const char *unit, u32 bytes)
{
	size_t n;

	ZSTD_CCtx_reset(p->zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_minMatch, match);
	n = ZSTD_compress2(p->zstd, p->out, bytes - 1, unit, bytes);
	if (ZSTD_isError(n))
		return zstd_error(p, n, bytes);
	if (n * DSFS_RATIO_MAX >= bytes)
		return n;
	ZSTD_CCtx_reset(p->zstd, ZSTD_reset_session_only);
	return zstd_pieces(p, unit, bytes);
}

/* The shortest match that a unit is to have, for which it grows by a little; 0: the level's */
static int zstd_match(struct packer *p, const char *unit, u32 bytes)
{
	const int level = p->rules->level < TRIAL_LEVEL ? p->rules->level : TRIAL_LEVEL;
	int match = MATCH_LONG;
	u32 least, len;

	if (p->rules->level >= SMALLEST_LEVEL)
		return 0;
	least = zstd_frame(p, level, MATCH_MIN, unit, bytes);
	if (least == bytes)
		return 0;
	for (; match > MATCH_MIN; match--) {
		len = zstd_frame(p, level, match, unit, bytes);
		if (len < bytes && len <= least + least / GROWS)
			return match;
	}
	return 0;
}
#endif

#ifdef DSFS_NO_LZ4
static u32 lz4_version(void)
{
	return 0;
}

static void *lz4_new(void)
{
	return NULL;
}

static u32 lz4_frame(const struct packer *p, const char *unit, u32 bytes)
{
	return bytes;
}
#else
static u32 lz4_version(void)
{
	return LZ4_versionNumber();
}

static void *lz4_new(void)
{
	return malloc(LZ4_sizeofStateHC());
}

static u32 lz4_frame(const struct packer *p, const char *unit, u32 bytes)
{
	const int n = LZ4_compress_HC_extStateHC(p->lz4, unit, p->out, bytes, bytes - 1,
						 LZ4HC_CLEVEL_DEFAULT);

	return n > 0 ? n : bytes;
}
#endif

u32 pack_version(u8 codec)
{
	return codec == DSFS_CODEC_ZSTD ? zstd_version() :
	       codec == DSFS_CODEC_LZ4 ? lz4_version() : 0;
}

struct packer *packer_new(const struct pack_rules *rules)
{
	struct packer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->rules = rules;
	if (!rules->codec)
		return p;
	p->out = malloc(DSFS_UNIT_SIZE);
	p->frames = malloc(PACK_SAMPLE);
	if (rules->codec == DSFS_CODEC_ZSTD)
		p->zstd = zstd_new();
	else
		p->lz4 = lz4_new();
	if (p->out && p->frames && (p->zstd || p->lz4))
		return p;
	packer_free(p);
	return NULL;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	if (p->zstd)
		zstd_free(p->zstd);
	free(p->lz4);
	free(p->out);
	free(p->frames);
	free(p);
}

bool packer_failed(const struct packer *p)
{
	return p->failed;
}

u32 pack_unit(struct packer *p, const char *unit, u32 bytes, const char **frame)
{
	u32 n = bytes;

	if (p->rules->codec == DSFS_CODEC_ZSTD)
		n = zstd_frame(p, p->rules->level, zstd_match(p, unit, bytes), unit, bytes);
	else if (p->rules->codec == DSFS_CODEC_LZ4)
		n = lz4_frame(p, unit, bytes);
	if (n >= bytes || (u64)n * DSFS_RATIO_MAX < bytes)
		n = bytes;
	*frame = n < bytes ? p->out : unit;
	return n;
}

/*
 * Whether some bytes come that much more often than others that coding them would save a tenth.
 * The fast levels of zstd do not look at that, so digits without repetitions are random to them.
 */
static bool is_uneven(const char *sample, u32 bytes)
{
	const u64 n = bytes;
	u32 count[256] = { 0 };
	u64 squares = 0;

	for (u32 i = 0; i < bytes; i++)
		count[(u8)sample[i]]++;
	for (unsigned int i = 0; i < 256; i++)
		squares += (u64)count[i] * count[i];
	/* of random bytes about n * n / 256 + n */
	return squares * 256 > n * n * 7 / 4 + n * 256;
}

bool pack_quick(struct packer *p, const char *sample, u32 bytes)
{
	if (!p->rules->quick)
		return true;
	if (bytes > QUICK_BYTES) {
		sample += (bytes - QUICK_BYTES) / 2;
		bytes = QUICK_BYTES;
	}
	return is_uneven(sample, bytes < COUNT_BYTES ? bytes : COUNT_BYTES) ||
	       zstd_frame(p, QUICK_LEVEL, 0, sample, bytes) < bytes - bytes / 20;
}

static int count_nothing(void *ctx, const char *p, u64 bytes)
{
	return 0;
}

u32 pack_plain(const char *sample, u32 bytes)
{
	struct holes h;
	u64 stored;
	int ret;

	if (bytes < HOLE_MIN)
		return bytes;
	holes_init(&h, count_nothing, NULL);
	ret = holes_data(&h, sample, bytes) ?: holes_end(&h);
	stored = ret ? bytes : h.stored;
	holes_free(&h);
	return stored;
}

u32 pack_most(const char *sample, u32 bytes)
{
	const u32 plain = pack_plain(sample, bytes);

	return plain - (plain + 9) / 10;
}

/* Compress up to a sample into p->frames, as long as that pays.  Return: bytes of frames; 0. */
static u32 pack_sample(struct packer *p, const char *sample, u32 bytes, struct array *ends)
{
	const u32 most = pack_most(sample, bytes);
	const u32 unit = DSFS_UNIT_SIZE;
	const char *frame;
	u32 at, n, len, stored = 0;

	for (at = 0; at < bytes; at += n) {
		n = bytes - at < unit ? bytes - at : unit;
		len = pack_unit(p, sample + at, n, &frame);
		if (stored + len > most)
			return 0;
		memcpy(p->frames + stored, frame, len);
		stored += len;
		p->failed |= ends && array_append(ends, &stored);
	}
	return stored;
}

u32 pack_pays(struct packer *p, u64 size, const char *sample)
{
	const u32 bytes = pack_sampled(size);

	return pack_quick(p, sample, bytes) ? pack_sample(p, sample, bytes, NULL) : 0;
}

int pack_small(struct packer *p, struct item *it, char *buf)
{
	const u64 size = it->node->size;
	struct array ends = { .size = sizeof(u32) };
	u32 stored = pack_quick(p, buf, size) ? pack_sample(p, buf, size, &ends) : 0;

	if (!stored || p->failed) {
		array_free(&ends);
		return p->failed ? -ENOMEM : 0;
	}
	memcpy(buf, p->frames, stored);
	it->stored = stored;
	it->packed = true;
	it->ends = ends.p;
	it->nends = ends.n;
	return 1;
}

/*
 * Which files stay as they are is decided by their paths in the image and their sizes, so it is
 * known before a byte is read, whatever the source is.
 */

/* Without memory for its path a file is compressed, which loses nothing but bytes. */
static bool is_excluded(const struct patterns *except, const struct tree *t,
			const struct dir *dir, const struct node *n)
{
	char *path = except->n ? tree_path(t, dir, n, true) : NULL;
	const bool hit = path && patterns_match_any(except, path);

	free(path);
	return hit;
}

bool pack_fits(const struct pack_rules *rules, u64 size)
{
	return rules->codec && size > 1 && size < PACK_LIMIT &&
	       (!rules->most || size <= rules->most);
}

bool pack_wanted(const struct pack_rules *rules, const struct tree *t, const struct dir *dir,
		 const struct node *n)
{
	return pack_fits(rules, n->size) && !is_excluded(&rules->except, t, dir, n);
}
