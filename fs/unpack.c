// SPDX-License-Identifier: GPL-2.0
/*
 * Unpacking of compressed files.
 *
 * The stored data of a read is in one buffer and verified when it gets here. Each
 * unit is unpacked by itself: straight into its folio where that has all of it,
 * which most have, otherwise into another buffer, from which it is copied.
 * Whoever finishes the read unpacks: its reader, or the worker of readahead.
 *
 * A frame costs bounded time and memory, whatever is in it: its unit has at most
 * 256 KiB and 256 times its length, and the workspace of the decoder does not
 * depend on the frame, as a unit is unpacked in one piece.
 *
 * What that takes is allocated by the first mount with compressed files, for
 * each CPU, and shared by all mounts, so unpacking allocates nothing. A task that
 * finds no decoder waits for another one, which waits for nothing. A read that finds
 * no buffer for its stored data allocates one, as it does for more than a buffer has.
 */
#include "unpack.h"
#include "trace.h"

#include <linux/highmem.h>
#include <linux/lz4.h>
#include <linux/mm.h>
#include <linux/zstd.h>

#define DSFS_UNIT_MAX	BIT(DSFS_UNIT_BITS_MAX)

/* Buffers for stored data, of DSFS_UNIT_MAX bytes, for each CPU: reads are on their way, too */
#define DSFS_BUFFERS	2

/* Byte of a zstd frame that says which fields it has, and its bits for a content size */
#define DSFS_ZSTD_FIELDS	4
#define DSFS_ZSTD_SIZE		0xe0

/**
 * struct dsfs_unpacker - what one task needs to unpack
 * @list: in dsfs_unpackers, while it is not used
 * @zstd: decoder, in @workspace
 * @workspace: memory of the decoder
 * @unit: a unit that lies in several folios
 */
struct dsfs_unpacker {
	struct list_head list;
	zstd_dctx *zstd;
	void *workspace;
	u8 *unit;
};

/* Both lists have what is not used; a buffer begins with its list_head then. */
static LIST_HEAD(dsfs_unpackers);
static LIST_HEAD(dsfs_buffers);
static DEFINE_SPINLOCK(dsfs_unpackers_lock);
static DECLARE_WAIT_QUEUE_HEAD(dsfs_unpackers_wait);
/* Mounts with compressed files, and the lock of making and freeing unpackers */
static unsigned int dsfs_unpack_mounts;
static DEFINE_MUTEX(dsfs_unpack_mutex);

static void dsfs_unpacker_free(struct dsfs_unpacker *u)
{
	if (!u)
		return;
	kvfree(u->workspace);
	kvfree(u->unit);
	kfree(u);
}

static struct dsfs_unpacker *dsfs_unpacker_alloc(void)
{
	const size_t bytes = zstd_dctx_workspace_bound();
	struct dsfs_unpacker *u = kzalloc_obj(*u);

	if (!u)
		return NULL;
	u->workspace = kvmalloc(bytes, GFP_KERNEL);
	u->unit = kvmalloc(DSFS_UNIT_MAX, GFP_KERNEL);
	if (u->workspace)
		u->zstd = zstd_init_dctx(u->workspace, bytes);
	if (u->zstd && u->unit)
		return u;
	dsfs_unpacker_free(u);
	return NULL;
}

static void dsfs_unpackers_free(void)
{
	struct dsfs_unpacker *u, *next;
	struct list_head *buffer, *after;

	list_for_each_entry_safe(u, next, &dsfs_unpackers, list)
		dsfs_unpacker_free(u);
	list_for_each_safe(buffer, after, &dsfs_buffers)
		kvfree(buffer);
	INIT_LIST_HEAD(&dsfs_unpackers);
	INIT_LIST_HEAD(&dsfs_buffers);
}

