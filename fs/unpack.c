// SPDX-License-Identifier: GPL-2.0
/*
 * Unpacking of compressed files.
 *
 * The stored data of a read is in one buffer and verified when it gets here. Each
 * unit is unpacked by itself: straight into its folio where that has all of it,
 * otherwise into another buffer, from which it is copied. A frame costs bounded time and
 * memory, whatever is in it (design.rst).
 *
 * What that takes are buffers of one size, of all mounts. One that is free is used again,
 * which costs neither an allocation nor its clearing; otherwise one is allocated. So nobody
 * waits for a buffer of somebody else, who may get no processor time. A completion that gets
 * none leaves its folios to reads of one each, which get theirs before they are sent.
 */
#include "unpack.h"
#include "trace.h"

#include <linux/highmem.h>
#include <linux/lz4.h>
#include <linux/mm.h>
#include <linux/zstd.h>

#define DSFS_BUFFER	SZ_256K	/* the stored data of most reads */

/* Byte of a zstd frame that says which fields it has, and its bits for a content size */
#define DSFS_ZSTD_FIELDS	4
#define DSFS_ZSTD_SIZE		0xe0

/* Free buffers, each of which begins with its list_head */
static LIST_HEAD(dsfs_buffers);
static DEFINE_SPINLOCK(dsfs_buffers_lock);

/*
 * Get a buffer, with @gfp 0 a free one; or NULL. The free one that was used last is in the
 * caches of a CPU.
 */
static void *dsfs_buffer_get(gfp_t gfp)
{
	struct list_head *buffer;

	spin_lock(&dsfs_buffers_lock);
	buffer = list_empty(&dsfs_buffers) ? NULL : dsfs_buffers.next;
	if (buffer)
		list_del(buffer);
	spin_unlock(&dsfs_buffers_lock);
	if (buffer || !gfp)
		return buffer;
	return kvmalloc(max_t(size_t, DSFS_BUFFER, zstd_dctx_workspace_bound()), gfp);
}

static void dsfs_buffers_trim(struct work_struct *work)
{
	void *buffer;

	while ((buffer = dsfs_buffer_get(0)))
		kvfree(buffer);
}

static DECLARE_DELAYED_WORK(dsfs_buffers_work, dsfs_buffers_trim);

/* Give a buffer back. Those that are free are freed once a second. */
static void dsfs_buffer_put(struct list_head *buffer)
{
	if (!buffer)
		return;
	spin_lock(&dsfs_buffers_lock);
	list_add(buffer, &dsfs_buffers);
	spin_unlock(&dsfs_buffers_lock);
	schedule_delayed_work(&dsfs_buffers_work, HZ);
}

/* dsfs_unpack_free - free all buffers, when no mounts are left */
void dsfs_unpack_free(void)
{
	cancel_delayed_work_sync(&dsfs_buffers_work);
	dsfs_buffers_trim(NULL);
}

/*
 * dsfs_unpack_stock - have two free buffers, for a task that is about to unpack and must not
 * wait then
 */
void dsfs_unpack_stock(void)
{
	const gfp_t gfp = GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN;
	void *one = dsfs_buffer_get(gfp), *two = dsfs_buffer_get(gfp);

	dsfs_buffer_put(one);
	dsfs_buffer_put(two);
}

/* Get what it takes to unpack besides the stored data. False without memory. */
static bool dsfs_frames_ready(struct dsfs_frames *f, gfp_t gfp)
{
	f->workspace = f->workspace ? : dsfs_buffer_get(gfp);
	f->unit = f->unit ? : dsfs_buffer_get(gfp);
	return f->workspace && f->unit;
}

/*
 * dsfs_frames_get - look up the frames of the units of a read, up to @end of the file
 *
 * Sets the range of stored data to read.
 */
int dsfs_frames_get(struct dsfs_read *rd, u64 end, struct dsfs_err *err)
{
	const u64 first = rd->pos >> DSFS_UNIT_BITS, last = (end - 1) >> DSFS_UNIT_BITS;
	struct dsfs_source *src = dsfs_src(rd->inode->i_sb);
	struct dsfs_frames *f;
	unsigned int i;
	u32 from;
	int ret;

	f = kvzalloc(struct_size(f, at, last - first + 2), rd->gfp);
	if (!f)
		return -ENOMEM;
	rd->frames = f;
	f->first = first;
	f->units = last - first + 1;
	for (i = 0; i < f->units; i++) {
		ret = dsfs_units_get(src, &rd->attr, first + i, &from, &f->at[i + 1], err);
		if (ret)
			return ret;
		if (!i)
			f->at[0] = from;
		/* The same field, read again: from a device that may say something else now. */
		if (from != f->at[i])
			return dsfs_broken(err, "end of a frame", from, f->at[i]);
	}
	rd->stored = rd->attr.stored;
	rd->from = f->at[0];
	rd->to = f->at[f->units];
	return 0;
}

/*
 * dsfs_frames_buffer - get @pages pages for the stored data of a read
 *
 * They are adjacent, so that a frame is in one piece, whatever pages it begins in. A read of
 * one folio, after which there is no other, also gets what unpacks it.
 */
