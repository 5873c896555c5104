// SPDX-License-Identifier: GPL-2.0
/*
 * An image as a whole: its bytes, its superblock slots, its generations and the checksums of
 * its regions.
 */
#include "image.h"

/* BLOCKSUMS is read in steps of this many bytes. */
#define SUMS_STEP	1048576

static const char * const region_names[DSFS_REGIONS_USED] = {
	[DSFS_REGION_BLOCKSUMS]	= "blocksums",
	[DSFS_REGION_DIRS]	= "dirs",
	[DSFS_REGION_NAMES]	= "names",
	[DSFS_REGION_INDEX]	= "index",
	[DSFS_REGION_OWNERS]	= "owners",
	[DSFS_REGION_EXTRAS]	= "extras",
	[DSFS_REGION_SYMLINKS]	= "symlinks",
	[DSFS_REGION_XATTRS]	= "xattrs",
	[DSFS_REGION_EXTENTS]	= "extents",
	[DSFS_REGION_CHUNKSUMS]	= "chunksums",
	[DSFS_REGION_UNITS]	= "units",
	[DSFS_REGION_HISTORY]	= "history",
	[DSFS_REGION_NUMBERS]	= "numbers",
	[DSFS_REGION_NOTE]	= "note",
};

const char *region_name(unsigned int id)
{
	return id < DSFS_REGIONS_USED ? region_names[id] : "unknown";
}

unsigned int region_record(unsigned int id)
{
	return id < DSFS_REGIONS_USED ? dsfs_record_bytes[id] : 1;
}

void image_close(struct image *img)
{
	if (img->reader)
		img->reader->ops->close(img->reader);
	img->reader = NULL;
}

int image_preadv(const struct image *img, const struct iovec *iov, int n, size_t len,
		 u64 pos, unsigned int flags)
{
	return img->reader->ops->read(img->reader, iov, n, len, img->start + pos, flags);
}

int image_pread(const struct image *img, void *buf, size_t len, u64 pos)
{
	const struct iovec iov = { buf, len };

	return image_preadv(img, &iov, 1, len, pos, 0);
}

void image_ahead(const struct image *img, u64 pos, u64 len)
{
	if (img->reader->ops->ahead)
		img->reader->ops->ahead(img->reader, img->start + pos, len);
}

void image_drop(const struct image *img, u64 pos, u64 len)
{
	if (img->reader->ops->drop)
		img->reader->ops->drop(img->reader, img->start + pos, len);
}

bool image_has(const struct image *img, u64 pos)
{
	return img->reader->ops->has && img->reader->ops->has(img->reader, img->start + pos);
}

u64 image_next_data(const struct image *img, u64 pos)
{
	u64 data;

	if (!img->reader->ops->next_data)
		return pos;
	data = img->reader->ops->next_data(img->reader, img->start + pos);
	return data == UINT64_MAX ? data : data - img->start;
}

static int decode_slot(struct image *img, int i, unsigned int flags)
{
	struct dsfs_slot *slot = &img->slots[i];
	const struct iovec iov = { &slot->raw, sizeof(slot->raw) };

	return image_preadv(img, &iov, 1, iov.iov_len, DSFS_SB_POS(i), flags) ?:
	       dsfs_super_decode(&slot->raw, img->bytes, &slot->geo, &slot->err);
}

static void image_read_slot(struct image *img, int i)
{
	struct dsfs_slot *slot = &img->slots[i];

	if (img->bytes < DSFS_SB_POS(i) + DSFS_SB_SIZE) {
		slot->ret = dsfs_bad(&slot->err, "length", img->bytes,
				     DSFS_SB_POS(i) + DSFS_SB_SIZE, -EINVAL);
		return;
	}
	slot->ret = decode_slot(img, i, 0);
	if ((slot->ret == -EBADMSG || slot->ret == -EINVAL) && image_again(img))
		slot->ret = decode_slot(img, i, READ_AGAIN);
}

void image_load(struct image *img)
{
	for (int i = 0; i < DSFS_SB_SLOTS; i++)
		image_read_slot(img, i);
	/* What keeps a kernel from mounting does not keep a tool from looking. */
	img->ret = dsfs_super_choose(img->slots, &img->use, &img->err);
	if (img->use >= 0)
		img->geo = &img->slots[img->use].geo;
}

static int read_super(void *arg, u64 pos, struct dsfs_super *raw)
{
	return image_pread(arg, raw, sizeof(*raw), pos);
}

int image_older(const struct image *img, const struct dsfs_geo *geo, struct dsfs_slot *older)
{
	return dsfs_history_next(geo, img->bytes, read_super, (void *)img, older);
}

int image_use_generation(struct image *img, u64 generation)
{
	int ret = dsfs_history_find(&img->slots[img->use], generation,
				    img->bytes, read_super, img, &img->older);

	if (!ret)
		img->geo = &img->older.geo;
	return ret;
}

bool image_is_short(const struct image *img)
{
	const struct dsfs_slot *s = img->slots;

	return s[0].ret == -EFBIG &&
	       (s[1].ret == -EFBIG ? s[0].err.value == s[1].err.value :
		img->bytes < DSFS_SB_POS(1) + DSFS_SB_SIZE);
}

bool image_is_foreign(const struct image *img)
{
	for (int i = 0; i < DSFS_SB_SLOTS; i++)
		if (img->slots[i].ret != -EINVAL)
			return false;
	return true;
}

int image_sums(const struct image *img, u32 *sum)
{
	const struct dsfs_region_info *r = &img->geo->regions[DSFS_REGION_BLOCKSUMS];
	u64 pos = r->pos, left = (r->bytes + DSFS_BLOCK_SIZE - 1) & ~(DSFS_BLOCK_SIZE - 1ULL);
	int ret = 0;
	u8 *buf = malloc(left < SUMS_STEP ? left : SUMS_STEP);

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
