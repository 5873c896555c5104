// SPDX-License-Identifier: GPL-2.0
/*
 * A new generation with the tree of one that is there.
 *
 * Positions in metadata are offsets from the beginning of its area, and those of data are
 * offsets in the image.  So the blocks of a tree are right wherever they lie: what is new are the
 * superblock, HISTORY, NOTE and BLOCKSUMS.  If the newest generation has the tree, its area gets
 * these behind its end (see "A change of label, UUID or message" in format.rst).  Otherwise the
 * blocks are copied behind the image, as the area of an older generation has to end in front of
 * the data's end of a later one (P3).
 *
 * Every block is compared with its checksum before it gets another one.
 */
#include <time.h>
#include <uuid/uuid.h>

#include "behind.h"
#include "imagemsg.h"
#include "msg.h"
#include "nsec.h"
#include "origin.h"
#include "parse.h"
#include "regenerate.h"
#include "status.h"
#include "ustar.h"

/* Checksums of a block of BLOCKSUMS */
#define PER_BLOCK	(DSFS_BLOCK_SIZE / sizeof(__le32))

/**
 * struct area - the metadata area of the new generation
 * @start: offset of the area in the image
 * @tree: blocks that it begins with
 * @at: where blocks begin that the image has not yet
 * @put: blocks that were put behind each other so far: all have their checksums
 * @sums: BLOCKSUMS, @sums_blocks of them
 */
struct area {
	u64 start;
	u64 tree;
	u64 at;
	u64 put;
	__le32 *sums;
	u64 sums_blocks;
};

static const struct dsfs_geo *newest(const struct regenerate *g)
{
	return &g->img.slots[g->img.use].geo;
}

static int refused(const struct regenerate *g, const struct dsfs_err *err, int ret)
{
	return msg_fail(ret, g->img.path, "generation %llu: %s: run fsck.dsfs",
			g->img.geo->generation, image_why(err, ret));
}

static int check_slots(const struct regenerate *g)
{
	image_report_slots(&g->img);
	if (g->img.ret && g->img.geo)
		return refused(g, &g->img.err, g->img.ret);
	return g->img.geo ? 0 : -EUCLEAN;
}

/* The next update takes in an archive that lies behind an image of archives. */
int change_check_end(const struct image *img)
{
	const struct dsfs_geo *geo = &img->slots[img->use].geo;
	const u64 end = geo->image_bytes;
	struct ustar next;
	char sum[sizeof(next.sum) + 1];

	if (!(geo->compat & DSFS_COMPAT_ARCHIVES) || img->bytes < end + sizeof(next) ||
	    image_pread(img, &next, sizeof(next), end))
		return 0;
	snprintf(sum, sizeof(sum), "%.*s", (int)sizeof(next.sum), next.sum);
	if (strtol(sum, NULL, 8) != ustar_sum(&next))
		return 0;
	return msg_fail(-EBUSY, img->path,
			"an archive is behind its end, at byte %llu: update it first", end);
}

int change_open(struct output *out, const char *path)
{
	const struct target target = { .path = path };
	int ret;

	if (origin_is_far(path)) {
		char name[256];

		return msg_fail(-EROFS, origin_name(path, name, sizeof(name)),
				"is on a server: only a file or a device can be changed");
	}
	ret = signals_init() ?: output_check_update(out, &target);
	out->narrow = true;
	return ret;
}

int regenerate_open(struct regenerate *g, const char *path)
{
	int ret;

	memset(g, 0, sizeof(*g));
	g->out.fd = -1;
	ret = change_open(&g->out, path) ?: image_open_fd(&g->img, g->out.fd, path);
	return ret ?: check_slots(g) ?: change_check_end(&g->img);
}

int change_check_erasing(const struct image *img)
{
	if (!(img->geo->compat & DSFS_COMPAT_ERASING))
		return 0;
	return msg_fail(-EBUSY, img->path,
			"generation %llu: files are being erased: end that first",
			img->geo->generation);
}

/* Look at the metadata of a generation. */
static int use(struct regenerate *g, u64 generation)
{
	struct dsfs_err err = { 0 };
	int ret = image_generation(&g->img, generation) ?: change_check_erasing(&g->img);

	if (ret)
		return ret;
	image_source_free(g->src);
	g->src = image_source(&g->img, 0);
	if (!g->src)
		return no_memory();
	ret = source_check_sums(g->src, &err);
	return ret ? refused(g, &err, ret) : 0;
}

