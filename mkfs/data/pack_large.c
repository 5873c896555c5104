// SPDX-License-Identifier: GPL-2.0
/*
 * Compression of large files.  The thread that reads one cuts it into units, of which threads with
 * packers make frames, and stores these in order.  A codec is slower than the thread that reads,
 * decompresses or lists, and one large file would keep a single processor busy.
 *
 * What the file begins with decides about its form (pack.h), so it is compressed first; if that
 * pays, its frames are used.
 */
#include <assert.h>

#include "pack.h"

static_assert(PACK_SAMPLE >> DSFS_UNIT_BITS <= PACK_SLOTS, "a sample has a slot for each unit");

static struct pack_slot *slot_of(struct pack_large *l, u64 unit)
{
	return &l->slots[unit % PACK_SLOTS];
}

/* Called by any thread; the frame is copied, as the next one of its packer overwrites it. */
static void run_unit(struct work_task *task, void *packer)
{
	struct pack_slot *slot = (struct pack_slot *)task;

	slot->len = pack_unit(packer, slot->unit, slot->bytes, &slot->frame);
	slot->failed = packer_failed(packer);
	if (slot->frame != slot->unit)
		slot->frame = memcpy(slot->out, slot->frame, slot->len);
}

static void put_unit(struct pack_large *l, const char *unit, u32 bytes)
{
	struct pack_slot *slot = slot_of(l, l->put++);

	slot->task.run = run_unit;
	slot->unit = unit;
	slot->bytes = bytes;
	work_put(&l->line, &slot->task, l->packer);
}

/* Store the next frame. */
static int take_unit(struct pack_large *l)
{
	struct pack_slot *slot = (struct pack_slot *)work_take(&l->line, l->packer);
	u32 end;
	int ret;

	if (slot->failed)
		return -ENOMEM;
	l->stored += slot->len;
	end = l->stored;
	ret = l->emit(l->ctx, slot->frame, slot->len) ?: array_append(&l->ends, &end);
	work_free(&l->line);
	return ret;
}

static int take_all(struct pack_large *l)
{
	int ret = 0;

	while (!ret && l->line.first)
		ret = take_unit(l);
	return ret;
}

/* Room for units and frames, which files share one after the other. */
static int get_memory(struct pack_large *l)
{
	const size_t unit = DSFS_UNIT_SIZE;

	if (l->memory)
		return 0;
	l->memory = malloc(2 * PACK_SLOTS * unit);
	if (!l->memory)
		return -ENOMEM;
	for (unsigned int i = 0; i < PACK_SLOTS; i++) {
		l->slots[i].own = l->memory + 2 * i * unit;
		l->slots[i].out = l->slots[i].own + unit;
	}
	return 0;
}

/* Compress the sample.  Return: 1: by enough; 0; -ENOMEM. */
static int try_sample(struct pack_large *l, const char *sample, u32 bytes)
{
	const u32 unit = DSFS_UNIT_SIZE, most = pack_most(sample, bytes);
	u64 stored = 0;
	int ret = 0;

	for (u32 at = 0; at < bytes; at += unit)
		put_unit(l, sample + at, bytes - at < unit ? bytes - at : unit);
	for (u64 i = 0; !ret && i < l->put && stored <= most; i++) {
		work_wait(&slot_of(l, i)->task, l->packer);
		ret = slot_of(l, i)->failed ? -ENOMEM : 0;
		stored += slot_of(l, i)->len;
	}
	return ret ? ret : stored <= most;
}

int pack_large_begin(struct pack_large *l, u64 size, const char *sample,
		     int (*emit)(void *ctx, const char *p, u64 bytes), void *ctx)
{
	const u32 bytes = pack_sampled(size);
	int ret;

	l->emit = emit;
	l->ctx = ctx;
	l->put = 0;
	l->held = 0;
	l->stored = 0;
	l->known = bytes;
	if (!pack_quick(l->packer, sample, bytes))
		return packer_failed(l->packer) ? -ENOMEM : 0;
	ret = get_memory(l) ?: try_sample(l, sample, bytes);
	if (ret == 1)
		ret = take_all(l) ?: 1;
	if (ret != 1)
		pack_large_cancel(l);
	return ret;
}

static int end_unit(struct pack_large *l)
{
	const u32 bytes = l->held;

	l->held = 0;
	put_unit(l, slot_of(l, l->put)->own, bytes);
	return work_fits(&l->line, false) ? 0 : take_unit(l);
}

int pack_large_data(struct pack_large *l, const char *p, u64 bytes)
{
	const u64 known = l->known < bytes ? l->known : bytes;
	const u32 unit = DSFS_UNIT_SIZE;
	int ret = 0;
	char *to;
	u64 n;

	l->known -= known;
	bytes -= known;
	p = p ? p + known : NULL;
	for (; !ret && bytes; bytes -= n) {
		n = unit - l->held < bytes ? unit - l->held : bytes;
		to = slot_of(l, l->put)->own + l->held;
		if (p)
			memcpy(to, p, n);
		else
			memset(to, 0, n);
		p = p ? p + n : NULL;
		l->held += n;
		if (l->held == unit)
			ret = end_unit(l);
	}
	return ret;
}

int pack_large_end(struct pack_large *l, struct item *it)
{
	int ret = l->held ? end_unit(l) : 0;

	ret = ret ?: take_all(l);
	if (ret)
		return ret;
	it->stored = l->stored;
	it->packed = true;
	it->ends = l->ends.p;
	it->nends = l->ends.n;
	l->ends = (struct array){ .size = sizeof(u32) };
	return 0;
}

void pack_large_cancel(struct pack_large *l)
{
	work_line_clear(&l->line);
	array_free(&l->ends);
}

void pack_large_init(struct pack_large *l, struct work *pool, struct packer *packer)
{
	*l = (struct pack_large){
		.line = { .work = pool, .room = PACK_SLOTS }, .packer = packer,
		.ends.size = sizeof(u32),
	};
	work_line_init(&l->line);
}

void pack_large_free(struct pack_large *l)
{
	pack_large_cancel(l);
	work_line_free(&l->line);
	free(l->memory);
}