static int dsfs_unpackers_alloc(void)
{
	unsigned int i, cpus = num_online_cpus();
	struct list_head *buffer;
	struct dsfs_unpacker *u;

	for (i = 0; i < cpus; i++) {
		u = dsfs_unpacker_alloc();
		if (!u)
			goto fail;
		list_add(&u->list, &dsfs_unpackers);
	}
	for (i = 0; i < cpus * DSFS_BUFFERS; i++) {
		buffer = kvmalloc(DSFS_UNIT_MAX, GFP_KERNEL);
		if (!buffer)
			goto fail;
		list_add(buffer, &dsfs_buffers);
	}
	return 0;
fail:
	dsfs_unpackers_free();
	return -ENOMEM;
}

static bool dsfs_unpacks(const struct super_block *sb)
{
	return dsfs_geo(sb)->incompat & DSFS_INCOMPAT_COMPRESSED;
}

/* dsfs_unpack_init - make what unpacks, for the first mount with compressed files */
int dsfs_unpack_init(struct super_block *sb, struct fs_context *fc)
{
	int ret = 0;

	if (!dsfs_unpacks(sb))
		return 0;
	mutex_lock(&dsfs_unpack_mutex);
	if (!dsfs_unpack_mounts)
		ret = dsfs_unpackers_alloc();
	if (!ret) {
		dsfs_unpack_mounts++;
		DSFS_SB(sb)->unpacks = true;
	}
	mutex_unlock(&dsfs_unpack_mutex);
	if (ret)
		dsfs_fc_error(fc, sb, "memory to unpack compressed files: error %ld", (long)ret);
	return ret;
}

/* dsfs_unpack_exit - undo dsfs_unpack_init(), when there are no reads any more */
void dsfs_unpack_exit(struct super_block *sb)
{
	if (!DSFS_SB(sb)->unpacks)
		return;
	DSFS_SB(sb)->unpacks = false;
	mutex_lock(&dsfs_unpack_mutex);
	if (!--dsfs_unpack_mounts)
		dsfs_unpackers_free();
	mutex_unlock(&dsfs_unpack_mutex);
}

static struct dsfs_unpacker *dsfs_unpacker_try(void)
{
	struct dsfs_unpacker *u;

	spin_lock(&dsfs_unpackers_lock);
	u = list_first_entry_or_null(&dsfs_unpackers, struct dsfs_unpacker, list);
	if (u)
		list_del(&u->list);
	spin_unlock(&dsfs_unpackers_lock);
	return u;
}

/* The one that was used last is used first: the caches of a CPU still have it. */
static struct dsfs_unpacker *dsfs_unpacker_get(void)
{
	struct dsfs_unpacker *u;

	wait_event(dsfs_unpackers_wait, (u = dsfs_unpacker_try()));
	return u;
}

static void dsfs_unpacker_put(struct dsfs_unpacker *u)
{
	spin_lock(&dsfs_unpackers_lock);
	list_add(&u->list, &dsfs_unpackers);
	spin_unlock(&dsfs_unpackers_lock);
	wake_up(&dsfs_unpackers_wait);
}

/*
 * dsfs_frames_get - look up the frames of the units of a read, up to @end of the file
 *
 * Sets the range of stored data to read.
 */
int dsfs_frames_get(struct dsfs_read *rd, u64 end, gfp_t gfp, struct dsfs_err *err)
{
	struct dsfs_source *src = dsfs_src(rd->inode->i_sb);
	struct dsfs_compressed_info info;
	struct dsfs_frames *f;
	u64 first, last;
	unsigned int i;
	u32 from;
	int ret;

	ret = dsfs_compressed_get(src, &rd->attr, &info, err);
	if (ret)
		return ret;
	first = rd->pos >> info.unit_bits;
	last = (end - 1) >> info.unit_bits;
	f = kvmalloc(struct_size(f, at, last - first + 2), gfp);
	if (!f)
		return -ENOMEM;
	rd->frames = f;
	f->data = NULL;
	f->shared = false;
	f->info = info;
	f->first = first;
	f->units = last - first + 1;
	for (i = 0; i < f->units; i++) {
		ret = dsfs_units_get(src, &rd->attr, &info, first + i, &from, &f->at[i + 1], err);
		if (ret)
			return ret;
		if (!i)
			f->at[0] = from;
		/* The same field, read again: from a device that may say something else now. */
		if (from != f->at[i])
			return dsfs_broken(err, "end of a frame", from, f->at[i]);
	}
	rd->stored = info.stored;
	rd->from = f->at[0];
	rd->to = f->at[f->units];
	return 0;
}

