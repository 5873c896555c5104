// SPDX-License-Identifier: GPL-2.0
/*
 * The policy of the epoch cache: is a file that is read from the device to stay?
 *
 * If there is room, yes; if not, files that the job has gone on from may have to make
 * way.  What else memory is full of is found out by trying; see cache.c.
 */
#include "cache.h"
#include "stats.h"

#include <linux/math64.h>
#include <linux/pagemap.h>

/* Parts of what is missed in which ours were lost, one after the other: it is not chance. */
#define DSFS_PRESSED_MAX	4

/* Inode numbers that one admission looks at for stale files, at most */
#define DSFS_HAND_MAX		64

/*
 * How long it takes to come back to a file.  Between two readings of a file in shuffled
 * epochs lie up to two epochs.
 */
static unsigned long dsfs_cache_span(struct dsfs_cache *cache)
{
	return max(READ_ONCE(cache->span[0]), READ_ONCE(cache->span[1]));
}

/**
 * dsfs_span_seen - a file was opened again
 * @cache: the epoch cache
 * @span: after that many opens
 */
void dsfs_span_seen(struct dsfs_cache *cache, unsigned long span)
{
	if (span > READ_ONCE(cache->span[1]))
		WRITE_ONCE(cache->span[1], span);
}

/* A maximum over the last one to two windows, each as long as the last maximum */
static void dsfs_span_turn(struct dsfs_cache *cache, unsigned long now)
{
	if (dsfs_time_since(cache->span_end, now) == 0)
		return;
	WRITE_ONCE(cache->span[0], cache->span[1]);
	WRITE_ONCE(cache->span[1], 0);
	cache->span_end = (now + max(cache->span[0], DSFS_SPAN_MIN)) & DSFS_TIME_MASK;
}

static void dsfs_cache_enter(struct dsfs_cache *cache, enum dsfs_cache_mode mode,
			     unsigned long until)
{
	cache->mode = mode;
	cache->until = until & DSFS_TIME_MASK;
	cache->in = 0;
	cache->out = 0;
}

/* When to try again what failed: after an epoch, then two, four, eight. */
static unsigned long dsfs_cache_later(struct dsfs_cache *cache, unsigned long now)
{
	unsigned long span = dsfs_cache_span(cache);

	/* Before the first epoch is over: as if it were one of all files. */
	if (!span)
		span = min_t(u64, dsfs_geo(cache->sb)->inodes, DSFS_TIME_MASK >> 5);
	return now + (max(span, DSFS_SPAN_MIN) << min(cache->fails, 3U));
}

/* Reclaim takes the coldest pages; are these ours? */
static void dsfs_cache_judge_trial(struct dsfs_cache *cache, unsigned long now)
{
	if (cache->in < dsfs_trial_pages())
		return;
	if (cache->out * 2 > cache->in) {
		dsfs_cache_enter(cache, DSFS_CACHE_HOLD, dsfs_cache_later(cache, now));
		cache->fails++;
	} else if (dsfs_other_pages() < dsfs_trial_pages()) {
		dsfs_cache_enter(cache, DSFS_CACHE_HOLD, now);
		cache->fails = 0;
	} else {
		dsfs_cache_enter(cache, DSFS_CACHE_TRIAL, now);
		cache->fails = 0;
	}
}

/* Does somebody else take our pages, or may others' be had? */
static void dsfs_cache_judge_hold(struct dsfs_cache *cache, unsigned long now,
				  bool room)
{
	const unsigned long part = dsfs_trial_pages();
	const bool due = dsfs_time_since(cache->until, now) > 0;

	if (!room && due && dsfs_other_pages() > 2 * part) {
		dsfs_cache_enter(cache, DSFS_CACHE_TRIAL, now);
		return;
	}
	if (cache->in < 2 * part)
		return;
	cache->pressed = cache->out > cache->in / 32 ? cache->pressed + 1 : 0;
	cache->in = 0;
	cache->out = 0;
	/* Who takes memory for himself is no reader, and gets it. */
	if (cache->pressed < DSFS_PRESSED_MAX || dsfs_foreign_pages() < part)
		return;
	dsfs_cache_enter(cache, DSFS_CACHE_COMPETE, dsfs_cache_later(cache, now));
	cache->fails++;
	cache->pressed = 0;
}

