// SPDX-License-Identifier: GPL-2.0
/*
 * Superblock: decoding and checks.
 *
 * The superblock gives place and length of all other structures. All checks
 * that need no further reads are made here, by the same code at mount and in
 * every tool.
 */
#include "format.h"

/* dsfs_err_set - record a broken rule; not inline, because it is cold */
void dsfs_err_set(struct dsfs_err *err, const char *what, u64 value, u64 limit)
{
	err->what = what;
	err->value = value;
	err->limit = limit;
}

const u8 dsfs_record_bytes[DSFS_REGIONS_USED] = {
	[DSFS_REGION_BLOCKSUMS]	= sizeof(__le32),
	[DSFS_REGION_DIRS]	= sizeof(struct dsfs_dir),
	[DSFS_REGION_NAMES]	= 1,
	[DSFS_REGION_INDEX]	= sizeof(struct dsfs_bucket),
	[DSFS_REGION_OWNERS]	= sizeof(struct dsfs_owner),
	[DSFS_REGION_EXTRAS]	= sizeof(struct dsfs_extra),
	[DSFS_REGION_SYMLINKS]	= 1,
	[DSFS_REGION_XATTRS]	= sizeof(__le32),
	[DSFS_REGION_EXTENTS]	= sizeof(struct dsfs_extent_record),
	[DSFS_REGION_CHUNKSUMS]	= sizeof(__le32),
	[DSFS_REGION_HISTORY]	= 1,
	[DSFS_REGION_UNITS]	= sizeof(__le32),
	[DSFS_REGION_NUMBERS]	= sizeof(__le32),
	[DSFS_REGION_NOTE]	= 1,
};

/* Largest region of each kind that the format can address */
static u64 dsfs_region_max(enum dsfs_region_id id)
{
	switch (id) {
	case DSFS_REGION_DIRS:
		return DSFS_MAX_INODES * sizeof(struct dsfs_dir);
	case DSFS_REGION_OWNERS:
		return 0xffffffffULL * sizeof(struct dsfs_owner);
	case DSFS_REGION_EXTRAS:
		return 0xffffffffULL * sizeof(struct dsfs_extra);
	case DSFS_REGION_EXTENTS:
		return 0xffffffffULL * sizeof(struct dsfs_extent_record);
	case DSFS_REGION_CHUNKSUMS:
	case DSFS_REGION_UNITS:
		return (1ULL << 32) * sizeof(__le32);
	case DSFS_REGION_HISTORY:
		return DSFS_SB_SIZE;
	case DSFS_REGION_NOTE:
		return sizeof(struct dsfs_note);
	default:
		return DSFS_META_MAX;
	}
}