static void *dsfs_buffer_try(void)
{
	struct list_head *buffer = NULL;

	spin_lock(&dsfs_unpackers_lock);
	if (!list_empty(&dsfs_buffers)) {
		buffer = dsfs_buffers.next;
		list_del(buffer);
	}
	spin_unlock(&dsfs_unpackers_lock);
	return buffer;
}

/*
 * dsfs_frames_buffer - get @pages pages for the stored data of a read
 *
 * They are adjacent, so that a frame is in one piece, whatever pages it begins in.
 * Those of dsfs_buffers cost neither an allocation nor their clearing.
 */
int dsfs_frames_buffer(struct dsfs_read *rd, unsigned int pages, gfp_t gfp)
{
	const size_t bytes = (size_t)pages << PAGE_SHIFT;
	struct dsfs_frames *f = rd->frames;
	unsigned int i;

	if (bytes <= DSFS_UNIT_MAX)
		f->data = dsfs_buffer_try();
	f->shared = f->data;
	if (!f->data)
		f->data = kvmalloc(bytes, gfp);
	if (!f->data)
		return -ENOMEM;
	for (i = 0; i < pages; i++)
		rd->bounce[i] = is_vmalloc_addr(f->data) ?
				vmalloc_to_page(f->data + i * PAGE_SIZE) :
				virt_to_page(f->data + i * PAGE_SIZE);
	return 0;
}

/* dsfs_frames_free - free what dsfs_frames_get() and dsfs_frames_buffer() got */
void dsfs_frames_free(struct dsfs_frames *f)
{
	if (f->shared) {
		spin_lock(&dsfs_unpackers_lock);
		list_add(f->data, &dsfs_buffers);
		spin_unlock(&dsfs_unpackers_lock);
	} else {
		kvfree(f->data);
	}
	kvfree(f);
}

/* One frame, which says how much it has, as the format has it */
static bool dsfs_unpack_zstd(const struct dsfs_unpacker *u, void *to, u32 bytes,
			     const u8 *frame, u32 len)
{
	return len > DSFS_ZSTD_FIELDS && frame[DSFS_ZSTD_FIELDS] & DSFS_ZSTD_SIZE &&
	       zstd_find_frame_compressed_size(frame, len) == len &&
	       zstd_decompress_dctx(u->zstd, to, bytes, frame, len) == bytes;
}

/* Unpack a frame of @len bytes to @to. False if its content has not @bytes bytes. */
static bool dsfs_frame_unpack(const struct dsfs_unpacker *u, u8 codec, void *to,
			      u32 bytes, const void *frame, u32 len)
{
	if (len == bytes) {
		memcpy(to, frame, bytes);
		return true;
	}
	if (codec == DSFS_CODEC_LZ4)
		return LZ4_decompress_safe(frame, to, len, bytes) == (int)bytes;
	return dsfs_unpack_zstd(u, to, bytes, frame, len);
}

/* The folio that has all of [pos, end), mapped as a whole; or NULL */
static struct folio *dsfs_folio_of(const struct dsfs_read *rd, u64 pos, u64 end)
{
	struct folio *folio;
	unsigned int i;