/* The newest generation has the same metadata, and nothing is between that and its end. */
static bool is_shared(const struct dsfs_geo *tree, const struct dsfs_geo *last)
{
	return tree->meta_start == last->meta_start &&
	       last->meta_start + last->meta_bytes == last->image_bytes;
}

int regenerate_tree(struct regenerate *g, u64 generation)
{
	const u64 last = newest(g)->generation;
	struct dsfs_err err = { 0 };
	int ret = use(g, generation);

	if (ret)
		return ret;
	ret = image_note(g->src, &g->note, &err);
	if (ret < 0)
		return refused(g, &err, ret);
	g->tree = g->img.older;
	g->super = g->tree.raw;
	g->shared = is_shared(&g->tree.geo, newest(g));
	return g->shared && generation != last ? use(g, last) : 0;
}

void regenerate_label(struct regenerate *g, const char *label)
{
	memset(g->super.label, 0, sizeof(g->super.label));
	memcpy(g->super.label, label, strnlen(label, sizeof(g->super.label)));
}

static bool is_anew(unsigned int id)
{
	return id == DSFS_REGION_HISTORY || id == DSFS_REGION_NOTE || id == DSFS_REGION_BLOCKSUMS;
}

/* Blocks up to the end of the tree's regions, which all other regions lie behind as a rule. */
static u64 tree_blocks(const struct dsfs_geo *geo)
{
	u64 end = 0;

	for (unsigned int i = 0; i < DSFS_REGIONS_USED; i++) {
		const struct dsfs_region_info *r = &geo->regions[i];

		if (!is_anew(i) && r->bytes && r->pos + r->bytes - geo->meta_start > end)
			end = r->pos + r->bytes - geo->meta_start;
	}
	return (end + DSFS_BLOCK_SIZE - 1) >> DSFS_BLOCK_BITS;
}

static bool has_note(const struct dsfs_note *note)
{
	return note->message_bytes || note->digest_kind || note->codec;
}

/* Place a region behind block @*end. */
static void place(struct dsfs_super *sb, enum dsfs_region_id id, u64 bytes, u64 *end)
{
	sb->regions[id].bytes = cpu_to_le64(bytes);
	sb->regions[id].start = cpu_to_le64(bytes ? *end << DSFS_BLOCK_BITS : 0);
	*end += (bytes + DSFS_BLOCK_SIZE - 1) >> DSFS_BLOCK_BITS;
}

static void plan(struct regenerate *g, struct area *a)
{
	const struct dsfs_geo *last = newest(g);
	const u64 unit = 1ULL << (last->object_bits ? last->object_bits : DSFS_BLOCK_BITS);
	struct dsfs_super *sb = &g->super;
	u64 end;

	a->start = g->shared ? last->meta_start : (last->image_bytes + unit - 1) & ~(unit - 1);
	a->tree = g->shared ? last->meta_bytes >> DSFS_BLOCK_BITS : tree_blocks(&g->tree.geo);
	a->at = g->shared ? a->tree : 0;
	end = a->tree;
	place(sb, DSFS_REGION_HISTORY, DSFS_SB_SIZE, &end);
	place(sb, DSFS_REGION_NOTE, has_note(&g->note) ? sizeof(g->note) : 0, &end);
	/* BLOCKSUMS has entries of its own blocks, too. */
	a->sums_blocks = (end + PER_BLOCK - 2) / (PER_BLOCK - 1);
	place(sb, DSFS_REGION_BLOCKSUMS, (end + a->sums_blocks) * sizeof(__le32), &end);

	sb->generation = cpu_to_le64(last->generation + 1);
	sb->image_bytes = cpu_to_le64(a->start + (end << DSFS_BLOCK_BITS));
	sb->meta_bytes = cpu_to_le64(end << DSFS_BLOCK_BITS);
	if (g->shared)
		return;
	sb->data_end = cpu_to_le64(a->start);
	sb->meta_start = cpu_to_le64(a->start);
}

int change_time(s64 *ns)
{
	struct timespec ts;
	int ret = parse_source_date_epoch(ns);

	if (ret < 0)
		return msg_fail(ret, NULL, "SOURCE_DATE_EPOCH: %s: not seconds since 1970",
				getenv("SOURCE_DATE_EPOCH"));
	clock_gettime(CLOCK_REALTIME, &ts);
	*ns = ret ? *ns : nsec_of(&ts);
	return 0;
}

