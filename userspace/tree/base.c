// SPDX-License-Identifier: GPL-2.0
/*
 * Opening and checking the base image.  An image that a reader would refuse is no base.
 */
#include "base.h"
#include "format.h"
#include "imagemsg.h"
#include "msg.h"

#define CACHE_BYTES	(64ULL << 20)
#define CACHE_BYTES_MIN	(4ULL << 20)
#define CACHE_SHARE	8

int base_damaged(const struct base *base, const char *what, const struct dsfs_err *err, int ret)
{
	return msg_fail(ret, base->img.path, "cannot be built on: %s: %s: run fsck.dsfs", what,
			image_why(err, ret));
}

int base_bad_inode(const struct base *base, u32 ino, const struct dsfs_err *err, int ret)
{
	return msg_fail(ret, base->img.path, "inode %u: %s: run fsck.dsfs", ino,
			image_why(err, ret));
}

static int check_image(struct base *base)
{
	struct dsfs_err err = { 0 };
	int use, ret = dsfs_super_choose(base->img.slots, &use, &err);

	image_report_slots(&base->img);
	if (image_is_foreign(&base->img))
		return ret;
	return ret ? base_damaged(base, "superblock", &err, ret) : 0;
}

static int check_sums(const struct base *base)
{
	const u32 want = base->img.geo->sums_checksum;
	struct dsfs_err err = { 0 };
	u32 sum;
	int ret = image_sums(&base->img, &sum);

	if (!ret && sum != want)
		ret = dsfs_bad(&err, "checksum", sum, want, -EBADMSG);
	if (!ret && base->img.geo->generation == UINT64_MAX)
		ret = dsfs_bad(&err, "generation", UINT64_MAX, UINT64_MAX - 1, -EOVERFLOW);
	return ret ? base_damaged(base, "block checksums", &err, ret) : 0;
}

static int check_archives(const struct base *base, enum base_archives archives)
{
	const bool has = base->img.geo->compat & DSFS_COMPAT_ARCHIVES;

	if (archives == BASE_ANY || archives == (has ? BASE_ARCHIVES : BASE_PLAIN))
		return 0;
	return msg_fail(-EOPNOTSUPP, base->img.path, has ?
			"has archives in place: dsfs update --tar-index adds some; none packs it anew"
			: "has no archives in place: dsfs update --tar-index cannot add any");
}

void base_tell_note(const struct base *base)
{
	if (base->note_ret)
		msg_warn(base->img.path, "note: %s: what files were compressed by is not known",
			 image_why(&base->note_err, base->note_ret));
}

/* Open the metadata of the generation that is looked at. */
static int open_metadata(struct base *base, enum base_archives archives)
{
	int ret = check_sums(base) ?: check_archives(base, archives);

	if (ret)
		return ret;
	base->prev = image_source(&base->img, base->cache);
	if (!base->prev)
		return no_memory();
	ret = image_note(base->prev, &base->note, &base->note_err);
	base->note_ret = ret < 0 ? ret : 0;
	return 0;
}

u64 base_cache(u64 memory)
{
	const u64 bytes = memory / CACHE_SHARE;

	if (bytes > CACHE_BYTES)
		return CACHE_BYTES;
	return bytes < CACHE_BYTES_MIN ? CACHE_BYTES_MIN : bytes;
}

int base_open(struct base **opened, const char *path, enum base_archives archives, u64 memory)
{
	struct base *base = calloc(1, sizeof(*base));
	int ret;

	if (!base)
		return no_memory();
	base->cache = base_cache(memory);
	ret = image_open(&base->img, path);
	if (ret) {
		free(base);
		return ret;
	}
	*opened = base;
	return check_image(base) ?: open_metadata(base, archives);
}

int base_use(struct base *base, u64 generation)
{
	int ret = image_generation(&base->img, generation);

	if (ret)
		return ret;
	base_close(base);
	base->kept_files = 0;
	base->kept_bytes = 0;
	return open_metadata(base, BASE_PLAIN);
}

int base_sums(const struct base *base, const struct dsfs_attr *attr, u64 stored, u64 *hash,
	      struct dsfs_err *err)
{
	const unsigned int bits = dsfs_chunk_bits(base->img.geo, stored);
	int ret = 0;
	u32 sum;

	*hash = 0;
	for (u64 i = 0; !ret && bits && i << bits < stored; i++) {
		ret = dsfs_chunk_sum(base->prev, attr, stored, i, &sum, err);
		if (!ret)
			*hash = base_sums_add(*hash, sum);
	}
	return ret;
}

u64 base_end(const struct base *base, unsigned int object_bits)
{
	u64 unit = 1ULL << (object_bits ? object_bits : DSFS_BLOCK_BITS);

	return (base->img.geo->image_bytes + unit - 1) & ~(unit - 1);
}

void base_close(struct base *base)
{
	image_source_free(base->prev);
	base->prev = NULL;
}

void base_free(struct base *base)
{
	if (!base)
		return;
	base_close(base);
	image_close(&base->img);
	hash_free(&base->contents);
	free(base);
}

u64 base_dead(const struct base *base, const struct dsfs_super *sb)
{
	u64 end = le64_to_cpu(sb->data_end);

	return end > base->packed ? end - base->packed : 0;
}