	for (i = 0; i < rd->nr_folios; i++) {
		folio = rd->folios[i];
		if (folio_pos(folio) <= pos && end <= folio_pos(folio) + folio_size(folio))
			return PageHighMem(&folio->page) ? NULL : folio;
	}
	return NULL;
}

static void dsfs_folio_write(struct folio *folio, size_t off, const u8 *from, size_t len)
{
	size_t n;

	for (; len; len -= n, off += n, from += n) {
		n = min_t(size_t, len, PAGE_SIZE - offset_in_page(off));
		memcpy_to_page(folio_page(folio, off >> PAGE_SHIFT), offset_in_page(off), from,
			       n);
	}
}

/* Copy [pos, end), which is in @from, to the folios that have a part of it. */
static void dsfs_unit_copy(struct dsfs_read *rd, const u8 *from, u64 pos, u64 end)
{
	struct folio *folio;
	unsigned int i;
	u64 lo, hi;

	for (i = 0; i < rd->nr_folios; i++) {
		folio = rd->folios[i];
		lo = max_t(u64, pos, folio_pos(folio));
		hi = min_t(u64, end, folio_pos(folio) + folio_size(folio));
		if (lo < hi)
			dsfs_folio_write(folio, lo - folio_pos(folio), from + (lo - pos),
					 hi - lo);
	}
}

static void dsfs_frame_broken(struct dsfs_read *rd, unsigned int i, u32 bytes)
{
	const struct dsfs_frames *f = rd->frames;
	struct super_block *sb = rd->inode->i_sb;

	dsfs_read_mark_bad(rd, f->at[i], f->at[i + 1], -EUCLEAN);
	if (!rd->wanted)
		return;
	atomic64_inc(&DSFS_SB(sb)->struct_errors);
	dsfs_error_limited(sb, DSFS_LIMIT_DATA,
			   "inode %u: frame at %u to %u of its data: does not unpack to %u bytes",
			   rd->attr.ino, f->at[i], f->at[i + 1], bytes);
}

/* dsfs_frames_unpack - fill the folios of a read; bad frames are marked bad */
void dsfs_frames_unpack(struct dsfs_read *rd)
{
	const struct dsfs_frames *f = rd->frames;
	struct dsfs_unpacker *u = dsfs_unpacker_get();
	struct folio *folio;
	const void *frame;
	unsigned int i;
	u32 bytes;
	void *to;
	u64 pos;

	if (is_vmalloc_addr(f->data))
		invalidate_kernel_vmap_range(f->data, rd->dev_end - rd->dev);
	for (i = 0; i < f->units; i++) {
		if (dsfs_range_bad(rd, f->at[i], f->at[i + 1]))
			continue;
		pos = (f->first + i) << f->info.unit_bits;
		bytes = dsfs_unit_bytes(&rd->attr, &f->info, f->first + i);
		folio = dsfs_folio_of(rd, pos, pos + bytes);
		to = folio ? folio_address(folio) + offset_in_folio(folio, pos) : u->unit;
		/* The buffer begins with the byte at @rd->dev. */
		frame = f->data + (rd->attr.start + f->at[i] - rd->dev);
		if (!dsfs_frame_unpack(u, f->info.codec, to, bytes, frame,
				       f->at[i + 1] - f->at[i]))
			dsfs_frame_broken(rd, i, bytes);
		else if (!folio)
			dsfs_unit_copy(rd, u->unit, pos, pos + bytes);
		cond_resched();
	}
	dsfs_unpacker_put(u);
}

/* dsfs_frames_bad - true if a part of the file's range [from, to) could not be had */
bool dsfs_frames_bad(const struct dsfs_read *rd, u64 from, u64 to)
{
	const struct dsfs_frames *f = rd->frames;
	unsigned int first, last;

	if (from >= to)
		return false;
	first = (from >> f->info.unit_bits) - f->first;
	last = ((to - 1) >> f->info.unit_bits) - f->first;
	return dsfs_range_bad(rd, f->at[first], f->at[last + 1]);
}