/* Check the superblock as readers do, and that there is room, before anything is written. */
static int check_plan(struct regenerate *g, const struct area *a)
{
	const u64 from = a->start + (a->at << DSFS_BLOCK_BITS);
	struct dsfs_geo geo;
	const int ret = meta_check_super(g->img.path, &g->super, &geo);

	return ret || output_fits(&g->out, from, geo.image_bytes - from) ? ret : -ENOSPC;
}

/* Put a block behind the others; @sum: its entry in BLOCKSUMS. */
static int put(struct regenerate *g, struct area *a, const void *block, u32 sum)
{
	const u64 at = a->start + (a->put << DSFS_BLOCK_BITS);

	a->sums[a->put++] = cpu_to_le32(sum);
	return output_write(&g->out, at, block, DSFS_BLOCK_SIZE);
}

static int put_tree_block(struct regenerate *g, struct area *a, const void *block)
{
	const u32 sum = dsfs_crc32c(0, block, DSFS_BLOCK_SIZE);

	if (!g->shared)
		return put(g, a, block, sum);
	a->sums[a->put++] = cpu_to_le32(sum);
	return 0;
}

static int put_tree(struct regenerate *g, struct area *a)
{
	const u64 start = g->img.geo->meta_start;
	struct dsfs_err err = { 0 };
	struct dsfs_mref ref;
	int ret = 0;

	for (u64 i = 0; !ret && i < a->tree; i++) {
		ret = source_block(g->src, i, &ref);
		if (ret)
			return refused(g, &err, dsfs_bad(&err, "metadata block at",
							 start + (i << DSFS_BLOCK_BITS),
							 start + g->img.geo->meta_bytes, ret));
		ret = put_tree_block(g, a, ref.p);
		dsfs_meta_put(&ref);
	}
	return ret;
}

/* Put bytes that a block has room for. */
static int put_bytes(struct regenerate *g, struct area *a, const void *p, size_t bytes)
{
	char block[DSFS_BLOCK_SIZE] = { 0 };

	memcpy(block, p, bytes);
	return put(g, a, block, dsfs_crc32c(0, block, sizeof(block)));
}

/* What is new of each generation */
static int put_anew(struct regenerate *g, struct area *a)
{
	int ret = put_bytes(g, a, &g->img.slots[g->img.use].raw, DSFS_SB_SIZE);

	if (!ret && has_note(&g->note))
		ret = put_bytes(g, a, &g->note, sizeof(g->note));
	for (u64 i = 0; !ret && i < a->sums_blocks; i++)
		ret = put(g, a, a->sums + i * PER_BLOCK, 0);
	return ret;
}

static int write_area(struct regenerate *g, struct area *a)
{
	const size_t bytes = a->sums_blocks << DSFS_BLOCK_BITS;
	int ret;

	a->sums = calloc(1, bytes);
	if (!a->sums)
		return no_memory();
	ret = output_open(&g->out, a->start + (a->at << DSFS_BLOCK_BITS)) ?: put_tree(g, a) ?:
	      put_anew(g, a);
	g->super.sums_checksum = cpu_to_le32(dsfs_crc32c(0, a->sums, bytes));
	return ret;
}

int regenerate_write(struct regenerate *g)
{
	struct area a = { 0 };
	s64 time = 0;
	int ret = change_time(&time);

	plan(g, &a);
	g->super.build_time = cpu_to_le64(time);
	g->out.first_slot = !g->img.use;
	ret = ret ?: check_plan(g, &a) ?: write_area(g, &a) ?:
	      output_finish(&g->out, &g->super);
	free(a.sums);
	return ret;
}

static void report(const struct regenerate *g)
{
	char text[4 * DSFS_LABEL_MAX + 1], label[DSFS_LABEL_MAX + 1] = "", uuid[UUID_STR_LEN];

	memcpy(label, g->super.label, DSFS_LABEL_MAX);
	uuid_unparse_lower(g->super.uuid, uuid);
	printf("generation %llu: the tree of generation %llu, label %s, UUID %s\n",
	       le64_to_cpu(g->super.generation), g->tree.geo.generation,
	       *label ? msg_escape(text, sizeof(text), label) : "-", uuid);
}

int regenerate_end(struct regenerate *g, int ret, bool quiet)
{
	if (ret)
		output_abort(&g->out);
	else if (!quiet)
		report(g);
	image_source_free(g->src);
	image_close(&g->img);
	output_free(&g->out);
	return ret ? EXIT_ERROR : EXIT_OK;
}