int dsfs_frames_buffer(struct dsfs_read *rd, unsigned int pages)
{
	const size_t bytes = (size_t)pages << PAGE_SHIFT;
	struct dsfs_frames *f = rd->frames;
	unsigned int i;

	if (bytes <= DSFS_BUFFER)
		f->data = dsfs_buffer_get(0);
	f->shared = f->data;
	if (!f->data)
		f->data = kvmalloc(bytes, rd->gfp);
	if (!f->data || (rd->wanted && !dsfs_frames_ready(f, rd->gfp)))
		return -ENOMEM;
	for (i = 0; i < pages; i++)
		rd->bounce[i] = is_vmalloc_addr(f->data) ?
				vmalloc_to_page(f->data + i * PAGE_SIZE) :
				virt_to_page(f->data + i * PAGE_SIZE);
	return 0;
}

/* dsfs_frames_free - free what a read has of a compressed file */
void dsfs_frames_free(struct dsfs_frames *f)
{
	dsfs_buffer_put(f->workspace);
	dsfs_buffer_put(f->unit);
	if (f->shared)
		dsfs_buffer_put(f->data);
	else
		kvfree(f->data);
	kvfree(f);
}

/* One frame, which says how much it has, as the format has it */
static bool dsfs_unpack_zstd(zstd_dctx *zstd, void *to, u32 bytes, const u8 *frame, u32 len)
{
	return zstd && len > DSFS_ZSTD_FIELDS && frame[DSFS_ZSTD_FIELDS] & DSFS_ZSTD_SIZE &&
	       zstd_find_frame_compressed_size(frame, len) == len &&
	       zstd_decompress_dctx(zstd, to, bytes, frame, len) == bytes;
}

/* Unpack a frame of @len bytes to @to. False if its content has not @bytes bytes. */
static bool dsfs_frame_unpack(zstd_dctx *zstd, u16 flags, void *to, u32 bytes,
			      const void *frame, u32 len)
{
	if (len == bytes) {
		memcpy(to, frame, bytes);
		return true;
	}
	if (flags & DSFS_INODE_LZ4)
		return LZ4_decompress_safe(frame, to, len, bytes) == (int)bytes;
	return dsfs_unpack_zstd(zstd, to, bytes, frame, len);
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

/* Copy [pos, end), which is in @from, to the folios that have a part of it. */
static void dsfs_unit_copy(struct dsfs_read *rd, const u8 *from, u64 pos, u64 end)
{
	struct folio *folio;
	size_t off, n;
	unsigned int i;

	from += max(rd->pos, pos) - pos;
	pos = max(rd->pos, pos);
	for (i = 0; i < rd->nr_folios; i++) {
		folio = rd->folios[i];
		for (; pos < end && folio_contains(folio, pos >> PAGE_SHIFT); pos += n, from += n) {
			off = offset_in_folio(folio, pos);
			n = min_t(u64, end - pos, PAGE_SIZE - offset_in_page(off));
			memcpy_to_page(folio_page(folio, off >> PAGE_SHIFT), offset_in_page(off),
				       from, n);
		}
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

static void dsfs_unit_unpack(struct dsfs_read *rd, unsigned int i, zstd_dctx *zstd)
{
	const struct dsfs_frames *f = rd->frames;
	const u32 bytes = dsfs_unit_bytes(&rd->attr, f->first + i);
	const u64 pos = (f->first + i) << DSFS_UNIT_BITS;
	struct folio *folio = dsfs_folio_of(rd, pos, pos + bytes);
	void *to = folio ? folio_address(folio) + offset_in_folio(folio, pos) : f->unit;
	/* The buffer begins with the byte at @rd->dev. */
	const void *frame = f->data + (rd->attr.start + f->at[i] - rd->dev);

	if (!dsfs_frame_unpack(zstd, rd->attr.flags, to, bytes, frame, f->at[i + 1] - f->at[i]))
		dsfs_frame_broken(rd, i, bytes);
	else if (!folio)
		dsfs_unit_copy(rd, f->unit, pos, pos + bytes);
}

/*
 * dsfs_frames_unpack - fill the folios of a read; bad frames are marked bad
 *
 * Return: false if a worker has to go on: see complete.c. A task, which has no free buffer or has
 * to give way, does not wait; nor is it stopped within a unit, which takes less than a millisecond.
 */
bool dsfs_frames_unpack(struct dsfs_read *rd)
{
	struct dsfs_frames *f = rd->frames;
	zstd_dctx *zstd;

	/* The folios are locked, so reclaim must not wait for them. */
	if (!dsfs_frames_ready(f, rd->own ? 0 : GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN)) {
		if (!rd->own)
			dsfs_read_mark_bad(rd, 0, U64_MAX, -ENOMEM);
		return !rd->own;
	}
	zstd = zstd_init_dctx(f->workspace, zstd_dctx_workspace_bound());
	if (is_vmalloc_addr(f->data))
		invalidate_kernel_vmap_range(f->data, rd->dev_end - rd->dev);
	for (; f->done < f->units && !dsfs_read_gives_way(rd); f->done++)
		if (!dsfs_range_bad(rd, f->at[f->done], f->at[f->done + 1]))
			dsfs_unit_unpack(rd, f->done, zstd);
	return f->done == f->units;
}

/* dsfs_frames_bad - true if a part of the file's range [from, to) could not be had */
bool dsfs_frames_bad(const struct dsfs_read *rd, u64 from, u64 to)
{
	const struct dsfs_frames *f = rd->frames;
	unsigned int first, last;

	if (from >= to)
		return false;
	first = (from >> DSFS_UNIT_BITS) - f->first;
	last = ((to - 1) >> DSFS_UNIT_BITS) - f->first;
	return dsfs_range_bad(rd, f->at[first], f->at[last + 1]);
}