static void dsfs_cache_judge(struct dsfs_cache *cache, unsigned long now, bool room)
{
	switch (cache->mode) {
	case DSFS_CACHE_HOLD:
		dsfs_cache_judge_hold(cache, now, room);
		break;
	case DSFS_CACHE_TRIAL:
		dsfs_cache_judge_trial(cache, now);
		break;
	case DSFS_CACHE_COMPETE:
		if (dsfs_time_since(cache->until, now) > 0)
			dsfs_cache_enter(cache, DSFS_CACHE_HOLD, cache->until);
	}
}

/* Narrow the margin: to a third in a quarter of the time that it takes to come back. */
static void dsfs_margin_narrow(struct dsfs_cache *cache, unsigned long now)
{
	const unsigned long span = max(dsfs_cache_span(cache) / 4, DSFS_SPAN_MIN);
	const unsigned long passed = dsfs_time_since(cache->margin_time, now);
	const unsigned long least = dsfs_margin_min();
	const unsigned long over = cache->margin > least ? cache->margin - least : 0;
	const unsigned long pages = div64_u64((u64)over * min(passed, span), span);

	/* Less than a page is not forgotten. */
	if (!pages && passed < span)
		return;
	cache->margin -= pages;
	cache->margin_time = now;
}

/* Each page of ours that was reclaimed widens the margin. */
static void dsfs_cache_adjust(struct dsfs_cache *cache, unsigned long pages,
			      unsigned long now)
{
	const unsigned long total = dsfs_cache_pages_lost();
	const unsigned long lost = total - cache->lost;

	cache->lost = total;
	if (lost)
		dsfs_count(cache->sb, DSFS_COUNT_CACHE_LOST, lost);
	cache->in += pages;
	cache->out += lost;
	dsfs_margin_narrow(cache, now);
	/* What is lost now is not forgotten for the time before. */
	if (lost)
		cache->margin_time = now;
	/* Memory may have grown since. */
	cache->margin = max(cache->margin + lost, dsfs_margin_min());
	cache->margin = min(cache->margin, dsfs_margin_max());
}

/**
 * dsfs_cache_admits - may a file stay without anything having to go for it?
 * @cache: the epoch cache
 * @inode: the file
 * @pages: of it
 *
 * Return: whether it may.
 */
bool dsfs_cache_admits(struct dsfs_cache *cache, struct inode *inode,
		       unsigned long pages)
{
	const unsigned long now = dsfs_cache_now(cache);
	const bool fits = dsfs_memcg_room(READ_ONCE(cache->margin)) >= (long)pages;
	long room = dsfs_free_pages(mapping_gfp_mask(inode->i_mapping));
	bool admits;

	spin_lock(&cache->lock);
	dsfs_span_turn(cache, now);
	dsfs_cache_adjust(cache, pages, now);
	room -= cache->margin;
	/* What is not its group's makes no room for the reader: nothing to be tried. */
	dsfs_cache_judge(cache, now, !fits || room >= (long)pages);
	admits = fits && (room >= (long)pages || cache->mode != DSFS_CACHE_HOLD);
	spin_unlock(&cache->lock);
	return admits;
}

/**
 * dsfs_cache_replaces - have stale files make way
 * @cache: the epoch cache
 * @pages: for so many
 *
 * The hand goes round once in the time after which a file is stale, and faster while it
 * finds some.
 *
 * Return: whether they did.
 */
bool dsfs_cache_replaces(struct dsfs_cache *cache, unsigned long pages)
{
	const u64 inodes = dsfs_geo(cache->sb)->inodes;
	const unsigned long now = dsfs_cache_now(cache);
	const unsigned long span = dsfs_cache_span(cache);
	const unsigned long age = span + span / 4;
	unsigned long gone = 0, dropped;
	u64 steps;

	if (!span || !mutex_trylock(&cache->hand_lock))
		return false;
	steps = div64_u64(dsfs_time_since(cache->hand_time, now) * inodes, age);
	if (steps)
		cache->hand_time = now;
	steps = cache->hand_found ? DSFS_HAND_MAX : min_t(u64, steps, DSFS_HAND_MAX);
	while (steps && gone < pages) {
		cache->hand = cache->hand + 1 < inodes ? cache->hand + 1 : 1;
		dropped = dsfs_file_drop_stale(cache->sb, cache->hand, now, age);
		gone += dropped;
		if (!dropped)
			steps--;
	}
	cache->hand_found = gone;
	mutex_unlock(&cache->hand_lock);
	return gone >= pages;
}