/* dsfs_all_zero - check reserved bytes and padding */
bool dsfs_all_zero(const u8 *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

/* dsfs_super_sum - compute the crc32c of a superblock, with the checksum field as zero */
u32 dsfs_super_sum(const struct dsfs_super *raw)
{
	static const u8 zero[sizeof(__le32)];
	const u8 *p = (const u8 *)raw;
	const size_t at = offsetof(struct dsfs_super, checksum);
	const size_t behind = at + sizeof(zero);
	u32 sum;

	sum = dsfs_crc32c(0, p, at);
	sum = dsfs_crc32c(sum, zero, sizeof(zero));
	return dsfs_crc32c(sum, p + behind, sizeof(*raw) - behind);
}

/* Magic, checksum, version and features */
static int dsfs_super_identify(const struct dsfs_super *raw, struct dsfs_err *err)
{
	u32 sum = dsfs_super_sum(raw);

	if (le32_to_cpu(raw->magic) != DSFS_SUPER_MAGIC)
		return dsfs_bad(err, "magic", le32_to_cpu(raw->magic), DSFS_SUPER_MAGIC, -EINVAL);
	if (le32_to_cpu(raw->checksum) != sum)
		return dsfs_bad(err, "superblock checksum",
				le32_to_cpu(raw->checksum), sum, -EBADMSG);
	if (le16_to_cpu(raw->version) != DSFS_VERSION)
		return dsfs_bad(err, "format version", le16_to_cpu(raw->version),
				DSFS_VERSION, -EOPNOTSUPP);
	if (le64_to_cpu(raw->incompat) & ~DSFS_INCOMPAT_KNOWN)
		return dsfs_bad(err, "unknown incompat feature bits",
				le64_to_cpu(raw->incompat) & ~DSFS_INCOMPAT_KNOWN,
				DSFS_INCOMPAT_KNOWN, -EOPNOTSUPP);
	return 0;
}

/*
 * A file that is one chunk may be larger than the chunks of others, and no smaller. Chunks
 * of large files may have any size.
 */
static int dsfs_super_chunks(const struct dsfs_super *raw, struct dsfs_err *err)
{
	if (raw->chunk_bits && (raw->chunk_bits < DSFS_CHUNK_BITS_MIN ||
				raw->chunk_bits > DSFS_CHUNK_BITS_MAX))
		return dsfs_broken(err, "chunk_bits", raw->chunk_bits, DSFS_CHUNK_BITS_MAX);
	if (raw->small_bits && (!raw->chunk_bits || raw->small_bits <= raw->chunk_bits ||
				raw->small_bits > DSFS_CHUNK_BITS_MAX))
		return dsfs_broken(err, "small_bits", raw->small_bits, DSFS_CHUNK_BITS_MAX);
	if (raw->large_bits && (!raw->chunk_bits || raw->large_bits < DSFS_CHUNK_BITS_MIN ||
				raw->large_bits > DSFS_CHUNK_BITS_MAX))
		return dsfs_broken(err, "large_bits", raw->large_bits, DSFS_CHUNK_BITS_MAX);
	return 0;
}

static int dsfs_super_fields(const struct dsfs_super *raw, struct dsfs_err *err)
{
	int ret;

	if (raw->align_bits < DSFS_ALIGN_BITS_MIN || raw->align_bits > DSFS_ALIGN_BITS_MAX)
		return dsfs_broken(err, "align_bits", raw->align_bits, DSFS_ALIGN_BITS_MAX);
	ret = dsfs_super_chunks(raw, err);
	if (ret)
		return ret;
	if (raw->object_bits && (raw->object_bits < DSFS_OBJECT_BITS_MIN ||
				 raw->object_bits > DSFS_OBJECT_BITS_MAX))
		return dsfs_broken(err, "object_bits", raw->object_bits, DSFS_OBJECT_BITS_MAX);
	if (!le64_to_cpu(raw->generation))
		return dsfs_broken(err, "generation", 0, 1);
	if (raw->reserved1 || !dsfs_all_zero(raw->reserved, sizeof(raw->reserved)))
		return dsfs_broken(err, "superblock reserved bytes", 1, 0);
	return 0;
}

/* data_start <= data_end <= meta_start < end of metadata <= image_bytes */
static int dsfs_super_areas(struct dsfs_geo *geo, struct dsfs_err *err)
{
	const u64 mask = DSFS_BLOCK_SIZE - 1;

	if (geo->image_bytes >= DSFS_MAX_OFFSET || geo->image_bytes & mask)
		return dsfs_broken(err, "image_bytes", geo->image_bytes, DSFS_MAX_OFFSET);
	if (geo->meta_bytes < DSFS_BLOCK_SIZE || geo->meta_bytes & mask ||
	    geo->meta_bytes > DSFS_META_MAX ||
	    geo->meta_bytes > geo->image_bytes)
		return dsfs_broken(err, "meta_bytes", geo->meta_bytes, geo->image_bytes);
	if (geo->meta_start & mask || geo->meta_start > geo->image_bytes - geo->meta_bytes)
		return dsfs_broken(err, "meta_start", geo->meta_start,
				   geo->image_bytes - geo->meta_bytes);
	if (geo->data_end > geo->meta_start)
		return dsfs_broken(err, "data_end", geo->data_end, geo->meta_start);
	if (geo->data_start < DSFS_DATA_START_MIN || geo->data_start & mask ||
	    geo->data_start > geo->data_end)
		return dsfs_broken(err, "data_start", geo->data_start, geo->data_end);
	return 0;
}

static u64 dsfs_records(const struct dsfs_geo *geo, unsigned int id)
{
	return div_u64(geo->regions[id].bytes, dsfs_record_bytes[id]);
}

static int dsfs_region_decode(const struct dsfs_super *raw, unsigned int id,
			      struct dsfs_geo *geo, struct dsfs_err *err)
{
	const struct dsfs_region *r = &raw->regions[id];
	struct dsfs_region_info *info = &geo->regions[id];
	const u64 start = le64_to_cpu(r->start);
	u64 room;

	info->bytes = le64_to_cpu(r->bytes);
	info->pos = geo->meta_start + start;
	if (!info->bytes && start)
		return dsfs_broken(err, "place of an empty region", id, 0);
	if (!info->bytes)
		return 0;
	if (id >= DSFS_REGIONS_USED)
		return dsfs_broken(err, "unknown region", id, DSFS_REGIONS_USED - 1);
	if (info->bytes > dsfs_region_max(id))
		return dsfs_broken(err, "region length", info->bytes, dsfs_region_max(id));
	if (dsfs_records(geo, id) * dsfs_record_bytes[id] != info->bytes)
		return dsfs_broken(err, "region length against its record size", info->bytes,
				   dsfs_record_bytes[id]);
	if (start & (DSFS_BLOCK_SIZE - 1) || start > geo->meta_bytes)
		return dsfs_broken(err, "start of a region", start, geo->meta_bytes);
	room = geo->meta_bytes - start;
	if (info->bytes > room)
		return dsfs_broken(err, "end of a region", info->bytes, room);
	return 0;
}

static int dsfs_regions_disjoint(const struct dsfs_geo *geo, struct dsfs_err *err)
{
	const struct dsfs_region_info *a, *b;
	unsigned int i, j;

	for (i = 0; i < DSFS_REGIONS_USED; i++) {
		a = &geo->regions[i];
		for (j = 0; j < DSFS_REGIONS_USED; j++) {
			b = &geo->regions[j];
			if (i != j && a->bytes && b->bytes &&
			    a->pos >= b->pos && a->pos < b->pos + b->bytes)
				return dsfs_broken(err, "overlapping regions", i, j);
		}
	}
	return 0;
}

/* A name takes a byte at least: of all names of a block one may have none of its own, see N14. */
static int dsfs_super_inodes(const struct dsfs_geo *geo, struct dsfs_err *err)
{
	u64 most = DSFS_ROOT_INO + 1 + geo->regions[DSFS_REGION_NAMES].bytes;

	if (most > DSFS_MAX_INODES + 1)
		most = DSFS_MAX_INODES + 1;
	if (geo->inodes < DSFS_ROOT_INO + 1)
		return dsfs_broken(err, "number of inodes", geo->inodes, DSFS_ROOT_INO + 1);
	if (geo->inodes > most)
		return dsfs_broken(err, "number of inodes", geo->inodes, most);
	return 0;
}

/* Counts, and rules that relate the lengths of regions */
static int dsfs_super_counts(struct dsfs_geo *geo, struct dsfs_err *err)
{
	const u64 blocks = geo->meta_bytes >> DSFS_BLOCK_BITS;
	const u64 numbers = dsfs_records(geo, DSFS_REGION_NUMBERS);
	u64 want;
	int ret;

	geo->dirs = dsfs_records(geo, DSFS_REGION_DIRS);
	geo->owners = dsfs_records(geo, DSFS_REGION_OWNERS);
	geo->extras = dsfs_records(geo, DSFS_REGION_EXTRAS);
	geo->extents = dsfs_records(geo, DSFS_REGION_EXTENTS);
	geo->buckets = dsfs_records(geo, DSFS_REGION_INDEX);
	geo->chunksums = dsfs_records(geo, DSFS_REGION_CHUNKSUMS);
	geo->units = dsfs_records(geo, DSFS_REGION_UNITS);

	if (dsfs_records(geo, DSFS_REGION_BLOCKSUMS) != blocks)
		return dsfs_broken(err, "metadata block checksums",
				   dsfs_records(geo, DSFS_REGION_BLOCKSUMS), blocks);
	want = (geo->regions[DSFS_REGION_NAMES].bytes + DSFS_BLOCK_SIZE - 1) >> DSFS_BLOCK_BITS;
	if (numbers != want)
		return dsfs_broken(err, "first inode numbers", numbers, want);
	ret = dsfs_super_inodes(geo, err);
	if (ret)
		return ret;
	if (!geo->dirs || geo->dirs >= geo->inodes)
		return dsfs_broken(err, "directory records", geo->dirs, geo->inodes - 1);
	if (!geo->owners)
		return dsfs_broken(err, "owner records", 0, 1);
	if (!geo->chunk_bits && geo->chunksums)
		return dsfs_broken(err, "chunk checksums", geo->chunksums, 0);
	want = geo->regions[DSFS_REGION_HISTORY].bytes;
	if (want && want != DSFS_SB_SIZE)
		return dsfs_broken(err, "history length", want, DSFS_SB_SIZE);
	want = geo->regions[DSFS_REGION_NOTE].bytes;
	if (want && want != sizeof(struct dsfs_note))
		return dsfs_broken(err, "note length", want, sizeof(struct dsfs_note));
	if (!(geo->incompat & DSFS_INCOMPAT_COMPRESSED) && geo->units)
		return dsfs_broken(err, "compressed files without the feature", geo->units, 0);
	return 0;
}

/*
 * i_generation of every inode, part of file handles.
 *
 * File handles must not outlive their generation, because each generation
 * numbers its inodes anew. The low bits are those of the generation number, so
 * that consecutive generations always differ. The high bits are a checksum of
 * the rest of the superblock, that of all metadata included, so that a generation
 * with the same number and other contents differs too, for example after a
 * rollback to a snapshot.
 *
 * The result is never 0, which means "any generation" in a file handle.
 */
static u32 dsfs_igeneration(const struct dsfs_super *raw)
{
	const size_t from = offsetof(struct dsfs_super, version);
	const u32 mask = (1U << DSFS_IGEN_BITS) - 1;
	u32 sum = dsfs_crc32c(0, (const u8 *)raw + from, sizeof(*raw) - from);
	u32 v = (sum & ~mask) | (le64_to_cpu(raw->generation) & mask);

	return v ? v : ~mask;
}

/*
 * dsfs_super_decode - check the 512 bytes of a slot and derive the geometry
 *
 * @device_bytes is the length of the device or file; 0: not checked. The error is one of
 * those on top of format.h.
 */
int dsfs_super_decode(const struct dsfs_super *raw, u64 device_bytes,
		      struct dsfs_geo *geo, struct dsfs_err *err)
{
	unsigned int i;
	int ret;

	memset(geo, 0, sizeof(*geo));
	ret = dsfs_super_identify(raw, err);
	if (!ret)
		ret = dsfs_super_fields(raw, err);
	if (ret)
		return ret;

	geo->compat = le64_to_cpu(raw->compat);
	geo->incompat = le64_to_cpu(raw->incompat);
	geo->generation = le64_to_cpu(raw->generation);
	geo->build_time = le64_to_cpu(raw->build_time);
	geo->image_bytes = le64_to_cpu(raw->image_bytes);
	geo->data_start = le64_to_cpu(raw->data_start);
	geo->data_end = le64_to_cpu(raw->data_end);
	geo->meta_start = le64_to_cpu(raw->meta_start);
	geo->meta_bytes = le64_to_cpu(raw->meta_bytes);
	geo->content_bytes = le64_to_cpu(raw->content_bytes);
	geo->stored_bytes = le64_to_cpu(raw->stored_bytes);
	geo->files = le64_to_cpu(raw->files);
	geo->inodes = le64_to_cpu(raw->inodes);
	geo->align_bits = raw->align_bits;
	geo->chunk_bits = raw->chunk_bits;
	geo->small_bits = raw->small_bits ? raw->small_bits : raw->chunk_bits;
	geo->large_bits = raw->large_bits ? raw->large_bits : raw->chunk_bits;
	geo->object_bits = raw->object_bits;
	geo->sums_checksum = le32_to_cpu(raw->sums_checksum);
	geo->root = raw->root;
	memcpy(geo->uuid, raw->uuid, sizeof(geo->uuid));
	memcpy(geo->label, raw->label, sizeof(raw->label));
	geo->igeneration = dsfs_igeneration(raw);

	ret = dsfs_super_areas(geo, err);
	for (i = 0; !ret && i < DSFS_REGIONS; i++)
		ret = dsfs_region_decode(raw, i, geo, err);
	if (!ret)
		ret = dsfs_regions_disjoint(geo, err);
	if (!ret)
		ret = dsfs_super_counts(geo, err);
	if (!ret && device_bytes && geo->image_bytes > device_bytes)
		ret = dsfs_bad(err, "image longer than the device",
			       geo->image_bytes, device_bytes, -EFBIG);
	return ret;
}

/*
 * dsfs_super_choose - choose the superblock slot to use
 *
 * @use is set to the valid slot with the higher generation, or to -1. A damaged slot is
 * ignored; the caller reports it. A slot with a good checksum, a higher generation and an
 * unknown feature is an error: using the other slot would silently go back to a previous
 * generation.
 *
 * Return: 0; -EUCLEAN if the slots contradict each other; otherwise the errno
 * of the slot with the more specific error.
 */
int dsfs_super_choose(const struct dsfs_slot *slots, int *use, struct dsfs_err *err)
{
	const bool ok[2] = { !slots[0].ret, !slots[1].ret };
	const u64 gen[2] = {
		le64_to_cpu(slots[0].raw.generation),
		le64_to_cpu(slots[1].raw.generation),
	};
	int other;

	if (!ok[0] && !ok[1]) {
		/* Report "not DSFS" only if both slots say so. */
		other = slots[0].ret == -EINVAL && slots[1].ret != -EINVAL;
		*use = -1;
		*err = slots[other].err;
		return slots[other].ret;
	}
	if (ok[0] && ok[1]) {
		*use = gen[1] > gen[0];
		if (gen[0] == gen[1] && memcmp(&slots[0].raw, &slots[1].raw, sizeof(slots[0].raw)))
			return dsfs_broken(err, "superblocks of one generation differ", gen[0],
					   gen[1]);
		return 0;
	}
	*use = ok[1];
	other = !*use;
	if (slots[other].ret == -EOPNOTSUPP && gen[other] > gen[*use]) {
		*err = slots[other].err;
		return -EOPNOTSUPP;
	}
	return 0;
}
